// A vitest reporter that counts, and says why what was skipped was skipped. It writes to a file, because the last line
// of `npm test` must be ours, after everything vitest itself still prints.
import { writeFileSync } from "node:fs";
import { relative } from "node:path";

/** Why a test is left out of a day's sample: what isn't asked for isn't skipped. */
export const NOT_TODAY = "another day's";

export default class VitestSummary {
  onTestRunEnd(modules, unhandledErrors) {
    const file = process.env.DOCSIGN_TEST_SUMMARY;
    if (file) writeFileSync(file, JSON.stringify(summarize(modules, unhandledErrors)));
  }
}

/** Counts of a run. A file that can't be loaded, a hook that throws and an error outside any test are failures too. */
export function summarize(modules, unhandledErrors = [], env = process.env) {
  const summary = { ...NOTHING, failed: unhandledErrors.length, skips: [], took: {} };
  const [timed, files] = [[], {}];
  for (const module of modules) {
    const path = relative(process.cwd(), module.moduleId);
    const own = { passed: 0, failed: module.errors().length, skipped: 0 };
    for (const suite of module.children.allSuites()) own.failed += suite.errors().length;
    for (const test of module.children.allTests()) {
      const { state, note } = test.result();
      const name = `${path} > ${test.fullName}`;
      timed.push({ test: name, milliseconds: Math.round(test.diagnostic()?.duration ?? 0) });
      if (state === "passed" || state === "failed") own[state]++;
      else if (note === NOT_TODAY) summary.leftOut++;
      else {
        own.skipped++;
        summary.skips.push({ test: name, reason: note ?? missingFor(path, env) });
      }
    }
    add(summary, own);
    // With older engines a file is there more than once.
    summary.took[path] ??= module.diagnostic().duration;
    files[path] ??= { ...COUNTS };
    add(files[path], own);
  }
  summary.failedFiles = Object.fromEntries(Object.entries(files).filter(([, { failed }]) => failed > 0));
  summary.slowest = timed.sort((a, b) => b.milliseconds - a.milliseconds).slice(0, 10);
  return summary;
}

const COUNTS = { passed: 0, failed: 0, skipped: 0 };
const NOTHING = { ...COUNTS, leftOut: 0, failedFiles: {}, skips: [], slowest: [] };

const add = (sum, counts, sign = 1) => {
  for (const name of Object.keys(COUNTS)) sum[name] += sign * counts[name];
};

/** The sum after the files that failed were run again: what they did at the second time counts. */
export function afterAnotherRun(first, again) {
  const sum = { ...first, failedFiles: again.failedFiles, unsteady: [] };
  for (const [path, counts] of Object.entries(first.failedFiles)) {
    add(sum, counts, -1);
    if (!again.failedFiles[path]) sum.unsteady.push(path);
  }
  add(sum, again);
  return sum;
}

/** What is skipped as a whole suite carries no note. */
const MISSING = [
  [/^test\/journal\//, "DOCSIGN_TEST_S3_SERVER_MISSING"],
  [/\/starting\.engine/, "DOCSIGN_TEST_OLDEST_NODE_MISSING"],
  [/^test\/conformance\//, "DOCSIGN_TEST_CONFORMANCE_MISSING"],
  [/\.engine\.test\.ts$/, "DOCSIGN_TEST_ENGINE_MISSING"],
];

const missingFor = (path, env) => MISSING.map(([tests, name]) => tests.test(path) && env[name]).find(Boolean);

/** Worth a list: what costs a whole run its time. */
const SLOW = 5_000;

/** The text that ends a run: the slowest tests, what was skipped and why, grouped by reason, then the one line of counts. */
export function summaryText({ passed, failed, skipped, leftOut = 0, skips, slowest = [], unsteady = [] }) {
  const reasons = new Map();
  for (const { test, reason = "no reason given" } of skips) {
    reasons.set(reason, [...(reasons.get(reason) ?? []), test]);
  }
  const lines = [...reasons].flatMap(([reason, tests]) => [`skipped (${reason}):`, ...tests.map(test => `  ${test}`)]);
  const slow = slowest.filter(({ milliseconds }) => milliseconds >= SLOW);
  const seconds = milliseconds => `${(milliseconds / 1000).toFixed(1)} s`.padStart(9);
  if (slow.length > 0)
    lines.unshift("slowest:", ...slow.map(({ test, milliseconds }) => `${seconds(milliseconds)}  ${test}`));
  if (unsteady.length > 0)
    lines.push(
      "failed at first, and passed when they were run again by themselves:",
      ...unsteady.map(file => `  ${file}`),
    );
  if (leftOut > 0) lines.push(`left to other days: ${leftOut} of the tables' tests`);
  return [...lines, `${passed} passed, ${failed} failed, ${skipped} skipped`].join("\n");
}
