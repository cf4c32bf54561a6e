import { isRecord } from "../../kit/records.js";

/**
 * Is it the same? Whatever is compared is compared by one of these, on every machine. Journal and state hold hashes of
 * them: one that answers otherwise makes every document another one.
 */

/** An id of the service's: `new URL("/v1/documents/" + id)` walks `../`, so nothing else may meet an address. */
export const ID = /^[1-9][0-9]{0,19}$/;

/** The same for two texts that people can't tell apart: in another Unicode form, or with other spaces. */
export const canonicalText = (text: string): string =>
  CANONICAL.test(text) ? text : text.normalize("NFC").replace(/\s+/gu, " ").trim();

/** Most texts are canonical as they are, and a list has thousands. */
const CANONICAL = /^[!-~]+(?: [!-~]+)*$/;

/** The same for two keys of a set that differ in case or Unicode form alone: an address is the same person's in any. */
export const identityOf = (key: string): string => key.normalize("NFC").toLowerCase();

/** An address without what copying leaves at its ends: white space, and characters that show nothing. */
export const tidyAddress = (given: string): string => given.replace(/^[\s\p{Cf}]+|(?<![\s\p{Cf}])[\s\p{Cf}]+$/gu, "");

declare const compared: unique symbol;
/** An address as it is compared: no text is one before `addressOf` has made it so. */
export type Address = string & { readonly [compared]: true };

/** The same for each way of writing an address. */
export const addressOf = (email: string | null | undefined): Address => identityOf(tidyAddress(email ?? "")) as Address;

/** The same for a value's keys in any order. `shown`: what stands for a value inside. */
export const sortedJson = (value: unknown, replace: (inner: unknown) => unknown = inner => inner): string =>
  JSON.stringify(value, (_, given: unknown) => {
    const inner = replace(given);
    return isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner;
  }) ?? "";

/** A record without what isn't given: null is the same as nothing. */
export const withoutNulls = (inner: unknown): unknown =>
  isRecord(inner) ? Object.fromEntries(Object.entries(inner).filter(([, each]) => each !== null)) : inner;

/** Shorter texts could be cut from anything. */
const LEAST_CUT = 16;

/** Whether a service that trims, escapes or cuts texts may have made `shown` of `sent`. */
export function sameText(sent: string, shown: string): boolean {
  if (isWhole(sent, shown)) return true;
  const start = startOf(canonicalText(unescaped(shown)));
  return start.length >= LEAST_CUT && canonicalText(sent).startsWith(start);
}

/** Whether a service that trims or escapes texts may have made `shown` of `sent`. */
export function isWhole(sent: string, shown: string): boolean {
  const ours = canonicalText(sent);
  return ours === canonicalText(unescaped(shown)) || ours === canonicalText(shown);
}

/** Of so many characters whatever a service counts: bytes, code points, or what it escapes. */
const PLAIN = /^[\w .,;:#()/-]*$/;

/**
 * Whether a list that shows these names has room for all of `sent`: a service cuts at one length, so it wouldn't have cut
 * that one. Other characters than plain ones may take more room than is seen, or less.
 */
export function roomIn(rows: readonly { readonly name: string }[]): (sent: string) => boolean {
  const lengths = rows.map(({ name }) => (PLAIN.test(name) ? name.trim().length : 0));
  const longest = lengths.reduce((most, length) => Math.max(most, length), 0);
  return sent => PLAIN.test(sent) && sent.length <= longest;
}

const startOf = (theirs: string): string => theirs.replace(/(…|\.\.\.)$/u, "").trim();

/** Rows by what their names may have been made of: the same answers as `sameText`, for thousands of rows and creates. */
export class RowsByName<R extends { readonly name: string }> {
  readonly #whole = new Map<string, Set<R>>();
  readonly #cut = new Map<string, Set<R>>();
  readonly #cutLengths = new Set<number>();
  #isRead = false;

  constructor(private readonly rows: () => Iterable<R>) {}

  #read(): void {
    if (this.#isRead) return;
    this.#isRead = true;
    for (const row of this.rows()) {
      const shown = canonicalText(row.name);
      const theirs = row.name.includes("&") ? canonicalText(unescaped(row.name)) : shown;
      put(this.#whole, theirs, row);
      if (shown !== theirs) put(this.#whole, shown, row);
      const start = startOf(theirs);
      if (start.length < LEAST_CUT) continue;
      put(this.#cut, start, row);
      this.#cutLengths.add(start.length);
    }
  }

  /** In any order. */
  of(sent: string): R[] {
    this.#read();
    const ours = canonicalText(sent);
    const found = new Set(this.#whole.get(ours));
    for (const length of this.#cutLengths)
      if (length <= ours.length) for (const row of this.#cut.get(ours.slice(0, length)) ?? []) found.add(row);
    return [...found];
  }
}

function put<R>(rows: Map<string, Set<R>>, text: string, row: R): void {
  const known = rows.get(text);
  if (known) known.add(row);
  else rows.set(text, new Set([row]));
}

const ENTITIES = new Map(Object.entries({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }));

export const unescaped = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES.get(String(name).toLowerCase()) ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
