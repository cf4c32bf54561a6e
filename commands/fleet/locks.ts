import type { Holder } from "./leases.js";

/** Who locked a stack, as the engine says it. */
export interface EngineLock {
  readonly user: string;
  readonly host: string;
  readonly pid: number;
}

const LOCKED = /the stack is currently locked by \d+ lock/;
const LOCK = /created by (\S*)@([^\s@]+) \(pid (\d+)\)/g;

/** The locks that an engine's error names; undefined where it is about something else. */
export function locksIn(message: string): readonly EngineLock[] | undefined {
  if (!LOCKED.test(message)) return undefined;
  return [...message.matchAll(LOCK)].map(([, user = "", host = "", pid]) => ({ user, host, pid: Number(pid) }));
}

/** Whether each of the locks is an engine's whose worker's lease is over. What the leases don't name, they don't prove. */
export const areProvenGone = (locks: readonly EngineLock[], gone: readonly Holder[]): boolean =>
  locks.length > 0 &&
  locks.every(lock => gone.some(({ host, engines }) => host === lock.host && engines.includes(lock.pid)));
