import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { daily, isSample } from "../support/sample.js";
import type { Violation } from "./judge.js";
import { defectOf, KNOWN_DEFECTS } from "./known-defects.js";
import { live, shrunk } from "./live.js";
import { FRONT_ENDS, type History, historyOf } from "./steps.js";
import { STORIES } from "./stories.js";

/** So many random histories; `DOCSIGN_TEST_HISTORIES=1000` for more. */
const RUNS = Number(process.env["DOCSIGN_TEST_HISTORIES"] ?? (isSample ? 2 : 12));
const STEPS = 20;

beforeAll(() => {
  for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) vi.stubEnv(name, "docsign");
});
afterAll(() => void vi.unstubAllEnvs());

describe.each(FRONT_ENDS)("through the %s", frontEnd => {
  test.each(daily(Object.entries(STORIES), 5, ([name]) => `${frontEnd}\u0000${name}`))(
    "%s: each up does what the promises say",
    async (_, story) => {
      const { violation, known, story: told } = await live({ ...story, frontEnd }, defectOf);
      expect(violation && [...told, JSON.stringify(violation)].join("\n")).toBeUndefined();
      const { defects = [], pluginAlone = [] } = story;
      // One that is mended is taken off the story.
      expect([...known].toSorted()).toEqual([...defects, ...(frontEnd === "plugin" ? pluginAlone : [])].toSorted());
    },
  );
});

test("each known defect is told by a story", () => {
  const told = Object.values(STORIES).flatMap(({ defects = [], pluginAlone = [] }) => [...defects, ...pluginAlone]);
  expect([...new Set(told)].toSorted()).toEqual(Object.keys(KNOWN_DEFECTS).toSorted());
});

test("whatever people do to their programs, nobody is mailed twice, nothing signed is replaced, and nothing stops for no reason", async () => {
  const first = fc.readConfigureGlobal().seed ?? 1;
  const total = { ups: 0, documents: 0, refusals: 0, takenBack: 0 };
  const found = new Map<string, string>();
  for (let seed = first; seed < first + RUNS; seed++) {
    const history = historyOf(seed, STEPS);
    const { violation, figures } = await live(history, defectOf);
    for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += figures[key];
    if (!violation) continue;
    const key = [violation.kind, violation.of, violation.rule].join(", ");
    if (!found.has(key)) found.set(key, await told(seed, history, violation));
  }
  if (RUNS > 100) console.log(`${RUNS} histories of ${STEPS} steps from seed ${first}: ${JSON.stringify(total)}`);
  expect([...found].map(([key, story]) => `${key}\n${story}`).join("\n\n")).toBe("");
});

/** The seed, and the least that still goes wrong: a story to be. */
async function told(seed: number, history: History, violation: Violation): Promise<string> {
  const least = await shrunk(history, violation, defectOf);
  const { story, violation: still } = await live(least, defectOf);
  return [
    `DOCSIGN_TEST_SEED=${seed} DOCSIGN_TEST_HISTORIES=1 npm test -- test/histories`,
    JSON.stringify(least),
    ...story,
    `${still?.kind}: ${still?.what}`,
  ].join("\n");
}
