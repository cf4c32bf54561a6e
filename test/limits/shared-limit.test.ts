import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../../commands/fleet/database.js";
import { PostgresLimit } from "../../provider/limits/postgres-limit.js";
import { SHARED_LIMIT, sharedLimit } from "../../provider/limits/shared-limit.js";
import { createRuntime } from "../../provider/runtime.js";
import { openPostgres, type TestPostgres } from "../fleet/support/scene.js";
import { startIndependentService } from "../support/independent-service/index.js";

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await openPostgres();
  const db = await openDatabase({ url: postgres.url, supervises: false, onError: () => undefined });
  await db[Symbol.asyncDispose]();
});
afterAll(() => postgres[Symbol.asyncDispose]());

const limit = (account: string, places: number) => new PostgresLimit(postgres.url, account, places);

describe("an account's limit in Postgres", () => {
  it("lets so many in, over all processes, and the next once one has left", async () => {
    const [one, other] = [limit("a1b2c3d4e5f60718", 3), limit("a1b2c3d4e5f60718", 3)];
    const [first] = await Promise.all([one.enter(), one.enter(), other.enter()]);
    const waiting = other.enter();
    const early = await Promise.race([
      waiting.then(() => "in"),
      one.enter(AbortSignal.timeout(200)).catch(() => "waits"),
    ]);
    expect(early).toBe("waits");
    first.leave();
    first.leave();
    await waiting;
    await Promise.all([one.end(), other.end()]);
  });

  it("frees the places of a process that is gone, and counts each account by itself", async () => {
    const [one, other] = [limit("0000000100000000", 1), limit("0000000100000000", 1)];
    await one.enter();
    await limit("0000000200000000", 1).enter();
    const waiting = other.enter();
    await one.end();
    await waiting;
    await other.end();
  });

  it("frees the places of a process that was stopped, and not only once it has ended", async () => {
    const account = "0000000500000000";
    const holder = join(import.meta.dirname, "fixtures/holder.ts");
    const child = spawn(process.execPath, ["--import", "tsx", holder, postgres.url, account, "1000"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "exit");
    await Promise.race([
      once(child.stdout, "data"),
      ended.then(() => Promise.reject(new Error("expected it to hold"))),
    ]);
    child.kill("SIGSTOP");
    const other = limit(account, 1);
    await other.enter();
    child.kill("SIGKILL");
    await Promise.all([ended, other.end()]);
  });

  it("is heard of as long as it holds a place, and not otherwise", async () => {
    const account = "0000000600000000";
    const one = new PostgresLimit(postgres.url, account, 1, { silentMs: 60_000, beatMs: 20 });
    const { leave } = await one.enter();
    await using db = await openDatabase({ url: postgres.url, supervises: false, onError: () => undefined });
    const heard = async () => {
      const rows = await db.sql`select a.pid, a.query_start from pg_locks l join pg_stat_activity a using (pid)
        where l.locktype = 'advisory' and l.classid = ${Number.parseInt(account.slice(0, 8), 16)}`;
      return rows.map(({ pid, query_start }) => `${pid} ${query_start.getTime()}`).join();
    };
    const first = await heard();
    expect(first).not.toBe("");
    await expect.poll(heard).not.toBe(first);
    expect((await heard()).split(" ")[0]).toBe(first.split(" ")[0]);
    leave();
    await expect.poll(heard).toBe("");
    await one.end();
  });

  it("takes a place again after the data base has ended its idle session", async () => {
    const account = "0000000700000000";
    const [one, other] = [limit(account, 1), limit(account, 1)];
    (await one.enter()).leave();
    await using db = await openDatabase({ url: postgres.url, supervises: false, onError: () => undefined });
    await db.sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'pulumi-docsign' and pid <> pg_backend_pid() and query like '%pg_advisory_unlock%'`;
    const { leave } = await one.enter();
    const waits = await other.enter(AbortSignal.timeout(200)).catch(() => "waits");
    expect(waits).toBe("waits");
    leave();
    await Promise.all([one.end(), other.end()]);
  });

  it("every process waits as long as the service asked; the longest counts", async () => {
    const [one, other] = [limit("0000000300000000", 2), limit("0000000300000000", 2)];
    one.close(60_000);
    one.close(1_000);
    await expect
      .poll(async () => {
        const { closedMs, leave } = await other.enter();
        leave();
        return closedMs > 50_000 && closedMs <= 60_000;
      })
      .toBe(true);
    await Promise.all([one.end(), other.end()]);
  });

  it("is left out where the data base can't be reached", async () => {
    const gone = new PostgresLimit("postgres://x@127.0.0.1:1/x", "0000000400000000", 1);
    expect((await Promise.all([gone.enter(), gone.enter()])).map(({ closedMs }) => closedMs)).toEqual([0, 0]);
    await gone.end();
  });
});

describe("the provider in a fleet", () => {
  const credentials = { kind: "apiKey", apiKey: "k", source: "test" } as const;

  it("takes no shared limit outside a fleet", () => {
    expect(sharedLimit({}, "https://api.example.com", credentials)).toBeUndefined();
    expect(sharedLimit({ [SHARED_LIMIT.url]: postgres.url }, "https://api.example.com", credentials)).toBeUndefined();
  });

  it("keeps to the fleet's limit of requests in flight, over two processes", async () => {
    await using service = await startIndependentService();
    const env = {
      DOCSIGN_BASE_URL: service.url,
      DOCSIGN_API_KEY: service.apiKey,
      DOCSIGN_STATE_DIR: "/nowhere",
      [SHARED_LIMIT.url]: postgres.url,
      [SHARED_LIMIT.requests]: "1",
    };
    const runtimes = [1, 2].map(pid =>
      createRuntime({ env, version: "0", engine: `e${pid}`, pid, isAlive: () => true }),
    );
    const gate = service.gate("processed", "listDocuments");
    const answers = runtimes.map(({ context }) => context.service().listDocuments({}));
    await gate.reached;
    // The other one waits for the place: its request isn't there, however long one looks.
    expect(service.ledger.requests("listDocuments")).toHaveLength(1);
    gate.open();
    await Promise.all(answers);
    expect(service.ledger.requests("listDocuments")).toHaveLength(2);
    for (const runtime of runtimes) await runtime.close();
  });
});
