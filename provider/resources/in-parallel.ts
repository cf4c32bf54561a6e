import { Turns } from "../core/turns.js";

/** Works on `limit` items at a time. Answers in the items' order; after a failure nothing new is begun. */
export async function inParallel<T, R>(
  limit: number,
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
  signal?: AbortSignal,
): Promise<R[]> {
  const results: R[] = [];
  const turns = new Turns(signal);
  let next = 0;
  const worker = async () => {
    try {
      while (next < items.length) {
        const index = next++;
        results[index] = await work(items[index] as T, index);
        const others = turns.next();
        if (others) await others;
      }
    } catch (error) {
      next = items.length;
      throw error;
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}
