import fc from "fast-check";
import { describe, test } from "vitest";
import "../support/properties.js";
import { call, ManyStacks, write } from "./support/many-stacks.js";
import { MemoryTable } from "./support/memory-table.js";

/** Some moments with calls one after another, and then some at once. */
const rounds = fc.array(fc.tuple(fc.array(call, { maxLength: 6 }), fc.array(write, { maxLength: 5 })), {
  maxLength: 5,
});
/** More for a search: DOCSIGN_TEST_RUNS=5000. */
const runs = (count: number) => ({ numRuns: Number(process.env["DOCSIGN_TEST_RUNS"] ?? count) });

describe("a process that reads its own stack's lines, among others", () => {
  test("answers as one that reads all lines, whatever was called before", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 40 }), async calls => {
        const table = new MemoryTable();
        const stacks = new ManyStacks(() => table);
        for (const each of calls) await stacks.run(each);
        await stacks.end();
      }),
      runs(300),
    );
  });

  test("answers as one that reads all lines, whatever was called at the same moment, in any order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), rounds, async (scheduler, all) => {
        const table = new MemoryTable();
        const turn = () => scheduler.schedule(Promise.resolve());
        const stacks = new ManyStacks(() => table, turn);
        const done = (async () => {
          for (const [calls, together] of all) {
            for (const each of calls) await stacks.run(each);
            await stacks.runTogether(together);
          }
          await stacks.end();
        })();
        await scheduler.waitFor(done);
      }),
      runs(200),
    );
  });
});
