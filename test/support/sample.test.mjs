import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { filesUnder } from "../../scripts/test-files.mjs";
import { NOT_TODAY } from "../../scripts/vitest-summary.mjs";

afterEach(() => vi.unstubAllEnvs());

const table = rows =>
  Array.from({ length: rows }, (_, nth) => ({ type: "test", mode: "run", name: `row ${nth}`, result: undefined }));
const run = tasks => tasks.filter(({ mode }) => mode === "run").map(({ name }) => name);

/** What that day's sample of a file with these tests runs. */
async function today(day, name, tasks) {
  vi.stubEnv("DOCSIGN_TEST_SAMPLE", day);
  vi.resetModules();
  const { leaveOut } = await import("./sample.js");
  leaveOut({ type: "suite", name, tasks });
  return run(tasks);
}

it("runs an eighth of a large table, another part each day, and each row within some days", async () => {
  const days = [];
  for (let day = 1; day <= 60; day++)
    days.push(await today(`${20260100 + day}`, "test/lifecycle/guard.test.ts", table(40)));
  expect(days.map(rows => rows.length)).toEqual(Array(60).fill(5));
  expect(days[1]).not.toEqual(days[0]);
  expect(new Set(days.flat()).size).toBe(40);
});

it("runs one at least of each group, and says of the others why not", async () => {
  const [outer, inner] = [table(3), table(2)];
  await today("20260101", "test/hostile/templates.test.ts", [...outer, { type: "suite", name: "inner", tasks: inner }]);
  expect([run(outer).length, run(inner).length]).toEqual([1, 1]);
  expect(outer.find(({ mode }) => mode === "skip").result).toEqual({ state: "skip", note: NOT_TODAY });
});

it("runs all of a file that isn't large, and of the large ones each exists", async () => {
  expect(await today("20260101", "test/client/bodies.test.ts", table(40))).toHaveLength(40);
  const { LARGE } = await import("./sample.js");
  const files = filesUnder(join(import.meta.dirname, "..", ".."));
  expect(LARGE.filter(name => !files.includes(`test/${name}.test.ts`))).toEqual([]);
});
