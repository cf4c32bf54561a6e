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

// ---- Days ----

export const DAY_MS = 86_400_000;

/** The day at a moment, in UTC: `2027-03-01`. */
export const dateOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);
export const dayAfter = (day: string, days: number): string => dateOf(Date.parse(day) + days * DAY_MS);

/** Whether the calendar has it: `Date.parse` takes 30 February for 2 March. */
export const isDay = (given: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(given) && !Number.isNaN(Date.parse(given)) && dateOf(Date.parse(given)) === given;
