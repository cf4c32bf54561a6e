import fc from "fast-check";
import { seedFrom } from "../support/independent-service/chance.js";
import { type Departure, departures } from "../support/independent-service/index.js";
import { type FrontEnd, frontEnds } from "./story.js";

export interface Pair {
  readonly departure: Departure;
  readonly frontEnd: FrontEnd;
  readonly name: string;
}

/** `DOCSIGN_TEST_DIALECTS=all` plays every departure at both front ends, which takes minutes. */
const wanted = process.env["DOCSIGN_TEST_DIALECTS"] ?? "some";
if (!["some", "all"].includes(wanted))
  throw new Error(`DOCSIGN_TEST_DIALECTS: expected all, or some, got ${JSON.stringify(wanted)}`);

/** So many pairs of a departure and a front end, others for another seed (`DOCSIGN_TEST_SEED`). */
export function sample(topic: string, size: number): readonly Pair[] {
  const seed = fc.readConfigureGlobal().seed ?? 1;
  const pairs = departures.flatMap(departure =>
    frontEnds.map(frontEnd => ({ departure, frontEnd, name: `${departure.name}, through the ${frontEnd}` })),
  );
  if (wanted === "all") return pairs;
  const place = ({ name }: Pair): number => seedFrom(seed, topic, name);
  return pairs.toSorted((a, b) => place(a) - place(b)).slice(0, size);
}
