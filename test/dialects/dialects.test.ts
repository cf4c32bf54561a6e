import { describe, expect, test } from "vitest";
import { type Departure, departures } from "../support/independent-service/index.js";
import { daily, isSample } from "../support/sample.js";
import { knownFailures } from "./known-failures.js";
import { page } from "./page.js";
import { type FrontEnd, frontEnds, play, type Result } from "./story.js";

const plays = new Map<string, Promise<Result[]>>();

function played(departure: Departure, frontEnd: FrontEnd): Promise<Result[]> {
  const key = `${frontEnd} ${departure.name}`;
  const known = plays.get(key) ?? play(departure, frontEnd);
  plays.set(key, known);
  return known;
}

const brokenIn = (results: readonly Result[]): string[] =>
  results.flatMap(({ step, broken }) => broken.map(what => `${step}: ${what}`));

const whyOf = ({ name }: Departure): string | undefined =>
  knownFailures.find(({ departure }) => departure === name)?.why;

describe.each(frontEnds)("through the %s, at a service that departs in one point,", frontEnd => {
  const sound = departures.filter(each => whyOf(each) === undefined);
  test.each(daily(sound, 3, ({ name }) => `${frontEnd}\u0000${name}`))(
    "$name: nothing is sent twice, replaced once signed, mistaken or forgotten",
    async departure => {
      expect(brokenIn(await played(departure, frontEnd))).toEqual([]);
    },
  );

  const unsound = departures.filter(each => whyOf(each) !== undefined);
  test.each(daily(unsound, 1, ({ name }) => `${frontEnd}\u0000${name}`))("$name: fails, as known", async departure => {
    expect(brokenIn(await played(departure, frontEnd)), "it holds now: take it out of known-failures.ts").not.toEqual(
      [],
    );
  });
});

test("every known failure names a departure", () => {
  const names = departures.map(({ name }) => name);
  expect(knownFailures.filter(({ departure }) => !names.includes(departure))).toEqual([]);
});

/** `npm test -- test/dialects -u` writes it. */
test.each(isSample ? [] : ["docs/explained/dialects.md"])("%s says what these runs came to", async path => {
  const sound = departures.filter(each => whyOf(each) === undefined);
  const results = [];
  for (const each of sound) results.push({ departure: each.name, results: await played(each, "plugin") });
  await expect(page(results)).toMatchFileSnapshot(`../../${path}`);
});
