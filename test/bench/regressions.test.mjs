import { expect, it } from "vitest";
import { regressionsOf, regressionText } from "../../bench/report/regressions.mjs";

/** Rounds of our plugin and of OpenTofu, which takes ten seconds. */
const cell = (ups, size = 150_000) => ({
  count: 100,
  size,
  latency: 50,
  rounds: ups.flatMap((up, round) => [
    { contender: "plugin-yaml", round, phases: { up: { status: "ok", wall: up }, preview: { status: "failed" } } },
    { contender: "tofu", round, phases: { up: { status: "ok", wall: 10 }, preview: { status: "ok", wall: 10 } } },
  ]),
});
const results = (...cells) => ({ cells });

it.each([
  ["as fast as committed", [5, 5, 5], [5, 5, 5], 0],
  ["faster", [5, 5, 5], [3, 3, 3], 0],
  ["slower by less than the committed noise", [4, 5, 6], [5.9, 5.9, 5.9], 0],
  ["slower by less than its own noise", [5, 5, 5], [4.6, 5.6, 6.9], 0],
  ["slower by more than both", [4.8, 5, 5.2], [5.9, 6, 6.1], 1],
])("%s", (_, was, is, count) => {
  expect(regressionsOf(results(cell(was)), results(cell(is)))).toHaveLength(count);
});

it("takes a single round's noise from the key cell, and leaves out what isn't in both", () => {
  const committed = results(cell([4, 5, 6]), cell([5], 20_000));
  expect(regressionsOf(committed, results(cell([5.9], 20_000)))).toEqual([]);
  expect(regressionsOf(committed, results(cell([6.1], 20_000))).map(regressionText)).toEqual([
    "100 × 20 KB, 50 ms: up of plugin-yaml takes 0.61 of OpenTofu's time; 0.50 is committed, and the noise is 20 %",
  ]);
  expect(regressionsOf(results(), results(cell([9])))).toEqual([]);
});
