import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { afterAnotherRun, NOT_TODAY, summarize, summaryText } from "../../scripts/vitest-summary.mjs";
import { scratch } from "./scratch.mjs";

const root = join(import.meta.dirname, "..", "..");

it("counts a real run: failures of tests, files and hooks, and skips with their reasons", async () => {
  const file = join(scratch(), "summary.json");
  const args = ["run", "--root", join(import.meta.dirname, "fixtures", "summary")];
  const reporter = `--reporter=${join(root, "scripts", "vitest-summary.mjs")}`;
  await new Promise(resolve => {
    const env = { ...process.env, DOCSIGN_TEST_SUMMARY: file, VITEST: undefined };
    execFile(
      process.execPath,
      [join(root, "node_modules", "vitest", "vitest.mjs"), ...args, reporter],
      { env },
      resolve,
    );
  });
  const summary = JSON.parse(readFileSync(file, "utf8"));
  expect(summary).toMatchObject({ passed: 2, failed: 3, skipped: 2 });
  expect(summary.skips.map(({ test, reason }) => [test.split(" > ").at(-1), reason])).toEqual([
    ["is skipped with a note", "no printer here"],
    ["is skipped without a reason", undefined],
  ]);
});

it("ends with the line of counts, after the skipped tests grouped by reason", () => {
  const skips = [
    { test: "a.test.ts > one", reason: "no engine" },
    { test: "b.test.ts > two" },
    { test: "c.test.ts > three", reason: "no engine" },
  ];
  expect(summaryText({ passed: 412, failed: 0, skipped: 3, skips }).split("\n")).toEqual([
    "skipped (no engine):",
    "  a.test.ts > one",
    "  c.test.ts > three",
    "skipped (no reason given):",
    "  b.test.ts > two",
    "412 passed, 0 failed, 3 skipped",
  ]);
});

/** A file as vitest reports it, with one test in it that was skipped as part of its suite. */
const skippedIn = moduleId => ({
  moduleId,
  errors: () => [],
  diagnostic: () => ({ duration: 7_000 }),
  children: {
    allSuites: () => [],
    allTests: () => [
      { fullName: "a stack comes up", result: () => ({ state: "skipped" }), diagnostic: () => undefined },
    ],
  },
});

it("an engine test without an engine says why there is none", () => {
  const env = { DOCSIGN_TEST_ENGINE_MISSING: "Go is missing" };
  const reasons = ["test/up.engine.test.ts", "test/other.test.ts"].map(
    file => summarize([skippedIn(join(process.cwd(), file))], [], env).skips[0].reason,
  );
  expect(reasons).toEqual(["Go is missing", undefined]);
});

it("an error outside of any test is a failure", () => {
  expect(summarize([], [new Error("late")])).toEqual({
    ...{ passed: 0, failed: 1, skipped: 0, leftOut: 0 },
    ...{ failedFiles: {}, skips: [], slowest: [], took: {} },
  });
});

it("what a sample leaves to other days is counted, and isn't skipped", () => {
  const skipped = skippedIn(join(process.cwd(), "test/a.test.ts"));
  const [test] = skipped.children.allTests();
  skipped.children.allTests = () => [{ ...test, result: () => ({ state: "skipped", note: NOT_TODAY }) }];
  const summary = summarize([skipped]);
  expect(summary).toMatchObject({ passed: 0, failed: 0, skipped: 0, leftOut: 1, skips: [] });
  expect(summaryText(summary).split("\n")).toEqual([
    "left to other days: 1 of the tables' tests",
    "0 passed, 0 failed, 0 skipped",
  ]);
});

/** A file with tests that took so many milliseconds each. */
const timedIn = durations => ({
  ...skippedIn(join(process.cwd(), "test/a.test.ts")),
  children: {
    allSuites: () => [],
    allTests: () =>
      durations.map(duration => ({
        fullName: `takes ${duration}`,
        result: () => ({ state: "passed" }),
        diagnostic: () => ({ duration }),
      })),
  },
});

it("names the ten slowest, slowest first, where they take seconds", () => {
  const slow = Array.from({ length: 12 }, (_, nth) => 6_000 + nth * 1_000);
  const { slowest, took } = summarize([timedIn([4_000, ...slow])]);
  expect(took).toEqual({ "test/a.test.ts": 7_000 });
  expect(slowest.map(({ milliseconds }) => milliseconds)).toEqual(slow.toReversed().slice(0, 10));
  const lines = summaryText({ passed: 13, failed: 0, skipped: 0, skips: [], slowest }).split("\n");
  expect(lines.slice(0, 2)).toEqual(["slowest:", "   17.0 s  test/a.test.ts > takes 17000"]);
  expect(lines).toHaveLength(12);
  const quick = summarize([timedIn([4_000])]).slowest;
  expect(summaryText({ passed: 1, failed: 0, skipped: 0, skips: [], slowest: quick })).toBe(
    "1 passed, 0 failed, 0 skipped",
  );
});

/** A file as vitest reports it, with tests that ended so. */
const fileOf = (path, ...states) => ({
  moduleId: join(process.cwd(), path),
  errors: () => [],
  diagnostic: () => ({ duration: 100 }),
  children: {
    allSuites: () => [],
    allTests: () =>
      states.map((state, nth) => ({ fullName: `${nth}`, result: () => ({ state }), diagnostic: () => {} })),
  },
});

it("a file that fails and then passes counts as passed and is named; one that fails again counts as failed", () => {
  const first = summarize([
    fileOf("a.test.ts", "passed", "failed"),
    // Once with each engine.
    fileOf("b.test.ts", "passed", "skipped"),
    fileOf("b.test.ts", "failed", "passed"),
    fileOf("c.test.ts", "passed"),
  ]);
  expect(first.failedFiles).toEqual({
    "a.test.ts": { passed: 1, failed: 1, skipped: 0 },
    "b.test.ts": { passed: 2, failed: 1, skipped: 1 },
  });

  const again = summarize([
    fileOf("a.test.ts", "passed", "passed"),
    fileOf("b.test.ts", "passed", "skipped"),
    fileOf("b.test.ts", "failed", "passed"),
  ]);
  const sum = afterAnotherRun(first, again);
  expect(sum).toMatchObject({ passed: 5, failed: 1, skipped: 1, unsteady: ["a.test.ts"] });
  expect(summaryText(sum).split("\n").slice(-3)).toEqual([
    "failed at first, and passed when they were run again by themselves:",
    "  a.test.ts",
    "5 passed, 1 failed, 1 skipped",
  ]);
});

it("an error that belongs to no file stays a failure after the second run", () => {
  const first = summarize([fileOf("a.test.ts", "failed")], [new Error("late")]);
  expect(afterAnotherRun(first, summarize([fileOf("a.test.ts", "passed")]))).toMatchObject({ passed: 1, failed: 1 });
});
