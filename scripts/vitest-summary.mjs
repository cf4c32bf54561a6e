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
  const summary = { passed: 0, failed: unhandledErrors.length, skipped: 0, skips: [] };
  for (const module of modules) {
    summary.failed += module.errors().length;
    for (const suite of module.children.allSuites()) summary.failed += suite.errors().length;
    for (const test of module.children.allTests()) {
      const { state, note } = test.result();
      if (state === "passed") summary.passed++;
      else if (state === "failed") summary.failed++;
      else {
        summary.skipped++;
        const path = relative(process.cwd(), module.moduleId);
        summary.skips.push({ test: `${path} > ${test.fullName}`, reason: note ?? engineMissing(path, env) });
      }
    }
  }
  return summary;
}

/** Engine tests are skipped as whole suites, where vitest carries no note. */
function engineMissing(path, env) {
  return path.endsWith(".engine.test.ts") ? env.DOCSIGN_TEST_ENGINE_MISSING : undefined;
}

/** The text that ends a run: what was skipped and why, grouped by reason, then the one line of counts. */
export function summaryText({ passed, failed, skipped, skips }) {
  const reasons = new Map();
  for (const { test, reason = "no reason given" } of skips) {
    reasons.set(reason, [...(reasons.get(reason) ?? []), test]);
  }
  const lines = [...reasons].flatMap(([reason, tests]) => [`skipped (${reason}):`, ...tests.map(test => `  ${test}`)]);
  return [...lines, `${passed} passed, ${failed} failed, ${skipped} skipped`].join("\n");
}
