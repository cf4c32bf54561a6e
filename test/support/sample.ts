import fc from "fast-check";
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
