import type { DocumentBody } from "../../client/service.js";
import { canonicalText } from "../../core/text.js";
import type { Content } from "../journal/contract.js";
import { descriptionHash, inviteesHash, nameHash } from "./content.js";
import { addressOf } from "./document-state.js";
import { markerIn, withoutMarker } from "./marker.js";
import type { DocumentSpec } from "./spec.js";

/** How a document at the service compares with what was sent. */
export type Match =
  /** Name, people, PDF and description are what was sent. */
  | "same"
  /** Two of name, people and PDF are: the service may store the rest differently. */
  | "similar"
  | "other";

/** What was sent: its hashes, and its texts where this run knows them. */
export interface Sent {
  readonly content: Content;
  readonly spec?:
    | (Pick<DocumentSpec, "name" | "description" | "invitations"> & Partial<Pick<DocumentSpec, "bytes">>)
    | undefined;
}

/**
 * What the service shows as the hash of the one PDF that it has, where that is another than was sent and all else is
 * what was sent: it has changed the file.
 */
export async function rewrittenHash(body: DocumentBody, sent: Sent): Promise<string | undefined> {
  const [file, ...more] = body.files;
  const shown = file?.sha256?.toLowerCase();
  if (shown === undefined || more.length > 0 || shown === sent.content.sha256) return undefined;
  return (await matchOf(body, sent, async () => sent.content.sha256)) === "same" ? shown : undefined;
}

type PdfHash = () => Promise<string | undefined>;

export async function matchOf(body: DocumentBody, sent: Sent, pdfHash: PdfHash): Promise<Match> {
  const { content, spec } = sent;
  const marker = markerIn(body.description);
  // Another resource's marker, or one where none was sent: another create made it.
  if (marker !== undefined && marker !== content.marker) return "other";
  const name = spec ? sameText(spec.name, body.name) : nameHash(body.name) === content.name;
  const people = samePeople(body, sent);
  // The PDF alone is the same in any two contracts made from one template.
  if (!name && people === false) return "other";
  const hash = await pdfHash();
  const pdf = hash === undefined ? undefined : hash === content.sha256;
  if (name && people === true && pdf === true && sameDescription(body, sent)) return "same";
  const features = [name, people, pdf];
  const agree = features.includes(true) && features.filter(each => each !== false).length >= 2;
  if (marker !== undefined && agree) return "same";
  return agree ? "similar" : "other";
}

/** Whether name and people are what was sent, and something else isn't. What differs in its marker alone is another resource's. */
export async function isNamesake(body: DocumentBody, sent: Sent, pdfHash: PdfHash): Promise<boolean> {
  if (!sameText(sent.spec?.name ?? "", body.name) || samePeople(body, sent) !== true) return false;
  const description = withoutMarker(body.description ?? "");
  return (await matchOf({ ...body, description }, sent, pdfHash)) !== "same";
}

/** Undefined where the service leaves addresses out. */
export function samePeople({ invitations }: DocumentBody, { content, spec }: Sent): boolean | undefined {
  const emails = invitations.map(invitation => invitation.email);
  if (emails.length === 0 || !emails.every(email => email)) return undefined;
  if (!spec) return inviteesHash(emails) === content.invitees;
  const there = emails.map(email => addressOf(unescaped(email ?? ""))).sort();
  const wanted = spec.invitations.map(({ email }) => addressOf(email)).sort();
  return there.length === wanted.length && there.every((email, index) => email === wanted[index]);
}

function sameDescription({ description }: DocumentBody, { content, spec }: Sent): boolean {
  if (description === null) return true;
  const shown = withoutMarker(description);
  return spec
    ? sameText(withoutMarker(spec.description ?? ""), shown)
    : descriptionHash(description) === content.description;
}

/** Shorter texts could be cut from anything. */
const LEAST_CUT = 16;

/** Whether a service that trims, escapes or cuts texts may have made `shown` of `sent`. */
export function sameText(sent: string, shown: string): boolean {
  const [ours, theirs] = [canonicalText(sent), canonicalText(unescaped(shown))];
  if (ours === theirs || ours === canonicalText(shown)) return true;
  const start = startOf(theirs);
  return start.length >= LEAST_CUT && ours.startsWith(start);
}

const startOf = (theirs: string): string => theirs.replace(/(…|\.\.\.)$/u, "").trim();

/** Rows by what their names may have been made of: the same answers as `sameText`, for thousands of rows and creates. */
export class RowsByName<R extends { readonly name: string }> {
  readonly #whole = new Map<string, Set<R>>();
  readonly #cut = new Map<string, Set<R>>();

  #isRead = false;

  constructor(private readonly rows: () => Iterable<R>) {}

  #read(): void {
    if (this.#isRead) return;
    this.#isRead = true;
    for (const row of this.rows()) {
      const theirs = canonicalText(unescaped(row.name));
      for (const text of [theirs, canonicalText(row.name)]) put(this.#whole, text, row);
      const start = startOf(theirs);
      if (start.length >= LEAST_CUT) put(this.#cut, start, row);
    }
  }

  /** In any order. */
  of(sent: string): R[] {
    this.#read();
    const ours = canonicalText(sent);
    const found = new Set(this.#whole.get(ours));
    for (let length = LEAST_CUT; length <= ours.length; length++)
      for (const row of this.#cut.get(ours.slice(0, length)) ?? []) found.add(row);
    return [...found];
  }
}

function put<R>(rows: Map<string, Set<R>>, text: string, row: R): void {
  const known = rows.get(text);
  if (known) known.add(row);
  else rows.set(text, new Set([row]));
}

const ENTITIES = new Map(Object.entries({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }));

const unescaped = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES.get(String(name).toLowerCase()) ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
