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

/** Nobody cuts a list at less. */
const LEAST_PAGE = 2;

/** The latest so many, and no more, is a list that somebody may offer. */
const MOST_LATEST = 10;

export function listingOf<T extends Row>(received: readonly T[]): Listing<T> {
  const rows = new Map<string, T>();
  for (const row of received) if (!rows.has(row.id)) rows.set(row.id, row);
  return { rows: [...rows.values()], received: received.length };
}

/** What a list is asked about: a document that was created at `since` (milliseconds) or later. */
export interface Asked {
  readonly since: number;
  /** A document created before this moment is about as old as the one in question, or older. */
  readonly near?: number | undefined;
  /** Ids of documents that were there before it was sent, whatever clocks say. */
  readonly older?: readonly string[] | undefined;
  /** Of a list that leaves nothing out if it isn't cut: the ids that it has to show then. */
  readonly known?: readonly string[] | undefined;
}

/**
 * Whether a document that isn't in the listing doesn't exist. The interface shows neither paging nor order, so a listing
 * proves that only if it
 *
 * - is shorter than another answer of the same endpoint (`longestSeen` rows: a page holds at least as many),
 * - is newest first and reaches back beyond `since`, or to an older document, or
 * - shows all that are known, has a number of rows that nobody chooses for a page, and isn't the latest alone: it shows
 *   an older document, or one about as old and isn't newest first or has more rows than a few.
 *
 * Repeated rows and unreadable timestamps prove nothing; nor does an empty listing alone: a service may list no document
 * of some status. What each proof assumes is in docs/decisions/proofs-of-absence.md.
 */
export function provesAbsence({ rows, received }: Listing<Row>, asked: Asked, longestSeen: number): boolean {
  const { since, near = since, older = [], known } = asked;
  if (received !== rows.length || Number.isNaN(since)) return false;
  const times = rows.map(row => parseTimestamp(row.createdAt));
  if (!times.every(time => time !== undefined)) return false;
  if (received < longestSeen) return true;
  const ids = new Set(rows.map(({ id }) => id));
  const showsOlder = older.some(id => ids.has(id)) || times.some(time => time < since);
  if (isNewestFirst(rows, times) && showsOlder) return true;
  if (known?.every(id => ids.has(id)) !== true || isPageSize(received)) return false;
  if (showsOlder) return true;
  const isAllOrLatest = received >= LEAST_PAGE && received <= MOST_LATEST && mayBeNewestFirst(rows, times);
  return times.some(time => time < near) && !isAllOrLatest;
}

function isNewestFirst(rows: readonly Row[], times: readonly number[]): boolean {
  const isInOrder = rows.every((row, index) => {
    const before = rows[index - 1];
    return before === undefined || (byId(before.id, row.id) > 0 && (times[index - 1] ?? 0) >= (times[index] ?? 0));
  });
  return isInOrder && rows.length >= ROWS_THAT_SHOW_AN_ORDER;
}

/** By time or by id alone: a service may number its documents in any order. */
function mayBeNewestFirst(rows: readonly Row[], times: readonly number[]): boolean {
  const isByTime = times.every((time, index) => index === 0 || (times[index - 1] ?? 0) >= time);
  return isByTime || rows.every(({ id }, index) => index === 0 || byId(rows[index - 1]?.id ?? "", id) > 0);
}

/** Whether somebody may have chosen this number for the rows of a page. */
const isPageSize = (rows: number): boolean =>
  rows % 10 === 0 || rows % 25 === 0 || PAGES.has(rows) || (rows >= 16 && isPowerOfTwo(rows));

const PAGES = new Set([2, 5, 12, 15, 24, 36, 48, 72, 96]);

const isPowerOfTwo = (number: number): boolean => Number.isInteger(Math.log2(number));

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
