import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../provider/core/clock.js";
import { JournalUnavailableError, type Lines, RemoteLog } from "../../provider/resources/journal/log.js";
import { LoggedJournal } from "../../provider/resources/journal/logged-journal.js";
import { openJournal } from "../../provider/resources/journal/open-journal.js";
import { about, begun, scopeOf } from "./conformance.js";
import { postgresLines } from "./support/postgres-lines.js";
import { hasPostgres, type PostgresServer, startPostgres } from "./support/postgres-server.js";
import { startTcpProxy, type TcpProxy } from "./support/tcp-proxy.js";

const nda = scopeOf("nda");

// Needs a Postgres of this machine, as Debian installs it.
describe.skipIf(!hasPostgres)("a failing Postgres", () => {
  let server: PostgresServer;
  let proxy: TcpProxy;
  beforeAll(async () => {
    server = await startPostgres();
  }, 120_000);
  afterAll(() => server[Symbol.asyncDispose]());
  beforeEach(async () => {
    await server.run("drop schema if exists docsign cascade");
    proxy = await startTcpProxy(server.port);
  });
  afterEach(() => proxy[Symbol.asyncDispose]());

  const open = (setting = server.urlAt(proxy.port)) =>
    openJournal({ setting, folder: "/nowhere", env: {}, run: "r", clock: systemClock });

  test("is connected again after its connections were cut, and nothing is lost", async () => {
    const journal = open();
    await journal.claim(nda, "5001", about());
    proxy.cut();
    const attempt = await journal.begin(nda, begun("f2"), undefined);
    await server.stop();
    await server.start();
    expect(await journal.claim(scopeOf("lease"), "5001", about())).toBe(false);
    expect((await open().resource(nda)).attempt).toEqual(attempt);
    await journal.close();
  });

  test.each([17, 29, 41])(
    "that ends its connections every %i pieces: two machines lose nothing and share nothing",
    async every => {
      // Each error is followed by the next try at once: the pause is a matter of the clock.
      let now = 0;
      const machine = (run: string) => {
        const log = new RemoteLog("the journal", "", async () => postgresLines(server.urlAt(proxy.port)), systemClock);
        return { run, journal: new LoggedJournal(log, { run, now: () => (now += 60_000) }) };
      };
      const machines = [machine("a"), machine("b")];
      const begins = new Map<string, string>();
      const claims = new Map<string, string>();
      proxy.cutEvery = every;
      await Promise.all(
        machines.map(async ({ run, journal }) => {
          for (let nth = 1; nth <= 40; nth++) {
            const scope = scopeOf(`${run}-${nth}`);
            try {
              if (!(await journal.begin(scope, begun(`f${nth}`), undefined))) continue;
              begins.set(scope.urn, `f${nth}`);
              if (!(await journal.claim(scope, String(nth), about(`f${nth}`)))) continue;
              expect([nth, claims.get(String(nth))]).toEqual([nth, undefined]);
              claims.set(String(nth), scope.urn);
            } catch (error) {
              if (!(error instanceof JournalUnavailableError)) throw error;
            }
          }
        }),
      );
      proxy.cutEvery = 0;
      const check = open(server.url);
      for (const [id, urn] of claims) expect((await check.owner(nda.service, id))?.urn).toBe(urn);
      for (const [urn, fingerprint] of begins) {
        const { attempt, owned } = await check.resource({ service: nda.service, urn });
        expect([urn, attempt?.fingerprint ?? owned[0]?.fingerprint]).toEqual([urn, fingerprint]);
      }
      expect(begins.size).toBeGreaterThan(0);
      await Promise.all([...machines.map(({ journal }) => journal.close()), check.close()]);
    },
  );

  test("that doesn't answer is left in time, said once, and not asked again for a while", async () => {
    proxy.mode = "silent";
    const log = new RemoteLog("the journal", "", async () => postgresLines(server.urlAt(proxy.port)), {
      now: () => 0,
      wait: async () => undefined,
    });
    const journal = new LoggedJournal(log, { run: "r" });
    await expect(journal.resource(nda)).rejects.toThrow("expected an answer within 10 s, got none");
    proxy.mode = "open";
    await expect(journal.begin(nda, begun(), undefined)).rejects.toBeInstanceOf(JournalUnavailableError);
    await expect(journal.show(nda, "5001", { supersedes: [] })).rejects.toBeInstanceOf(JournalUnavailableError);
    expect(journal.warnings()).toHaveLength(1);
    expect(await server.run("select to_regclass('docsign.journal') as there")).toContain("null");
    const patient = new RemoteLog("the journal", "", async () => postgresLines(server.urlAt(proxy.port)), systemClock);
    const again = new LoggedJournal(patient, { run: "r" });
    expect(await again.begin(nda, begun(), undefined)).toBeDefined();
    await Promise.all([journal.close(), again.close()]);
  });

  test("that is slow: calls under way travel together", async () => {
    const journal = open();
    await journal.claim(nda, "5001", about());
    proxy.delay = 5;
    const rows = async () =>
      Number(JSON.parse(await server.run("select count(*)::int as n from docsign.journal"))[0].n);
    const before = await rows();
    const names = Array.from({ length: 40 }, (_, nth) => `nda-${nth}`);
    await Promise.all(names.map(name => journal.begin(scopeOf(name), begun(), undefined)));
    expect((await rows()) - before).toBeLessThanOrEqual(2);
    await journal.close();
  });

  test("is asked once by a preview that changes nothing", async () => {
    const names = Array.from({ length: 100 }, (_, nth) => `nda-${nth}`);
    const journal = open();
    await Promise.all(names.map((name, nth) => journal.claim(scopeOf(name), String(nth), about())));
    await Promise.all(names.map((name, nth) => journal.show(scopeOf(name), String(nth), { supersedes: [] })));
    // Nobody waits for what is shown to be written; what is read next comes behind it.
    await journal.refresh();
    let asked = 0;
    const lines = postgresLines(server.url);
    const counted: Lines = {
      isWhole: lines.isWhole,
      exchange: (...given) => {
        asked++;
        return lines.exchange(...given);
      },
      compact: snapshot => lines.compact(snapshot),
      close: () => lines.close(),
    };
    const preview = new LoggedJournal(new RemoteLog("the journal", "", async () => counted, systemClock), {
      run: "next",
    });
    for (const [nth, name] of names.entries()) await preview.show(scopeOf(name), String(nth), { supersedes: [] });
    expect(asked).toBe(1);
    await Promise.all([journal.close(), preview.close()]);
  });

  test("shows no password in any error", async () => {
    const urls = [
      server.urlAt(proxy.port).replace(/:[^:@/]*@/, ":wrong-secret@"),
      "postgres://me:s3cr@t/x?y@127.0.0.1:1/db",
      "postgres://me:wrong-secret@127.0.0.1:1/db?sslmode=disable",
    ];
    for (const url of urls) {
      const journal = open(url);
      const error = await journal.resource(nda).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(JournalUnavailableError);
      expect(String((error as Error).message)).not.toMatch(/secret|s3cr|p@ss|p%40ss/);
      await journal.close();
    }
  });

  test("needs no more than to read, add and remove rows where the table is there", async () => {
    await open(server.url).claim(nda, "5001", about());
    await server.run(`drop role if exists ci; create role ci login password 'ci-secret';
      grant usage on schema docsign to ci; grant select, insert, delete on docsign.journal to ci`);
    const journal = open(`postgres://ci:ci-secret@127.0.0.1:${server.port}/postgres?sslmode=disable`);
    expect((await journal.resource(nda)).owned).toMatchObject([{ id: "5001" }]);
    for (let nth = 0; nth < 4; nth++) await Promise.all(Array.from({ length: 60 }, () => journal.withdraw(nda, "0")));
    expect(await journal.claim(scopeOf("lease"), "5001", about())).toBe(false);
    expect(JSON.parse(await server.run("select count(*)::int as n from docsign.journal"))[0].n).toBeLessThan(4);
    await journal.close();
  });

  test("lives beside Pulumi's own state in the same data base", async () => {
    await server.run(
      "create table if not exists pulumi_state (key text primary key, data json, updated_at timestamptz)",
    );
    const env = { PULUMI_BACKEND_URL: server.url };
    const journal = openJournal({ setting: undefined, folder: "/nowhere", env, run: "r", clock: systemClock });
    await journal.resource(nda);
    expect(journal.warnings()).toEqual([]);
    await journal.claim(nda, "5001", about());
    expect(journal.warnings()).toEqual([
      `the journal is kept beside the stack's state, in postgres://127.0.0.1:${server.port}/postgres. To keep it on this machine instead: pulumi config set docsign:journal local`,
    ]);
    expect(await server.run("select lines from docsign.journal")).not.toMatch(/sslmode|p%40ss|docsign@/);
    const next = openJournal({ setting: undefined, folder: "/nowhere", env, run: "r", clock: systemClock });
    await next.claim(nda, "5002", about());
    expect(next.warnings()).toEqual([]);
    await Promise.all([journal.close(), next.close()]);
  });
});
