import { chance, pick, seedFrom } from "./chance.js";
import type { IndependentServiceOptions } from "./independent-service.js";
import type { NewDocument } from "./records.js";
import type { Taste } from "./taste.js";

export interface Departure {
  /** `point: answer` */
  readonly name: string;
  readonly settings: IndependentServiceOptions;
}

const taste = (settings: Partial<Taste>): IndependentServiceOptions => ({ taste: settings });
/** Ids of files, invitations and folders that are ids of other people's documents. */
const misleading = { idSequence: "per-kind", decoys: 6 } as const;
const stores = (change: (wanted: NewDocument) => NewDocument): IndependentServiceOptions => taste({ stores: change });
const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** The open points of the interface, and for each the ways this service can differ from `ownTaste`. Each is allowed; none is shown. */
const points: Record<string, Record<string, IndependentServiceOptions>> = {
  create: {
    "whole document": taste({ createAnswer: "whole" }),
    "document without envelope": taste({ createAnswer: "bare" }),
    "list form": taste({ createAnswer: "list-item" }),
    "list form with folder": taste({ createAnswer: "list-item-with-folder", ...misleading }),
    File: taste({ createAnswer: "file", ...misleading }),
    Invitation: taste({ createAnswer: "invitation", ...misleading }),
    "id and document_id": taste({ createAnswer: "file-and-document-id", ...misleading }),
    "id beside the payload": taste({ createAnswer: "id-beside" }),
    "id inside payload.document": taste({ createAnswer: "nested" }),
    array: taste({ createAnswer: "array" }),
    null: taste({ createAnswer: "null-payload" }),
    "ok alone": taste({ createAnswer: "ok" }),
    "a word": taste({ createAnswer: "word" }),
    "empty 200": taste({ createAnswer: "empty", createStatus: 200 }),
    "empty 204": taste({ createAnswer: "no-content" }),
    Location: taste({ createAnswer: "location" }),
  },
  lists: {
    "newest first": taste({ order: "newest" }),
    unordered: taste({ order: "shuffled" }),
    ...Object.fromEntries(
      [2, 5, 20].flatMap(pageSize =>
        (["newest", "oldest", "shuffled"] as const).map(order => [
          `${order === "shuffled" ? "unordered" : `${order} first`}, cut at ${pageSize}`,
          taste({ order, pageSize, decoys: pageSize * 3, createAnswer: "ok" }),
        ]),
      ),
    ),
    lagging: { taste: { createAnswer: "ok" }, lag: { get: 0, list: 3 } },
    "lagging, reads too": { taste: { createAnswer: "id" }, lag: 3 },
    "repeating rows": taste({ repeatsRows: true, createAnswer: "ok" }),
    "without unknown statuses": taste({ unlisted: "unknown-status", unsignedStatus: "drafted", createAnswer: "ok" }),
    "without documents in folders": taste({ unlisted: "in-a-folder", createAnswer: "ok" }),
    "basic rows": taste({ rows: "basic", createAnswer: "ok" }),
  },
  to_date: { exclusive: taste({ toDate: "exclusive", createAnswer: "ok" }) },
  GET: {
    "404 once": taste({ reads: "404-first" }),
    "404 now and then": taste({ reads: "404-every-third" }),
    "404 always": taste({ reads: "404-always" }),
    "403 always": taste({ reads: "403-always" }),
    "another document's body": taste({ reads: "another-document", decoys: 2 }),
    "last_version names no file": taste({ lastVersion: "no-file" }),
  },
  signers: {
    "without address": taste({ emailOn: "neither" }),
    "without user": taste({ emailOn: "no-user" }),
    "with a user_id only": taste({ emailOn: "user-id-only" }),
    "fewer than invitations": taste({ signers: "fewer" }),
    "more than invitations": taste({ signers: "more" }),
    "once they sign": taste({ signers: "when-signed" }),
  },
  texts: {
    trimmed: stores(wanted => ({ ...wanted, name: wanted.name.trim() })),
    cut: stores(wanted => ({ ...wanted, name: wanted.name.slice(0, 20) })),
    escaped: stores(wanted => ({ ...wanted, name: escaped(wanted.name) })),
    "e-mails lower-cased": stores(wanted => ({
      ...wanted,
      invitations: wanted.invitations.map(one => ({ ...one, email: one.email.toLowerCase() })),
    })),
    "invitations reordered": stores(wanted => ({ ...wanted, invitations: wanted.invitations.toReversed() })),
    "description left out": taste({ description: "absent" }),
  },
  folder_id: { ignored: taste({ folderId: "ignore" }), refused: taste({ folderId: "reject" }) },
  reminders: {
    GET: taste({ reminderMethod: "GET" }),
    "501": taste({ reminderAnswer: "501" }),
    "302": taste({ reminderAnswer: "302" }),
    "200 with ok: false": taste({ reminderAnswer: "not-ok" }),
    "200 with ok: true": taste({ reminderAnswer: "ok-with-body" }),
  },
  ids: {
    small: taste({ firstId: 1n, idStep: 1n }),
    "above 2^53": taste({ firstId: 9_007_199_254_740_993n, idStep: 1n }),
    strings: taste({ idsAs: "text" }),
  },
  timestamps: {
    Z: taste({ timestamps: "z" }),
    "without milliseconds": taste({ timestamps: "no-milliseconds" }),
    "of many zones": taste({ offsets: [-210, 840, 0] }),
  },
  words: {
    "unknown statuses and types": taste({ unknownEnums: true, form: "extended" }),
    "an unknown status before signing": taste({ unsignedStatus: "drafted" }),
  },
  form: { basic: taste({ form: "basic" }), extended: taste({ form: "extended" }) },
  sha256: {
    null: taste({ sha256: "null" }),
    "of a rewritten PDF": taste({ sha256: "stamped" }),
    "upper case": taste({ sha256: "HEX" }),
  },
  certificates: {
    "with the key": taste({ certificates: "key", downloads: "key" }),
    "on another origin": taste({ certificates: "elsewhere", fileOrigin: "https://files.elsewhere.test" }),
    never: taste({ certificates: "never", downloads: "missing" }),
  },
  limits: {
    "429 to every fourth": taste({ refusesEvery: 4 }),
    "429 with Retry-After": taste({ refusesEvery: 4, retryAfter: "1" }),
  },
  clock: {
    "Date minutes ahead": taste({ date: { aheadMs: 7 * 60_000 } }),
    "Date minutes behind": taste({ date: { aheadMs: -7 * 60_000 } }),
    "no Date": taste({ date: "none" }),
    "a day ahead": { skewMs: 86_400_000 },
  },
  late: {
    "13 s": taste({ lateMs: 13_000, createAnswer: "ok" }),
    "20 s": taste({ lateMs: 20_000, createAnswer: "ok" }),
  },
  errors: { "plain text": taste({ errors: "text" }), "in the envelope": taste({ errors: "envelope" }) },
};

/** One point answered differently, all others as `ownTaste` has them. */
export const departures: readonly Departure[] = Object.entries(points).flatMap(([point, answers]) =>
  Object.entries(answers).map(([answer, settings]) => ({ name: `${point}: ${answer}`, settings })),
);

/** About every third point answered differently, always the same for a seed. */
export function departuresOf(seed: number): readonly Departure[] {
  return Object.entries(points).flatMap(([point, answers]) => {
    const next = chance(seedFrom(seed, "dialect", point));
    const answer = next() < 0.35 ? pick(Object.keys(answers), next) : undefined;
    return departures.filter(({ name }) => name === `${point}: ${answer}`);
  });
}

/** Several departures at once. Where two answer the same, as several want an answer without an id, the later one says. */
export function together(several: readonly Departure[]): Departure {
  const settings: IndependentServiceOptions = { taste: {} };
  for (const { settings: more } of several)
    Object.assign(settings, more, { taste: Object.assign(settings.taste ?? {}, more.taste) });
  return { name: several.map(({ name }) => name).join(" · ") || "no departure", settings };
}

export const randomDialect = (seed: number): Departure => together(departuresOf(seed));
