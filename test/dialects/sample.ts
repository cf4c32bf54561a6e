import { dialects, type NamedDialect } from "../support/independent-service/index.js";
import { isSample, sample as sampleOf, wantsAll } from "../support/sample.js";
import { type FrontEnd, frontEnds } from "./story.js";

export interface Pair {
  readonly dialect: NamedDialect;
  readonly frontEnd: FrontEnd;
  readonly name: string;
}

/** `DOCSIGN_TEST_DIALECTS=all` plays every dialect at both front ends, which takes minutes. */
const all = wantsAll("DOCSIGN_TEST_DIALECTS");

/** So many pairs of a dialect and a front end. */
export function sample(topic: string, size: number): readonly Pair[] {
  const pairs = dialects.flatMap(dialect =>
    frontEnds.map(frontEnd => ({ dialect, frontEnd, name: `${dialect.name}, through the ${frontEnd}` })),
  );
  return all ? pairs : sampleOf(pairs, isSample ? 1 : size, ({ name }) => `${topic}\u0000${name}`);
}
