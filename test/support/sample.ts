import fc from "fast-check";
import type { RunnerTestFile, RunnerTestSuite } from "vitest";
import { NOT_TODAY } from "../../scripts/vitest-summary.mjs";
import { seedFrom } from "./independent-service/chance.js";

/** Of the day, where `npm test` was asked for a sample. */
const day = process.env["DOCSIGN_TEST_SAMPLE"];

/** Whether `npm test` was started without arguments: then large tables are sampled. */
export const isSample = day !== undefined;

/** All of these, or so many each day where `npm test` was asked for a sample. */
export function daily<Item>(items: readonly Item[], size: number, nameOf: (item: Item) => string): readonly Item[] {
  return isSample ? sample(items, size, nameOf) : items;
}

/** So many of these, others each day, or for another seed (`DOCSIGN_TEST_SEED`). */
export function sample<Item>(items: readonly Item[], size: number, nameOf: (item: Item) => string): readonly Item[] {
  const seed = Number(day ?? fc.readConfigureGlobal().seed ?? 1);
  const place = (item: Item): number => seedFrom(seed, nameOf(item));
  return items.toSorted((a, b) => place(a) - place(b)).slice(0, size);
}

/** Whether a variable asks for all, where by default there is a sample. */
export function wantsAll(variable: string): boolean {
  const wanted = process.env[variable] ?? "some";
  if (!["some", "all"].includes(wanted))
    throw new Error(`${variable}: expected all, or some, got ${JSON.stringify(wanted)}`);
  return wanted === "all";
}

/** Mostly tables: each of these files takes 8 to 80 seconds of a processor as a whole. */
export const LARGE: readonly string[] = [
  ...["errors", "everyday", "forced", "killed", "renamed", "unshown", "words"].map(name => `document-set/${name}`),
  ...["chaos", "crash-scenarios", "service-reads", "single-faults"].map(name => `faults/${name}`),
  ...["foreign-keys", "templates"].map(name => `hostile/${name}`),
  ...["attacks", "circumstances", "guard", "refresh", "second-day", "walk"].map(name => `lifecycle/${name}`),
  ...["page/reach.browser", "protocol/protocol"],
];
/** The part of each `describe` in them that is tried today, and never none. */
const PART = 1 / 8;

/** Marks what a day's sample leaves out of a large file. */
export function leaveOut(file: RunnerTestFile): void {
  if (LARGE.some(name => file.name === `test/${name}.test.ts`)) leaveOutOf(file, file.name);
}

function leaveOutOf(suite: RunnerTestSuite, path: string): void {
  const tests = suite.tasks.filter(task => task.type === "test" && task.mode === "run");
  const today = new Set(sample(tests, Math.ceil(tests.length * PART), ({ name }) => path + name));
  for (const task of suite.tasks) {
    if (task.type === "suite") leaveOutOf(task, `${path}\u0000${task.name}`);
    else if (task.mode === "run" && !today.has(task)) {
      task.mode = "skip";
      // Vitest's type lacks the note that it shows.
      task.result = { state: "skip", ...{ note: NOT_TODAY } };
    }
  }
}
