import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { lossesIn, regressionsOf, regressionText } from "../../scripts/bench/report/regressions.mjs";

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

const rounds = (walls, other, rival) =>
  walls.flatMap((wall, round) => [
    { contender: other, round, phases: { up: { status: "ok", wall } } },
    { contender: rival, round, phases: { up: { status: "ok", wall: 10 } } },
  ]);

it("compares sets with the bare loop, and a thousand documents with OpenTofu at as many at a time", () => {
  const scene = (set, ten, more) => ({
    cells: [],
    set: { cells: [{ count: 1000, size: 150_000, latency: 50, rounds: rounds(set, "set-table", "loop") }] },
    many: {
      ...{ count: 1000, size: 20_000, latency: 50 },
      rounds: [...rounds(ten, "without-10", "tofu-10"), ...rounds(more, "without-32", "tofu-32")],
    },
  });
  const committed = scene([12, 13, 14], [9, 10, 11], [9, 9, 9]);
  expect(regressionsOf(committed, committed)).toEqual([]);
  expect(regressionsOf(committed, scene([14, 15, 16], [11, 12, 13], [10, 10, 10])).map(regressionText)).toEqual([
    "1000 × 150 KB, 50 ms: up of set-table takes 1.50 of the bare loop's time; 1.30 is committed, and the noise is 8 %",
    "1000 × 20 KB, 50 ms: up of without-10 takes 1.20 of OpenTofu's time; 1.00 is committed, and the noise is 10 %",
    "1000 × 20 KB, 50 ms: up of without-32 takes 1.00 of OpenTofu's time; 0.90 is committed, and the noise is 5 %",
  ]);
  expect(regressionsOf({ cells: [] }, committed)).toEqual([]);
});

it("what failed is worse than any committed figure", () => {
  const committed = results(cell([5, 5, 5]));
  const failed = results(cell([5, 5, 5]));
  failed.cells[0].rounds[2].phases.up = { status: "failed", reason: "refused" };
  expect(regressionsOf(committed, failed).map(regressionText)).toEqual([
    "100 × 150 KB, 50 ms: up of plugin-yaml failed; 0.50 of OpenTofu's time is committed",
  ]);
});

it("compares processor time, which shows what the wall's hides on a busy machine", () => {
  const scene = (walls, cpu) => {
    const so = cell(walls);
    for (const { contender, phases } of so.rounds) phases.up.cpu = contender === "tofu" ? 10 : cpu;
    return results(so);
  };
  expect(regressionsOf(scene([5, 9, 14], 6), scene([5, 9, 14], 6.2))).toEqual([]);
  expect(regressionsOf(scene([5, 9, 14], 6), scene([5, 9, 14], 6.6)).map(regressionText)).toEqual([
    "100 × 150 KB, 50 ms: up of plugin-yaml takes 0.66 of OpenTofu's processor time; 0.60 is committed, and the noise is 5 %",
  ]);
});

it("each committed table fails where ours takes half as much again of a processor", () => {
  const path = join(import.meta.dirname, "..", "..", "docs", "bench", "results.json");
  const committed = JSON.parse(readFileSync(path, "utf8"));
  const slower = structuredClone(committed);
  const rivals = ["tofu", "loop", "tofu-10", "tofu-32"];
  for (const { rounds } of [...slower.cells, ...slower.set.cells, slower.many])
    for (const { contender, phases } of rounds)
      for (const phase of rivals.includes(contender) ? [] : Object.values(phases)) phase.cpu *= 1.5;
  expect(regressionsOf(committed, committed)).toEqual([]);
  const found = regressionsOf(committed, slower).filter(({ phase }) => phase === "up");
  expect([...new Set(found.map(({ contender }) => contender))].sort()).toEqual([
    "default",
    "plugin-ts",
    "plugin-yaml",
    "sdk-ts",
    "set-pdfs",
    "set-table",
    "without-10",
    "without-32",
  ]);
});

it("reports a kill after which the service has more or fewer documents than rows, or one twice", () => {
  const kill = (before, documents, names) => ({ contender: "default", before, documents, names });
  const kills = [kill(501, 1000, 1000), kill(502, 1001, 1000), kill(503, 1000, 999), kill(504, 999, 999)];
  expect(lossesIn({ many: { count: 1000, kills } })).toEqual([
    "default, killed after 502 creates: expected 1000 documents, got 1001 with 1000 names",
    "default, killed after 503 creates: expected 1000 documents, got 1000 with 999 names",
    "default, killed after 504 creates: expected 1000 documents, got 999 with 999 names",
  ]);
  expect(lossesIn({ cells: [] })).toEqual([]);
});
