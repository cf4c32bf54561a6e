import { execFile } from "node:child_process";
import { performance } from "node:perf_hooks";

/** Starts of an empty Node program that a quiet machine makes in a second. */
const STARTS = 20;
const TICK = 10;

/** How long this machine takes now to start a Node that does nothing, in milliseconds. */
export function nodeStart(): Promise<number> {
  const start = performance.now();
  return new Promise((resolve, reject) =>
    execFile(process.execPath, ["-e", "0"], error => (error ? reject(error) : resolve(performance.now() - start))),
  );
}

let usual: Promise<number> | undefined;

/**
 * What `work` gives, if it comes in time. Time in which the machine didn't let this process run doesn't count, and where
 * the promised time passes, the limit is what takes the same time on a quiet machine, measured when first needed and now.
 */
export async function within<Value>(promisedMs: number, work: () => Promise<Value>): Promise<Value> {
  usual ??= nodeStart();
  const before = await usual;
  const { value, took } = await timed(work);
  const limit = took <= promisedMs ? promisedMs : allowed(promisedMs, Math.max(before, await nodeStart()));
  if (took >= limit)
    throw new Error(`expected at most ${Math.round(limit)} ms here and now, got ${Math.round(took)} ms`);
  return value;
}

/** The promise on a machine that starts Node in so many milliseconds. */
export const allowed = (promisedMs: number, startMs: number): number =>
  Math.max(promisedMs, (startMs * STARTS * promisedMs) / 1_000);

/** Real timers, whatever a test puts in their place. */
const { setInterval, clearInterval } = globalThis;

async function timed<Value>(work: () => Promise<Value>): Promise<{ value: Value; took: number }> {
  const start = performance.now();
  let last = start;
  let held = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    held += Math.max(0, now - last - 2 * TICK);
    last = now;
  }, TICK);
  const busy = process.cpuUsage();
  try {
    const value = await work();
    const { user, system } = process.cpuUsage(busy);
    const took = performance.now() - start - held;
    return { value, took: Math.max(took, (user + system) / 1_000) };
  } finally {
    clearInterval(timer);
  }
}
