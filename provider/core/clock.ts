import { uptime } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

export interface Clock {
  /** Milliseconds since 1970, by this machine. */
  now(): number;
  /** When this machine was started, by that clock: another moment once it is set, and on any other machine. */
  startedUp(): number;
  /** Resolves after that long; rejects at once when the signal is aborted. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  startedUp: () => Date.now() - uptime() * 1000,
  wait: async (ms, signal) => {
    await sleep(ms, undefined, signal ? { signal } : {});
  },
};
