import fc from "fast-check";
import { seedFrom } from "./independent-service/chance.js";

/** So many of these, others for another seed (`DOCSIGN_TEST_SEED`). */
export function sample<Item>(items: readonly Item[], size: number, nameOf: (item: Item) => string): readonly Item[] {
  const seed = fc.readConfigureGlobal().seed ?? 1;
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
