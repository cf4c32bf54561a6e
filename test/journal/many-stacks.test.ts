import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Journal, stackOf } from "../../provider/resources/journal/contract.js";
import { type Lines, type LogRow, PartialLog, type Table } from "../../provider/resources/journal/log.js";
import { LoggedJournal } from "../../provider/resources/journal/logged-journal.js";
import { PostgresTable } from "../../provider/resources/journal/postgres-table.js";
import "../support/properties.js";
import { isSample } from "../support/sample.js";
import { about, begun, contentOf, SERVICE } from "./conformance.js";
import { call, FIRST, STACKS, write } from "./support/calls.js";
import { ManyStacks } from "./support/many-stacks.js";
import { MemoryTable } from "./support/memory-table.js";
import { hasPostgres, type PostgresServer, startPostgres } from "./support/postgres-server.js";

/** Some calls one after another, and then some at once. */
const rounds = fc.array(fc.tuple(fc.array(call, { maxLength: 6 }), fc.array(write, { maxLength: 5 })), {
  maxLength: 5,
});
/** More for a search: DOCSIGN_TEST_RUNS=5000. */
const asked = process.env["DOCSIGN_TEST_RUNS"];

const scopeIn = (stack: string, name = "nda") => ({
  service: SERVICE,
  urn: `urn:pulumi:${stack}::contracts::docsign:index:Document::${name}`,
});
const [inA, inB] = [scopeIn("a"), scopeIn("b")];

interface Store {
  /** How often each property is tried. */
  readonly runs: number;
  /** What opens an empty table, of each process its own. */
  clear(): Promise<() => Table>;
}

let server: PostgresServer | undefined;

const inMemory: Store = {
  runs: Number(asked ?? (isSample ? 50 : 200)),
  async clear() {
    const table = new MemoryTable();
    return () => table;
  },
};
const inPostgres: Store = {
  runs: Number(asked ?? (isSample ? 2 : 6)),
  async clear() {
    await server?.run("drop schema if exists docsign cascade");
    return () => new PostgresTable(server?.url ?? "");
  },
};

beforeAll(async () => {
  if (hasPostgres) server = await startPostgres();
}, 120_000);
afterAll(() => server?.[Symbol.asyncDispose]());

/** A table whose exchanges are counted, with what they read, and can be held back. */
function watched(table: Table) {
  const seen = { exchanges: 0, rows: 0, characters: 0 };
  const gate = { turn: Promise.resolve() };
  const exchange: Table["exchange"] = async (...given) => {
    await gate.turn;
    const answer = await table.exchange(...given);
    seen.exchanges++;
    seen.rows += answer.rows.length;
    for (const { text = "" } of answer.rows) seen.characters += text.length;
    return answer;
  };
  const lines = new PartialLog({
    exchange,
    replace: (...given) => table.replace(...given),
    stacks: () => table.stacks(),
    close: () => table.close(),
  });
  return { seen, gate, lines };
}

const journalOver = (lines: Lines, run = "r"): LoggedJournal =>
  new LoggedJournal(
    { ...{ name: "the table", advice: "", isShared: true, isWhole: lines.isWhole }, ...bound(lines) },
    { run },
  );

const bound = (lines: Lines): Omit<Lines, "isWhole"> => ({
  exchange: (...given) => lines.exchange(...given),
  compact: snapshot => lines.compact(snapshot),
  close: () => lines.close(),
});

/** Two processes of two stacks that have both read all there is; what the second adds is held back. */
async function atOnce(store: Store, first: (journal: Journal) => Promise<unknown>, second: typeof first) {
  const open = await store.clear();
  const [a, b] = [watched(open()), watched(open())];
  const [fast, slow] = [journalOver(a.lines, "fast"), journalOver(b.lines, "slow")];
  await Promise.all([fast.resource(inA), slow.resource(inB)]);
  await Promise.all([fast, slow].map(journal => journal.ofContract(SERVICE, contentOf("f1"))));
  const { promise, resolve } = Promise.withResolvers<void>();
  b.gate.turn = promise;
  const later = second(slow);
  const early = await first(fast);
  resolve();
  return { fast, slow, answers: [early, await later] };
}

const READER = "a process that reads its own stack's lines, among others,";
describe(`${READER} in memory`, () => readers(inMemory));
// Needs a Postgres of this machine, as Debian installs it.
describe.skipIf(!hasPostgres)(`${READER} in Postgres`, () => readers(inPostgres));

function readers(store: Store): void {
  test("answers as one that reads all lines, whatever was called before", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 40 }), async calls => {
        const stacks = new ManyStacks(await store.clear());
        for (const each of calls) await stacks.run(each);
        await stacks.end();
      }),
      { numRuns: store.runs },
    );
  });

  test("learns what takes the place of its own under another stack's name, once all is compacted", async () => {
    const stacks = new ManyStacks(await store.clear());
    const [a = "", b = ""] = STACKS;
    await stacks.run({ ...FIRST, op: "start", process: 0, stack: a, keeps: 2 });
    await stacks.run({ ...FIRST, op: "replace", process: 0, id: "4", ids: [] });
    await stacks.run({ ...FIRST, op: "start", process: 1, stack: b, keeps: 0 });
    const shown = { ...FIRST, op: "show" as const, ids: [], besides: [], imported: false, content: undefined };
    await stacks.run({ ...shown, process: 1, id: "4" });
    await stacks.run({ ...FIRST, op: "start", process: 2, stack: b, keeps: 2 });
    await stacks.run({ ...shown, process: 2, id: "1" });
    await stacks.end();
  });

  test("answers as one that reads all lines, whatever was called at the same moment", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), rounds, async (scheduler, all) => {
        const turn = () => scheduler.schedule(Promise.resolve());
        const stacks = new ManyStacks(await store.clear(), turn);
        const done = (async () => {
          for (const [calls, together] of all) {
            for (const each of calls) await stacks.run(each);
            await stacks.runTogether(together);
          }
          await stacks.end();
        })();
        await scheduler.waitFor(done);
      }),
      { numRuns: store.runs },
    );
  });

  test.each([
    { who: "one", scopes: [inA, inB] as const },
    { who: "the other", scopes: [inB, inA] as const },
  ])("shares an id that two stacks claim at once, where $who comes first", async ({ scopes: [early, late] }) => {
    const { fast, slow, answers } = await atOnce(
      store,
      journal => journal.claim(early, "5001", about()),
      journal => journal.claim(late, "5001", about()),
    );
    expect(answers).toEqual([true, false]);
    for (const journal of [fast, slow]) {
      await journal.refresh();
      expect((await journal.owner(SERVICE, "5001"))?.urn).toBe(early.urn);
      await journal.close();
    }
  });

  test("learns of a create of the same content that another stack begins at once", async () => {
    const { fast, slow, answers } = await atOnce(
      store,
      journal => journal.begin(inA, begun(), undefined),
      journal => journal.begin(inB, begun(), undefined),
    );
    expect(answers.filter(Boolean)).toHaveLength(2);
    for (const journal of [fast, slow]) {
      await journal.refresh();
      const { attempts } = await journal.ofContract(SERVICE, contentOf("f1"));
      expect(attempts.map(({ urn }) => urn).sort()).toEqual([inA.urn, inB.urn]);
      await journal.close();
    }
  });

  test("reads no lines but its own, at once", async () => {
    const open = await store.clear();
    const own = journalOver(new PartialLog(open()));
    await own.claim(inA, "5001", about());
    await own.close();
    const others = open();
    const text = JSON.stringify({ op: "withdraw", ...inB, token: "0" });
    for (let first = 0; first < 20_000; first += 2_000) {
      const pieces = Array.from({ length: 2_000 }, (_, nth) => {
        const stack = stackOf(scopeIn(`other-${Math.floor((first + nth) / 100)}`).urn);
        return { stacks: [stack], ids: [], keys: [`content-${first + nth}`], text };
      });
      const { rows } = await others.exchange({ position: undefined, stacks: [], keys: [] }, undefined);
      await others.replace(rows.at(-1) as LogRow, [], pieces);
    }
    await others.close();
    const { seen, lines } = watched(open());
    const journal = journalOver(lines);
    await journal.refresh();
    expect((await journal.resource(inA)).owned).toMatchObject([{ id: "5001" }]);
    expect(seen).toMatchObject({ exchanges: 1, rows: 2 });
    expect(seen.characters).toBeLessThan(400);
    // Its own, and the number of the last. What another stack may have is asked for once, and reads nothing but the row it
    // stands on where it has nothing.
    expect(await journal.ofContract(SERVICE, contentOf("f2"))).toEqual({ attempts: [], owned: [] });
    expect(seen).toMatchObject({ exchanges: 2, rows: 3 });
    await journal.close();
  });

  test("asks for a hundred creates' content once", async () => {
    const create = async (journal: Journal, nth: number) => {
      const scope = scopeIn("a", `nda-${nth}`);
      await journal.refresh();
      await journal.resource(scope);
      await journal.ofContract(SERVICE, contentOf(`f${nth}`));
      await journal.begin(scope, begun(`f${nth}`), undefined);
      await journal.claim(scope, String(nth), about(`f${nth}`));
    };
    const open = await store.clear();
    const up = async (isWhole: boolean) => {
      const { seen, lines } = watched(open());
      const journal = journalOver(Object.assign(lines, { isWhole }));
      await Promise.all(Array.from({ length: 100 }, (_, nth) => create(journal, nth + (isWhole ? 1000 : 0))));
      await journal.close();
      return seen.exchanges;
    };
    const [partial, whole] = [await up(false), await up(true)];
    expect(partial).toBeLessThanOrEqual(whole + 1);
  });
}
