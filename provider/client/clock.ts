import { setTimeout as sleep } from "node:timers/promises";

export interface Clock {
  now(): number;
  /** Rejects when the signal is aborted. */
  wait(ms: number, signal?: AbortSignal | undefined): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  wait: async (ms, signal) => {
    await sleep(ms, undefined, signal ? { signal } : {});
  },
};
