import { describe, expect, test } from "vitest";
import { dialects, type NamedDialect } from "../support/independent-service/index.js";
import { daily, isSample } from "../support/sample.js";
import { knownFailures } from "./known-failures.js";
import { page } from "./page.js";
import { type FrontEnd, frontEnds, play, type Result } from "./story.js";

const plays = new Map<string, Promise<Result[]>>();

function played(dialect: NamedDialect, frontEnd: FrontEnd): Promise<Result[]> {
  const key = `${frontEnd} ${dialect.name}`;
  const known = plays.get(key) ?? play(dialect, frontEnd);
  plays.set(key, known);
  return known;
}

const brokenIn = (results: readonly Result[]): string[] =>
  results.flatMap(({ step, broken }) => broken.map(what => `${step}: ${what}`));

const whyOf = ({ name }: NamedDialect): string | undefined =>
  knownFailures.find(({ dialect }) => dialect === name)?.why;

describe.each(frontEnds)("through the %s, at a service that answers one point differently,", frontEnd => {
  const sound = dialects.filter(each => whyOf(each) === undefined);
  test.each(daily(sound, 3, ({ name }) => `${frontEnd}\u0000${name}`))(
    "$name: nothing is sent twice, replaced once signed, mistaken or forgotten",
    async dialect => {
      expect(brokenIn(await played(dialect, frontEnd))).toEqual([]);
    },
  );

  const unsound = dialects.filter(each => whyOf(each) !== undefined);
  test.each(daily(unsound, 1, ({ name }) => `${frontEnd}\u0000${name}`))("$name: fails, as known", async dialect => {
    expect(brokenIn(await played(dialect, frontEnd)), "it holds now: take it out of known-failures.ts").not.toEqual([]);
  });
});

test("every known failure names a dialect", () => {
  const names = dialects.map(({ name }) => name);
  expect(knownFailures.filter(({ dialect }) => !names.includes(dialect))).toEqual([]);
});

/** `npm test -- test/dialects -u` writes it. */
test.each(isSample ? [] : ["docs/explained/dialects.md"])("%s says what these runs came to", async path => {
  const sound = dialects.filter(each => whyOf(each) === undefined);
  const results = [];
  for (const each of sound) results.push({ dialect: each.name, results: await played(each, "plugin") });
  await expect(page(results)).toMatchFileSnapshot(`../../${path}`);
});
