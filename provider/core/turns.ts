import { setImmediate } from "node:timers/promises";

/** Nobody keeps the processor longer at a time: a Cancel that has come is heard then. */
const LONGEST_MS = 50;

/** For work that waits for nothing by itself: lets everybody else have a turn in between, and ends where it was cancelled. */
export class Turns {
  #since = performance.now();
  #others: Promise<void> | undefined;

  constructor(private readonly signal?: AbortSignal) {}

  /** Undefined while it's still one's own turn: nothing has to be waited for then. */
  next(): Promise<void> | undefined {
    if (performance.now() - this.#since < LONGEST_MS) return undefined;
    this.#others ??= setImmediate().then(() => {
      this.#others = undefined;
      this.#since = performance.now();
      this.signal?.throwIfAborted();
    });
    return this.#others;
  }

  /** Takes the steps of such work, one after another. */
  async take<R>(steps: Iterator<void, R>): Promise<R> {
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      const others = this.next();
      if (others) await others;
    }
  }
}

/** The same work at once, where nobody else waits. */
export function atOnce<R>(steps: Iterator<void, R>): R {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

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
