import { type LockOptions, SILENT, tryLock } from "../../scripts/setup/lock.mjs";

/** One watcher for a memory: two would ask twice as often, and wake everybody twice. */
export function lock(path: string, options: LockOptions): Disposable {
  const { lock: taken, holder } = tryLock(path, options);
  if (taken) return { [Symbol.dispose]: () => taken.release() };
  throw new Error(
    `expected to be the only watcher of its memory, got process ${holder.pid} on ${holder.host} (${path}.lock). ` +
      `One that has ended without a word, on another machine or in another container, is taken over from after ${SILENT / 1000} seconds.`,
  );
}
