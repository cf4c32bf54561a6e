import { type RunnerTestCase, type RunnerTestFile, TestRunner } from "vitest";
import { isSample, leaveOut } from "./sample.js";
import { watchSilence } from "./silence.js";

/** Vitest's own, with a limit on silence in place of its limit on duration, and samples. */
export default class PatientRunner extends TestRunner {
  onCollected(files: readonly RunnerTestFile[]): void {
    if (isSample) files.forEach(leaveOut);
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    const watch = watchSilence(test.name);
    try {
      await Promise.race([TestRunner.getTestFn(test)(), watch.silent]);
    } finally {
      watch.stop();
    }
  }
}
