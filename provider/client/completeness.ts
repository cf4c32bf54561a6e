import { byId } from "./ids.js";
import { parseTimestamp } from "./timestamps.js";

export interface Row {
  readonly id: string;
  readonly createdAt: string | null;
}

/** What one request for a list was answered with. */
export interface Listing<T extends Row> {
  /** Each document once, in the order received. */
  readonly rows: readonly T[];
  /** How many rows came, repeated ones counted. */
  readonly received: number;
}

/** So many rows in order are no coincidence. */
const ROWS_THAT_SHOW_AN_ORDER = 8;

export function listingOf<T extends Row>(received: readonly T[]): Listing<T> {
  const rows = new Map<string, T>();
  for (const row of received) if (!rows.has(row.id)) rows.set(row.id, row);
  return { rows: [...rows.values()], received: received.length };
}

/**
 * Whether a document that was created at `since` (milliseconds) or later and isn't in the listing doesn't exist. The
 * interface shows neither paging nor order, so a listing proves that only if it is shorter than another answer of the
 * same endpoint (`longestSeen` rows: a page holds at least as many), or is newest first and reaches back beyond `since`.
 * Repeated rows and unreadable timestamps prove nothing; nor does an empty listing alone: a service may list no document
 * of some status.
 */
export function provesAbsenceSince(listing: Listing<Row>, since: number, longestSeen: number): boolean {
  const { rows, received } = listing;
  if (received !== rows.length || Number.isNaN(since)) return false;
  const times = rows.map(row => parseTimestamp(row.createdAt));
  if (!times.every(time => time !== undefined)) return false;
  return received < longestSeen || reachesBack(rows, times, since);
}

function reachesBack(rows: readonly Row[], times: readonly number[], since: number): boolean {
  const newestFirst = rows.every((row, index) => {
    const before = rows[index - 1];
    return before === undefined || (byId(before.id, row.id) > 0 && (times[index - 1] ?? 0) >= (times[index] ?? 0));
  });
  return newestFirst && rows.length >= ROWS_THAT_SHOW_AN_ORDER && (times.at(-1) ?? since) < since;
}

/** The longest answer of each endpoint in this process. */
export class LongestSeen {
  readonly #rows = new Map<string, number>();

  note<T extends Row>(endpoint: ListEndpoint, listing: Listing<T>): Listing<T> {
    this.#rows.set(endpoint, Math.max(this.of(endpoint), listing.received));
    return listing;
  }

  of(endpoint: ListEndpoint): number {
    return this.#rows.get(endpoint) ?? 0;
  }
}

export type ListEndpoint = "documents" | "documentsByDateRange";
