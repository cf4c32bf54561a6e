import { Turns } from "../core/turns.js";

/** Works on `limit` items at a time. Answers in the items' order; after a failure nothing new is begun. */
export async function inParallel<T, R>(
  limit: number,
  items: readonly T[],
  work: (item: T) => Promise<R>,
  signal?: AbortSignal,
): Promise<R[]> {
  const results: R[] = [];
  const turns = new Turns(signal);
  // Shared by all workers: whoever throws out of its loop closes the generator for the others.
  const waiting = (function* () {
    yield* items.entries();
  })();
  const worker = async () => {
    for (const [index, item] of waiting) {
      results[index] = await work(item);
      const others = turns.next();
      if (others) await others;
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}
