import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PartialLog } from "../../provider/resources/journal/log.js";
import { LoggedJournal } from "../../provider/resources/journal/logged-journal.js";
import { PostgresTable } from "../../provider/resources/journal/postgres-table.js";
import { about, begun, SERVICE } from "./conformance.js";
import { hasPostgres, type PostgresServer, startPostgres } from "./support/postgres-server.js";

const scopeIn = (stack: string, name = "nda") => ({
  service: SERVICE,
  urn: `urn:pulumi:${stack}::contracts::docsign:index:Document::${name}`,
});
const inA = scopeIn("a");

/** Stops the statement of run `slow` between its snapshot and its row, while lock 7 is held. */
const HOLD = `create or replace function docsign.hold() returns trigger language plpgsql as $$ begin
  if new.lines like '%"run":"slow"%' then perform pg_advisory_xact_lock_shared(7); end if; return new; end $$;
  create trigger hold before insert on docsign.journal for each row execute function docsign.hold()`;

// Needs a Postgres of this machine, as Debian installs it.
describe.skipIf(!hasPostgres)("writers of one Postgres", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 120_000);
  afterAll(() => server?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    await server.run("drop schema if exists docsign cascade");
  });

  const open = (run: string, keptLines = 200) => {
    const lines = new PartialLog(new PostgresTable(server.url));
    const log = {
      ...{ name: "the journal", advice: "", isShared: true, isWhole: lines.isWhole },
      exchange: (...given: Parameters<PartialLog["exchange"]>) => lines.exchange(...given),
      compact: (snapshot: string) => lines.compact(snapshot),
      close: () => lines.close(),
    };
    return new LoggedJournal(log, { run, keptLines });
  };
  const claimed = async (...names: string[]) => {
    const journal = open("before");
    for (const name of names) await journal.claim(scopeIn("a", name), name, about(name));
    await journal.close();
  };

  it("don't take a number that compaction has freed while one of them was slow", async () => {
    await claimed("1");
    await server.run(HOLD);
    const [slow, fast, other] = [open("slow"), open("fast"), open("other", Number.NEGATIVE_INFINITY)];
    for (const journal of [slow, fast]) await journal.ofContract(SERVICE, begun());
    for (const journal of [slow, fast]) await journal.resource(inA);
    await other.resource(scopeIn("b"));
    const { default: postgres } = await import("postgres");
    const holder = postgres(server.url, { max: 1 });
    const waiting = async () =>
      Number((await holder`select count(*) from pg_locks where locktype = 'advisory' and not granted`)[0]?.["count"]);
    await holder`select pg_advisory_lock(7)`;
    const first = slow.begin(inA, begun(), undefined);
    while ((await waiting()) < 1);
    // It would add a row, and compact at once.
    let isDone = false;
    const compacted = other.claim(scopeIn("b", "y"), "3", about("y")).finally(() => {
      isDone = true;
    });
    while (!isDone && (await waiting()) < 2);
    await fast.refresh();
    await holder`select pg_advisory_unlock(7)`;
    await compacted;
    const attempts = [await first, await fast.begin(inA, begun(), undefined)];
    expect(attempts.filter(attempt => attempt !== undefined)).toHaveLength(1);
    await Promise.all([slow, fast, other].map(journal => journal.close()));
    await holder.end();
  });

  it("of whom one has read rows that the data base has lost: it reads anew before it adds to it", async () => {
    await claimed("1", "2", "3");
    const running = open("running");
    await running.ofContract(SERVICE, begun());
    await running.resource(inA);
    await server.run("delete from docsign.journal where position > 1");
    const next = open("next");
    const attempts = [await next.begin(inA, begun(), undefined), await running.begin(inA, begun(), undefined)];
    expect(attempts.map(attempt => attempt?.run)).toEqual(["next", undefined]);
    await Promise.all([running, next].map(journal => journal.close()));
  });

  it("go on behind a row whose number a floating-point number can't hold", async () => {
    await claimed("1");
    await server.run("update docsign.journal set position = 9007199254740993");
    const [first, second] = [open("first"), open("second")];
    expect((await first.resource(scopeIn("a", "1"))).owned).toMatchObject([{ id: "1" }]);
    expect(await first.begin(inA, begun(), undefined)).toBeDefined();
    expect(await second.begin(inA, begun(), undefined)).toBeUndefined();
    expect((await second.resource(inA)).attempt?.run).toBe("first");
    await Promise.all([first, second].map(journal => journal.close()));
  });

  it.each(["repeatable read", "serializable"])("are none refused where %s is the default", async level => {
    await claimed("1");
    await server.run(`alter database postgres set default_transaction_isolation = '${level}'`);
    try {
      const journals = ["p", "q", "r"].map(run => open(run));
      const begin = (nth: number) => async (journal: LoggedJournal) =>
        journal.begin(scopeIn("a", `${journal.run}-${nth}`), begun(`f${nth}`), undefined);
      for (let nth = 0; nth < 20; nth++)
        expect((await Promise.all(journals.map(begin(nth)))).map(attempt => attempt?.run)).toEqual(["p", "q", "r"]);
      await Promise.all(journals.map(journal => journal.close()));
    } finally {
      await server.run("alter database postgres reset default_transaction_isolation");
    }
  });
});
