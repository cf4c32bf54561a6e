import { setTimeout as sleep } from "node:timers/promises";

export interface Clock {
  /** Milliseconds since 1970, by this machine. */
  now(): number;
  /** Resolves after that long; rejects at once when the signal is aborted. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  wait: async (ms, signal) => {
    await sleep(ms, undefined, signal ? { signal } : {});
  },
};
