import { CancelledError } from "../../client/errors.js";
import { Refusal } from "../refusal.js";
import type { Call, Log } from "../resource.js";
import { identityOf } from "./rows.js";

/** Rows that are worked on at a time: somewhat more than there are creates and reads in flight, as a row waits for the journal, too. */
export const AT_ONCE = 20;
/** Rows that a message names before it counts the others. */
export const MOST_NAMED = 20;
const MOST_OTHERS = 3;

/** A row is a Document under the set's URN and its key. */
export const rowCall = (call: Call, key: string, log: Log = call.log): Call => ({
  ...call,
  log,
  urn: `${call.urn}#${identityOf(key)}`,
});

export const isSigned = (error: unknown): boolean => error instanceof Refusal && error.parts.cause === "replace-signed";

/** A refusal that keeps something from being replaced: it stops all rows before anything is sent. */
export const protectsSigned = (error: unknown): boolean =>
  error instanceof Refusal && error.parts.cause?.startsWith("replace-") === true;

export const isCancelled = (error: unknown): boolean => error instanceof CancelledError;

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What says the same of other rows: numbers, quoted texts and addresses aside. */
export const kindOf = (message: string): string => message.replace(/\d+|"[^"]*"|\S+@\S+/g, "…");

/** The keys of rows that a message isn't about in particular. */
export function otherRows(keys: readonly string[]): string {
  const more = keys.length - MOST_OTHERS;
  const named = keys.slice(0, MOST_OTHERS).join(", ");
  return `and the same for ${keys.length} more ${keys.length === 1 ? "row" : "rows"}: ${named}${more > 0 ? ` and ${more} more` : ""}`;
}

export const bounded = (lines: readonly string[]): string[] =>
  lines.length <= MOST_NAMED ? [...lines] : [...lines.slice(0, MOST_NAMED), `and ${lines.length - MOST_NAMED} more`];
