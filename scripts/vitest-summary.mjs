// A vitest reporter that counts, and says why what was skipped was skipped. It writes to a file, because the last line
// of `npm test` must be ours, after everything vitest itself still prints.
import { writeFileSync } from "node:fs";
import { relative } from "node:path";

export default class VitestSummary {
  onTestRunEnd(modules, unhandledErrors) {
    const file = process.env.DOCSIGN_TEST_SUMMARY;
    if (file) writeFileSync(file, JSON.stringify(summarize(modules, unhandledErrors)));
  }
}

/** Counts of a run. A file that can't be loaded, a hook that throws and an error outside any test are failures too. */
export function summarize(modules, unhandledErrors = [], env = process.env) {
  const summary = { passed: 0, failed: unhandledErrors.length, skipped: 0, skips: [], slowest: [] };
  const timed = [];
  for (const module of modules) {
    summary.failed += module.errors().length;
    for (const suite of module.children.allSuites()) summary.failed += suite.errors().length;
    for (const test of module.children.allTests()) {
      const { state, note } = test.result();
      const path = relative(process.cwd(), module.moduleId);
      const name = `${path} > ${test.fullName}`;
      timed.push({ test: name, milliseconds: Math.round(test.diagnostic()?.duration ?? 0) });
      if (state === "passed") summary.passed++;
      else if (state === "failed") summary.failed++;
      else {
        summary.skipped++;
        summary.skips.push({ test: name, reason: note ?? missingFor(path, env) });
      }
    }
  }
  summary.slowest = timed.sort((a, b) => b.milliseconds - a.milliseconds).slice(0, 10);
  return summary;
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
export function summaryText({ passed, failed, skipped, skips, slowest = [] }) {
  const reasons = new Map();
  for (const { test, reason = "no reason given" } of skips) {
    reasons.set(reason, [...(reasons.get(reason) ?? []), test]);
  }
  const lines = [...reasons].flatMap(([reason, tests]) => [`skipped (${reason}):`, ...tests.map(test => `  ${test}`)]);
  const slow = slowest.filter(({ milliseconds }) => milliseconds >= SLOW);
  const seconds = milliseconds => `${(milliseconds / 1000).toFixed(1)} s`.padStart(9);
  if (slow.length > 0)
    lines.unshift("slowest:", ...slow.map(({ test, milliseconds }) => `${seconds(milliseconds)}  ${test}`));
  return [...lines, `${passed} passed, ${failed} failed, ${skipped} skipped`].join("\n");
}
