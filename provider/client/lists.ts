import { setImmediate } from "node:timers/promises";
import type * as z from "zod";
import { DAY_MS, dateOf } from "../core/clock.js";
import { isWhole, RowsByName, roomIn } from "../core/same.js";
import { quote } from "../core/text.js";
import { byId, DOCUMENT_STATUSES, issuesIn, notOk, parseTimestamp, payloadOf } from "./bodies.js";
import {
  CancelledError,
  ForbiddenError,
  jsonError,
  logInPage,
  NotFoundError,
  RefusedError,
  ServiceError,
  ServiceFaultError,
  type StreamedResponse,
  unreadable,
} from "./errors.js";
import { JsonError, MAX_DEPTH, parseJson } from "./json.js";
import type {
  DocumentFilter,
  DocumentStatusFilter,
  ListEndpoint,
  ListedDocument,
  ListItem,
  Listing,
  Service,
} from "./service.js";

/*
 * Lists: how one is read, row by row while its answer arrives; when one that doesn't show a document proves that it isn't
 * there; and what all lists of documents show at one moment (`takeSnapshot`).
 */

// ---- Rows ----

/** Of one list: whoever has more documents than that asks for a folder or for days. */
const MAX_ROWS = 200_000;
/** A row of a list is some hundred characters. */
const LONGEST_VALUE = 256 * 1024;
/** What an error quotes from. */
const HEAD = 16 * 1024;

/** So many rows of a list are kept. */
const MOST_KEPT = 20_000;

/** Reads rows by a schema, each text once: of a list that is asked for again, all but what is new was read before. */
export class RowReader<T extends z.ZodType> {
  readonly #rows = new Map<string, z.output<T>>();

  constructor(readonly schema: T) {}

  read(text: string): z.ZodSafeParseResult<z.output<T>> {
    const known = this.#rows.get(text);
    if (known !== undefined) return { success: true, data: known };
    const parsed = this.schema.safeParse(parseJson(text));
    if (this.#rows.size === MOST_KEPT) this.#rows.clear();
    if (parsed.success) this.#rows.set(text, parsed.data);
    return parsed;
  }
}

/**
 * The rows of a list's answer, each read by itself while the answer arrives: the first that can't be read ends it,
 * whatever comes after, and so does Cancel. Neither the whole text nor what isn't a row is ever held.
 */
export async function rowsOf<T extends z.ZodType>(
  reader: RowReader<T>,
  { chunks, ...head }: StreamedResponse,
  signal?: AbortSignal,
): Promise<z.output<T>[]> {
  const text = new StreamedJson(chunks, () => {
    if (signal?.aborted)
      throw new CancelledError(`${head.endpoint}: the request was cancelled before its answer came`, true);
  });
  const response = () => ({ ...head, text: text.head });
  const tooLong = (path: string) => unreadable(head, `with more than ${LONGEST_VALUE} characters in ${quote(path)}`);
  let rows: z.output<T>[] | undefined;
  let payload = false;
  try {
    for await (const name of text.members()) {
      if (name === "payload") {
        payload = true;
        rows = (await text.next()) === "[" ? [] : undefined;
      }
      if (name !== "payload" || !rows) {
        const value = await text.value();
        if (value === undefined) throw tooLong(name);
        if (name === "ok" && parseJson(value) === false) throw notOk(response());
        continue;
      }
      const read = rows;
      await text.elements(row => {
        if (read.length === MAX_ROWS)
          throw unreadable(head, `with more than ${MAX_ROWS} rows, which is more than is read`);
        if (row === undefined) throw tooLong(`payload.${read.length}`);
        const parsed = reader.read(row);
        if (!parsed.success) throw unreadable(head, issuesIn(parsed.error, ["payload", read.length]));
        read.push(parsed.data);
      });
    }
    // Anything but an array is said as of any other answer, and small, as what stands for it here.
    const envelope = JSON.stringify(payload ? { payload: "" } : {});
    return rows ?? payloadOf({ ...head, text: envelope }, reader.schema.array());
  } catch (error) {
    throw error instanceof JsonError ? (logInPage(response()) ?? jsonError(error, response())) : error;
  }
}

/** JSON of which only the value that is read next is held. */
class StreamedJson {
  /** Its beginning. */
  head = "";
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = "";
  #at = 0;

  /** `assertWanted`: asked at every piece, after everybody else had a turn. */
  constructor(
    chunks: AsyncIterable<Uint8Array>,
    private readonly assertWanted: () => void,
  ) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The names of an object that is all there is. Each one's value is read before the next. */
  async *members(): AsyncGenerator<string> {
    if ((await this.next()) !== "{") {
      while (this.#text.length < LONGEST_VALUE && (await this.#more()));
      // Empty, a page, a scalar, an array: said as of any other answer.
      parseJson(this.#text);
      return;
    }
    this.#at++;
    for (let isFirst = true; await this.#goesOn("}", isFirst); isFirst = false) {
      if ((await this.next()) !== '"') throw new JsonError("syntax");
      const name = await this.value();
      if ((await this.next()) !== ":") throw new JsonError("syntax");
      this.#at++;
      await this.next();
      yield String(parseJson(name ?? ""));
    }
    if ((await this.next()) !== "") throw new JsonError("syntax");
  }

  /** The values of an array, as text; undefined for one that is too long. */
  async elements(take: (value: string | undefined) => void): Promise<void> {
    this.#at++;
    for (let isFirst = true; await this.#goesOn("]", isFirst); isFirst = false) {
      // What has come already is taken without a pause: a hundred thousand of them would take most of the time.
      if (this.#nextHere() === "") await this.next();
      take(this.#valueHere() ?? (await this.value()));
    }
  }

  /** Whether an object or an array goes on: what is next then is behind the comma, and otherwise behind its end. */
  async #goesOn(end: string, isFirst: boolean): Promise<boolean> {
    const next = this.#nextHere() || (await this.next());
    if (isFirst && next !== end) return true;
    if (next !== end && next !== ",") throw new JsonError("syntax");
    this.#at++;
    return next !== end;
  }

  /** The next value's text; undefined where it is too long. */
  async value(): Promise<string | undefined> {
    for (;;) {
      const value = this.#valueHere();
      if (value !== undefined) return value;
      if (this.#text.length - this.#at > LONGEST_VALUE) return undefined;
      if (!(await this.#more())) throw new JsonError("syntax");
    }
  }

  /** The next character that isn't space; empty at the end. */
  async next(): Promise<string> {
    for (;;) {
      const next = this.#nextHere();
      if (next !== "" || !(await this.#more())) return next;
    }
  }

  /** Of what has come so far. */
  #valueHere(): string | undefined {
    const end = endOfValue(this.#text, this.#at);
    if (end === this.#at) throw new JsonError("syntax");
    if (end === undefined || end - this.#at > LONGEST_VALUE) return undefined;
    const value = this.#text.slice(this.#at, end);
    this.#at = end;
    return value;
  }

  #nextHere(): string {
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at++;
    return this.#text.charAt(this.#at);
  }

  async #more(): Promise<boolean> {
    await setImmediate();
    this.assertWanted();
    const { done, value } = await this.#chunks.next();
    const more = done ? this.#decoder.decode() : this.#decoder.decode(value, { stream: true });
    if (this.head.length < HEAD) this.head += more.slice(0, HEAD);
    this.#text = this.#text.slice(this.#at) + more;
    this.#at = 0;
    return !done;
  }
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/**
 * Behind a value, by its brackets and quotes alone: what is between them is for the parser to judge. Undefined where it
 * goes on.
 */
function endOfValue(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: {
        const end = endOfText(text, at);
        if (end === undefined || depth === 0) return end;
        at = end - 1;
        break;
      }
      case 0x5b:
      case 0x7b:
        if (++depth > MAX_DEPTH) throw new JsonError("deep");
        break;
      case 0x5d:
      case 0x7d:
        // The end of what holds a number or a word.
        if (depth === 0) return at;
        if (--depth === 0) return at + 1;
        break;
      case 0x2c:
        if (depth === 0) return at;
    }
  }
  return undefined;
}

/** Behind a text's closing quote: one with an even number of backslashes before it. */
function endOfText(text: string, start: number): number | undefined {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
  return undefined;
}

// ---- Complete lists ----

/** So many rows in order are no coincidence. */
const ROWS_THAT_SHOW_AN_ORDER = 8;

/** Nobody cuts a list at less. */
const LEAST_PAGE = 2;

/** The latest so many, and no more, is a list that somebody may offer. */
const MOST_LATEST = 10;

export function listingOf<T extends ListItem>(received: readonly T[]): Listing<T> {
  const rows = new Map<string, T>();
  for (const row of received) if (!rows.has(row.id)) rows.set(row.id, row);
  return { rows: [...rows.values()], received: received.length };
}

/** What a list is asked about: a document that was created at `since` (milliseconds) or later. */
export interface Absence {
  readonly since: number;
  /** A document created before this moment is about as old as the one in question, or older. */
  readonly near?: number | undefined;
  /** Ids of documents that were there before it was sent, whatever clocks say. */
  readonly older?: readonly string[] | undefined;
  /** Ids of documents that are about as old as it, or older, whatever clocks say. */
  readonly beside?: readonly string[] | undefined;
  /** Of a list that leaves nothing out if it isn't cut: the ids that it has to show then. */
  readonly known?: readonly string[] | undefined;
}

/**
 * Whether a document that isn't in the listing doesn't exist. The interface shows neither paging nor order, so a listing
 * proves that only if it
 *
 * - is shorter than another answer of the same endpoint (`longestList` rows: a page holds at least as many),
 * - is newest first and reaches back beyond `since`, or to an older document, or
 * - shows all that are known, has a number of rows that nobody chooses for a page, and isn't the latest alone: it shows
 *   an older document, or one about as old and isn't newest first or has more rows than a few.
 *
 * Repeated rows and unreadable timestamps prove nothing; nor does an empty listing alone: a service may list no document
 * of some status. What each proof assumes is in docs/decisions/proofs-of-absence.md.
 */
export function provesAbsence(listing: Listing<ListItem>, absence: Absence, longestList: number): boolean {
  return proofIn(listing, absence, longestList) === "proven";
}

/** Whether only its number of rows, which somebody may have chosen for a page, keeps the listing from a proof. */
export function mayBePage(listing: Listing<ListItem>, absence: Absence): boolean {
  return proofIn(listing, absence, 0) === "a page";
}

function proofIn(
  { rows, received }: Listing<ListItem>,
  absence: Absence,
  longestList: number,
): "proven" | "a page" | "none" {
  const { since, near = since, older = [], beside = [], known } = absence;
  if (received !== rows.length || Number.isNaN(since)) return "none";
  const times = rows.map(row => parseTimestamp(row.createdAt));
  if (!times.every(time => time !== undefined)) return "none";
  if (received < longestList) return "proven";
  const ids = new Set(rows.map(({ id }) => id));
  const showsOlder = older.some(id => ids.has(id)) || times.some(time => time < since);
  const isByTime = times.every((time, index) => index === 0 || (times[index - 1] ?? 0) >= time);
  const isById = rows.every(({ id }, index) => index === 0 || byId(rows[index - 1]?.id ?? "", id) > 0);
  if (isByTime && isById && received >= ROWS_THAT_SHOW_AN_ORDER && showsOlder) return "proven";
  if (known?.every(id => ids.has(id)) !== true) return "none";
  // A service may number its documents in any order.
  const isAllOrLatest = received >= LEAST_PAGE && received <= MOST_LATEST && (isByTime || isById);
  const showsNear = beside.some(id => ids.has(id)) || times.some(time => time < near);
  if (!showsOlder && (isAllOrLatest || !showsNear)) return "none";
  return isPageSize(received) ? "a page" : "proven";
}

/** Whether somebody may have chosen this number for the rows of a page. */
const isPageSize = (rows: number): boolean =>
  rows % 10 === 0 || rows % 25 === 0 || PAGES.has(rows) || (rows >= 16 && isPowerOfTwo(rows));

const PAGES = new Set([2, 5, 12, 15, 24, 36, 48, 72, 96]);

const isPowerOfTwo = (number: number): boolean => Number.isInteger(Math.log2(number));

/** The longest answer of each endpoint in this process. */
export class LongestLists {
  readonly #rows = new Map<string, number>();

  note<T extends ListItem>(endpoint: ListEndpoint, listing: Listing<T>): Listing<T> {
    this.#rows.set(endpoint, Math.max(this.of(endpoint), listing.received));
    return listing;
  }

  of(endpoint: ListEndpoint): number {
    return this.#rows.get(endpoint) ?? 0;
  }
}

// ---- What lists show together ----

export type ListedRow = Pick<ListedDocument, "id" | "name" | "description" | "createdAt" | "status">;

const SIGNED = ["partially_signed", "signed"] as const;

/**
 * Asks the list and, for the days between two times, the list by date: either may be cut, in any order, late or without
 * some rows, so each shows what is there, and only a complete one proves what isn't. `lenient`: also without a list by date
 * that can't be asked now, which is enough to find something, and not to see what else is there.
 */
export async function takeSnapshot(
  service: Service,
  [from, to]: readonly [number, number],
  signal: AbortSignal,
  { lenient = false } = {},
): Promise<Snapshot> {
  const range = { fromDate: dateOf(from - DAY_MS), toDate: dateOf(to + 2 * DAY_MS) };
  const byDate = (status: DocumentStatusFilter) =>
    service.listDocumentsByDateRange({ ...range, status }, { signal }).catch((error: unknown) => {
      if (!(error instanceof ServiceError) || error instanceof CancelledError) throw error;
      if (!lenient && !isNotOffered(error)) throw error;
      // It proves nothing.
      return undefined;
    });
  const [all, ...dated] = await Promise.all([service.listDocuments({}, { signal }), ...DOCUMENT_STATUSES.map(byDate)]);
  return new Snapshot(all, dated, from, () => service.longestList("documentsByDateRange"));
}

/** What the service's lists show at one moment. */
export class Snapshot {
  readonly rows: readonly ListedRow[];
  readonly ids: ReadonlySet<string>;
  readonly #byName: RowsByName<ListedRow>;
  readonly #datedRows: readonly ListedRow[];
  /** A document with a status that the interface doesn't name is in no list by date: they are asked for by status. */
  readonly #isNamed: boolean;
  /** Made once: thousands of creates ask, of thousands of rows. */
  #rooms: readonly { readonly ids: ReadonlySet<string>; readonly hasRoomFor: (name: string) => boolean }[] | undefined;

  /** `dated`: by status, those of the days since `from`; undefined for one that couldn't be asked. */
  constructor(
    private readonly all: Listing<ListedRow>,
    private readonly dated: readonly (Listing<ListedRow> | undefined)[],
    private readonly from: number,
    private readonly longestDated: () => number,
  ) {
    this.#datedRows = dated.flatMap(listing => listing?.rows ?? []);
    const rows = new Map([...this.#datedRows, ...all.rows].map(row => [row.id, row]));
    this.rows = [...rows.values()];
    this.ids = new Set(rows.keys());
    this.#byName = new RowsByName(() => this.rows);
    this.#isNamed = all.rows.every(({ status }) => DOCUMENT_STATUSES.some(each => each === status));
  }

  /** Rows whose name may be what the service made of this one. */
  ofName(name: string): readonly ListedRow[] {
    return this.#byName.of(name);
  }

  /** Of these those whose name is only how this one begins, by their ids: whether the list has room for all of it. */
  beginning(name: string): ReadonlyMap<string, boolean> {
    const cut = this.ofName(name).filter(row => !isWhole(name, row.name));
    if (cut.length === 0) return new Map();
    // A row is as the first of these lists shows it.
    this.#rooms ??= [this.all.rows, this.#datedRows].map(list => ({
      ids: new Set(list.map(({ id }) => id)),
      hasRoomFor: roomIn(list),
    }));
    const showing = (id: string) => this.#rooms?.find(({ ids }) => ids.has(id));
    return new Map(cut.map(({ id }) => [id, showing(id)?.hasRoomFor(name) ?? false]));
  }

  /** When the oldest of them was created, as the service writes it. */
  oldest(): string | undefined {
    const times = this.rows.flatMap(({ createdAt }) => (createdAt === null ? [] : [createdAt]));
    return times.sort((a, b) => Date.parse(a) - Date.parse(b))[0];
  }

  /** The rows of each list that shows all of its kind that were sent since then, if any does. */
  completeSince(absence: Absence): readonly (readonly ListedRow[])[] {
    return [
      ...(this.#allProves(absence) ? [this.all.rows] : []),
      ...(this.#datedProve(absence, DOCUMENT_STATUSES) ? [this.dated[0]?.rows ?? []] : []),
    ];
  }

  /** How many rows the list of all has, where it would be one of these with a number that nobody chooses for a page. */
  pageOf(absence: Absence): number | undefined {
    return mayBePage(this.all, this.#ofAll(absence)) ? this.all.rows.length : undefined;
  }

  /** Whether they prove that no document that somebody has signed was created since then but those in `rows`. */
  provesNoSignedSince(since: number): boolean {
    return this.#allProves({ since }) || this.#datedProve({ since }, SIGNED);
  }

  /** A longer answer proves nothing: a folder may be shown whole, and a list of what is recent alone was longer before. */
  #allProves(absence: Absence): boolean {
    return provesAbsence(this.all, this.#ofAll(absence), 0);
  }

  /** The list of all has to show as well what the lists by date show. */
  #ofAll({ known, ...absence }: Absence): Absence {
    return { ...absence, known: known && [...known, ...this.ids] };
  }

  #datedProve({ since, older = [] }: Absence, statuses: readonly DocumentStatusFilter[]): boolean {
    if (!this.#isNamed || !(since >= this.from)) return false;
    // Lists may show the last days alone, whatever days are asked for.
    const reachesBack = this.#datedRows.some(
      ({ id, createdAt }) => older.includes(id) || Date.parse(createdAt ?? "") <= since,
    );
    const longest = reachesBack ? this.longestDated() : 0;
    return statuses.every(status => {
      const listing = this.dated[DOCUMENT_STATUSES.indexOf(status)];
      return listing !== undefined && provesAbsence(listing, { since, older }, longest);
    });
  }
}

/** The service says that it has no such list, or not for this account; any other failure may pass. */
const isNotOffered = (error: ServiceError): boolean =>
  error instanceof NotFoundError ||
  error instanceof ForbiddenError ||
  error instanceof RefusedError ||
  (error instanceof ServiceFaultError && error.status === 501);

// ---- One folder's, or one organization's ----

/** The service filters its list, and what it answers is filtered again: a filter it ignores must not widen a list. */
export const isIn = (
  { folderId, organizationId }: DocumentFilter,
  document: Pick<ListedDocument, "folderId" | "organization">,
): boolean =>
  (folderId === undefined || document.folderId === folderId) &&
  (organizationId === undefined || document.organization?.id === organizationId);
