import { describe, expect, test } from "vitest";
import { dialects, type NamedDialect } from "../support/independent-service/index.js";
import { daily, isSample } from "../support/sample.js";
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

describe.each(frontEnds)("through the %s, at a service that answers one point differently,", frontEnd => {
  test.each(daily(dialects, 3, ({ name }) => `${frontEnd}\u0000${name}`))(
    "$name: nothing is sent twice, replaced once signed, mistaken or forgotten",
    async dialect => {
      expect(brokenIn(await played(dialect, frontEnd))).toEqual([]);
    },
  );
});

/** `npm test -- test/dialects -u` writes it. */
test.each(isSample ? [] : ["docs/explained/dialects.md"])("%s says what these runs came to", async path => {
  const results = [];
  for (const each of dialects) results.push({ dialect: each.name, results: await played(each, "plugin") });
  await expect(page(results)).toMatchFileSnapshot(`../../${path}`);
});
