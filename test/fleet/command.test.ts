import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CommandIo, main } from "../../commands/fleet/command.js";
import { openDatabase, QUEUE_SCHEMA, SCHEMA } from "../../commands/fleet/database.js";
import { totalsOf } from "../../commands/fleet/display.js";
import type { Engine } from "../../commands/fleet/engine.js";
import { startLocalPostgres } from "../../commands/fleet/local-postgres.js";
import { systemClock } from "../../provider/core/clock.js";
import { connect } from "../../provider/resources/journal/postgres-connection.js";
import { root } from "../support/engine/found.js";
import { scratchFolder } from "../support/scratch.js";
import { OK, openPostgres, playedEngine, Scene, type TestPostgres } from "./support/scene.js";

let postgres: TestPostgres;
const folder = scratchFolder("docsign-fleet-command-");
beforeAll(async () => {
  postgres = await openPostgres();
  writeFileSync(
    join(folder, "fleet.yaml"),
    "name: leases\nstacks: { list: [{ name: mx }, { name: us }] }\nworkers: { lease: 10s }\nsecrets: [KEY]\n",
  );
});
afterAll(async () => {
  await postgres[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

async function fleet(line: string, engine: Engine = playedEngine(() => OK), more: Partial<CommandIo> = {}) {
  const said = { out: "", err: "" };
  const code = await main(line.split(" ").filter(Boolean), {
    out: text => {
      said.out += text;
    },
    err: text => {
      said.err += text;
    },
    isTerminal: false,
    env: { DOCSIGN_FLEET_DATABASE: postgres.url, KEY: "k" },
    cwd: folder,
    version: "1.0.0",
    host: "here",
    pid: process.pid,
    packagesFrom: [],
    clock: systemClock,
    drain: new AbortController().signal,
    interrupt: new AbortController().signal,
    engine: () => Object.assign(engine, { [Symbol.dispose]: () => undefined }),
    ...more,
  });
  return { code, ...said };
}

const mails = (mx: number | undefined, us: number | undefined) =>
  playedEngine(({ command, stack }) => ({
    ...OK,
    mails: command === "preview" ? (stack.name === "mx" ? mx : us) : undefined,
  }));

describe("docsign fleet", () => {
  it("preview says how many mails would be sent", async () => {
    const { code, out } = await fleet("preview --work", mails(2, 1));
    expect(code).toBe(0);
    expect(out).toMatch(/^preview of 2 stacks of leases begins$/m);
    expect(out).toMatch(/^mx +ok +- +2 +\d/m);
    expect(out).toMatch(/2 of 2 stacks done: 2 ok\n3 mails would be sent\n$/);
  });

  it("up --expect-mails begins only where the preview says that number", async () => {
    const engine = mails(2, 1);
    const refused = await fleet("up --work --expect-mails 2", engine);
    expect([refused.code, refused.err]).toEqual([
      1,
      "docsign fleet: expected 2 mails, got 3 mails; nothing was begun\n",
    ]);
    expect(engine.ran.sort()).toEqual(["preview mx", "preview us"]);
    const unknown = await fleet("up --work --expect-mails 2", mails(2, undefined));
    expect(unknown.err).toContain("expected to know whom every stack mails, got people not known yet in us");
    const begun = await fleet("up --work --expect-mails 3", engine);
    expect([begun.code, begun.err]).toEqual([0, ""]);
    expect(engine.ran.slice(-2).sort()).toEqual(["up mx", "up us"]);
  });

  it("retry runs the stacks that didn't go well, and status says what came of them", async () => {
    let well = false;
    const engine = playedEngine(({ stack }) =>
      stack.name === "us" && !well ? { ...OK, status: "failed", reasons: ["document 5 is signed"] } : OK,
    );
    const first = await fleet("up --work", engine);
    expect(first.code).toBe(1);
    expect(first.out).toMatch(/ {2}us: document 5 is signed\n\n2 of 2 stacks done: 1 ok, 1 failed\n$/);
    const status = await fleet("status");
    expect([status.code, status.out]).toEqual([1, expect.stringContaining("Last run: up\n")]);
    expect(JSON.parse((await fleet("status --json")).out)).toMatchObject({
      fleet: "leases",
      run: {
        command: "up",
        jobs: [
          { stack: "mx", state: "ok" },
          { stack: "us", state: "failed" },
        ],
      },
    });
    well = true;
    const again = await fleet("retry --work", engine);
    expect(again.out).toContain("up of 1 stack of leases begins");
    expect(again.code).toBe(0);
    expect((await fleet("retry --work", engine)).err).toContain(
      "expected stacks of the last run that didn't go well, got none",
    );
  });

  it("ends with 10 where stacks wait for signatures and nothing else is wrong", async () => {
    const engine = playedEngine(() => ({
      ...OK,
      status: "waiting",
      reasons: ["document 5 waits for ana@example.com"],
    }));
    expect((await fleet("up --work", engine)).code).toBe(10);
  });

  it("without a worker says so; Ctrl-C ends the following, and cancel ends the run", async () => {
    const drain = new AbortController();
    let out = "";
    const leaves = {
      drain: drain.signal,
      out: (text: string) => {
        out += text;
        if (text.includes("begins")) drain.abort();
      },
    };
    const { code, err } = await fleet("up", undefined, leaves);
    expect([code, err]).toEqual([
      1,
      "docsign fleet: no worker runs; `docsign fleet worker` starts one, --work makes this process one\n",
    ]);
    expect(out).toContain("The run goes on without this process: `docsign fleet status` shows it");
    expect((await fleet("up")).err).toContain("expected stacks without a job, got mx (up, queued), us (up, queued)");
    expect((await fleet("cancel us")).out).toBe(
      "taken out of the queue: us\n1 of 2 stacks done: 1 cancelled; 1 queued\n",
    );
    expect((await fleet("cancel")).out).toContain("taken out of the queue: mx\n");
    expect((await fleet("cancel")).out).toContain("nothing of leases waits or runs");
  });

  it("refuses a worker without the secrets that the file names, and wrong flags", async () => {
    const missing = await fleet(
      "up --work",
      playedEngine(() => OK),
      { env: { DOCSIGN_FLEET_DATABASE: postgres.url } },
    );
    expect(missing.err).toContain("expected KEY in the environment, as the fleet file's `secrets` say, got none");
    expect((await fleet("cancel")).out).toContain("nothing of leases waits or runs");
    expect((await fleet("status --expect-mails 3")).err).toContain(
      "--expect-mails: expected it with up, got it with status",
    );
    expect((await fleet("up --expect-mails x")).code).toBe(2);
    expect((await fleet("up de")).err).toContain("expected stacks of the fleet leases, got de");
    expect(
      (await fleet("up", undefined, { env: { DOCSIGN_FLEET_DATABASE: "postgres://x@127.0.0.1:1/x" } })).err,
    ).toMatch(/expected a Postgres that answers, got: .*ECONNREFUSED/);
    for (const wrong of ["db.example/x:secret", "https://x:secret@db.example/x", "postgres://x:secret@db:port/x"]) {
      const { err } = await fleet("up", undefined, { env: { DOCSIGN_FLEET_DATABASE: wrong } });
      expect(err).toContain(
        "DOCSIGN_FLEET_DATABASE: expected postgres://user:password@host/database, got another text",
      );
      expect(err).not.toContain("secret");
    }
  });

  it("a worker registers the schedules, a due one begins a run, and one that was taken out is forgotten", async () => {
    const scheduled = "name: leases\nstacks: { list: [{ name: mx }] }\nworkers: { lease: 10s }\n";
    const schedule =
      'schedules: [{ name: nightly, cron: "0 2 * * *", command: refresh, config: { "leases:when": night } }]\n';
    const engine = playedEngine(() => OK);
    await using db = await openDatabase({ url: postgres.url, supervises: false, onError: () => undefined });
    const work = async (text: string, until: () => Promise<unknown>) => {
      writeFileSync(join(folder, "other.yaml"), text);
      const drain = new AbortController();
      const worker = fleet("worker -f other.yaml", engine, { drain: drain.signal });
      await until();
      drain.abort();
      return worker;
    };
    const schedules = () => db.sql.unsafe(`select key, cron from ${QUEUE_SCHEMA}.schedule`);
    const { code } = await work(scheduled + schedule, async () => {
      await expect.poll(schedules, { timeout: 20_000 }).toEqual([{ key: "nightly", cron: "0 2 * * *" }]);
      await db.boss.send("fleet.leases.schedule", { schedule: "nightly" });
      await expect.poll(() => engine.ran, { timeout: 20_000 }).toEqual(["refresh mx"]);
    });
    expect(code).toBe(0);
    const [run] = await db.sql.unsafe(`select command from ${SCHEMA}.run order by started_at desc limit 1`);
    expect(run).toEqual({ command: "refresh" });
    await work(scheduled, () => expect.poll(schedules, { timeout: 20_000 }).toEqual([]));
  });
});

it("totals say what is done and what is open", () => {
  const job = { id: "1", stack: "mx", losses: 0, outcome: undefined, seconds: undefined };
  expect(
    totalsOf([
      { ...job, state: "ok" },
      { ...job, state: "failed" },
      { ...job, state: "queued" },
    ]),
  ).toBe("2 of 3 stacks done: 1 ok, 1 failed; 1 queued");
  expect(totalsOf([{ ...job, state: "running" }])).toBe("0 of 1 stack done: 1 running");
});

it("the documented SQL is enough for a role that may make nothing else", async () => {
  await using db = await openDatabase({ url: postgres.url, supervises: false, onError: () => undefined });
  const page = readFileSync(join(root, "docs", "fleet.md"), "utf8");
  const sql = /```sql\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  await db.sql.unsafe("create database other");
  const other = postgres.url.replace("/postgres?", "/other?");
  const admin = connect(other, { max: 1 });
  await admin.unsafe("revoke all on schema public from public; revoke create on database other from public");
  await admin.unsafe(sql);
  await admin.end();
  const url = other.replace(/\/\/[^@]*@/, "//fleet:secret@");
  const { code, err } = await fleet("up --work", undefined, { env: { DOCSIGN_FLEET_DATABASE: url, KEY: "k" } });
  expect([code, err]).toEqual([0, ""]);
});

describe("without an address", () => {
  const env = { DOCSIGN_FLEET_DIR: scratchFolder("docsign-fleet-own-"), PATH: process.env["PATH"], KEY: "k" };
  const packagesFrom = [join(root, "package.json")];
  afterAll(() => rmSync(env.DOCSIGN_FLEET_DIR, { recursive: true }));

  it("a Postgres is started and stopped again, and remembers; what a killed run left is taken back", async () => {
    const local = await startLocalPostgres({ folder: env.DOCSIGN_FLEET_DIR, path: env.PATH, packagesFrom });
    await Scene.open(local.url, readFileSync(join(folder, "fleet.yaml"), "utf8")).then(async scene => {
      await scene.queue.begin("up", ["mx", "us"], scene.about());
      await scene[Symbol.asyncDispose]();
    });
    await local.stop();
    const engine = playedEngine(() => OK);
    const { code, err } = await fleet("up", engine, { env, packagesFrom });
    expect([code, err, engine.ran.length]).toEqual([0, "", 2]);
    const status = await fleet("status", engine, { env, packagesFrom });
    expect(status.out).toContain("2 of 2 stacks done: 2 ok");
    expect(existsSync(join(env.DOCSIGN_FLEET_DIR, "data", "postmaster.pid"))).toBe(false);
  });
});
