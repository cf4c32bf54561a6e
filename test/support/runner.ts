import { type RunnerTestCase, TestRunner } from "vitest";
import { watchSilence } from "./silence.js";

/** Vitest's own, with a limit on silence in place of its limit on duration. */
export default class PatientRunner extends TestRunner {
  async runTask(test: RunnerTestCase): Promise<void> {
    const watch = watchSilence(test.name);
    try {
      await Promise.race([TestRunner.getTestFn(test)(), watch.silent]);
    } finally {
      watch.stop();
    }
  }
}
