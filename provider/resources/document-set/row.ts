import { CancelledError } from "../../client/errors.js";
import { Refusal } from "../refusal.js";
import type { Call, Log } from "../resource.js";
import { identityOf } from "./rows.js";

/** Rows that are worked on at a time: somewhat more than there are creates and reads in flight, as a row waits for the journal, too. */
export const AT_ONCE = 20;
/** Rows that a message names before it counts the others. */
export const MOST_NAMED = 20;

/** A row is a Document under the set's URN and its key. */
export const rowCall = (call: Call, key: string, log: Log = call.log): Call => ({
  ...call,
  log,
  urn: `${call.urn}#${identityOf(key)}`,
});

export const isSigned = (error: unknown): boolean => error instanceof Refusal && error.parts.cause === "replace-signed";

export const isCancelled = (error: unknown): boolean => error instanceof CancelledError;

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const bounded = (lines: readonly string[]): string[] =>
  lines.length <= MOST_NAMED ? [...lines] : [...lines.slice(0, MOST_NAMED), `and ${lines.length - MOST_NAMED} more`];
