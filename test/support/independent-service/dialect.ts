import { chance, pick, seedFrom } from "./chance.js";
import type { IndependentServiceOptions } from "./independent-service.js";
import type { NewDocument } from "./records.js";

/** How the service answers where the interface says «not shown». Every choice is legal by the document; none is promised by it. */
export interface Dialect {
  /** What POST /v1/documents answers on success. */
  createAnswer:
    | "id" // {ok:true,payload:{id}}
    | "whole" // the full document in the envelope
    | "bare" // the full document without an envelope
    | "nested" // {ok:true,payload:{document:{id}}}
    | "array" // {ok:true,payload:[{id}]}
    | "id-text" // {ok:true,payload:{id:"12"}}
    | "ok" // {ok:true}
    | "null-payload" // {ok:true,payload:null}
    | "location" // no body, a Location header
    | "empty" // no body at all
    | "list-item" // the form lists have
    | "list-item-with-folder" // the same, with `folder: {id}`
    | "file" // the first File: `id` is the file's, `document_id` the document's
    | "invitation" // the first Invitation: `id` is the invitation's
    | "file-and-document-id" // {ok:true,payload:{id,document_id}}: `id` is the file's
    | "id-beside" // {ok:true,id,payload:null}
    | "word" // "created"
    | "no-content"; // 204
  createStatus: number;
  errors: "message" | "code" | "text" | "envelope";
  /** What another account's document looks like. */
  foreign: 404 | 403;
  firstId: bigint;
  idStep: bigint;
  /** `per-kind`: documents, files, invitations and folders each count for themselves, so a file and a document share an id. */
  idSequence: "shared" | "per-kind";
  /** Documents that other people of the account made on the platform before anything else. */
  decoys: number;
  idsAs: "numbers" | "text";
  timestamps: "offset" | "z" | "no-milliseconds";
  /** UTC offsets in minutes; each document takes the next one. */
  offsets: number[];
  /** The zone in which from_date and to_date are days. */
  dayOffset: number;
  toDate: "inclusive" | "exclusive";
  order: "oldest" | "newest" | "shuffled";
  /** Lists show so many and no more; a second page can't be asked for. */
  pageSize: number;
  /** Lists show documents of the last so many milliseconds alone. */
  listedMs: number;
  /** Each row of a list comes twice. */
  repeatsRows: boolean;
  /** Which documents no list shows: none, those with a status the interface doesn't name, or those in a folder unless it is asked for. */
  unlisted: "none" | "unknown-status" | "in-a-folder";
  /** `basic`: rows without description, owner, organization and `updated_at`. */
  rows: "full" | "basic";
  /**
   * What GET /v1/documents/:id answers: the document, or 404 to the first read of each, to every third, to all, 403 to all,
   * or the body of another document.
   */
  reads: "document" | "404-first" | "404-every-third" | "404-always" | "403-always" | "another-document";
  lastVersion: "latest" | "no-file";
  keys: "shuffled" | "natural";
  extraFields: boolean;
  /** Values nobody has documented for invitation, file and certificate statuses and for owner_type. */
  unknownEnums: boolean;
  /** The status of a document nobody has signed. */
  unsignedStatus: string;
  form: "as-documented" | "basic" | "extended";
  description: "as-given" | "null" | "absent";
  /** `stamped`: the service rewrites the PDF, so neither its hash nor its bytes are what was uploaded. */
  sha256: "hex" | "HEX" | "null" | "stamped";
  /** Who is listed: invitees from when on; `fewer`: the last invitee never; `more`: an observer as well, who never signs. */
  signers: "at-creation" | "when-opened" | "when-signed" | "fewer" | "more";
  /** Where a signer's address is. `signer` and `neither` come with `user: {user_id: null}`, `no-user` without it. */
  emailOn: "both" | "signer" | "user" | "neither" | "no-user" | "user-id-only";
  emailCase: "as-given" | "upper" | "mixed";
  inviteeCase: "as-given" | "lower" | "upper";
  folderId: "honour" | "ignore" | "reject";
  files: "ascending" | "descending";
  /** signed_ended_at and signed_file_url before anybody has signed. */
  unsignedBlanks: "null" | "absent" | "empty";
  /** What becomes of a document's texts and people before they are stored. */
  stores: (wanted: NewDocument) => NewDocument;
  /** Downloads at a file's `url`: for everyone, with the key, gone, or answered by a redirect to another path. */
  downloads: "open" | "key" | "missing" | "redirect";
  /** Origin written into file addresses; undefined: our own. */
  fileOrigin: string | undefined;
  reminderMethod: "POST" | "GET" | "both";
  /** `sent`: a mail and a 204; the others send nothing. */
  reminderAnswer: "sent" | "501" | "302" | "not-ok" | "ok-with-body";
  /** The addresses of section 4.8. */
  certificates: "open" | "key" | "elsewhere" | "never";
  /** Every so many-th request is refused with 429. */
  refusesEvery: number;
  retryAfter: string | undefined;
  /** A create whose answer was lost is carried out so much later, by the service's clock. */
  lateMs: number;
  tokenLifeMs: number;
  framing: "length" | "chunked";
  /** `Date` header: by the clock, by the clock plus so many ms, always the same moment, or left out, or garbage. */
  date: "clock" | "none" | "garbage" | { aheadMs: number } | { always: number };
}

export const ownDialect: Dialect = {
  createAnswer: "id",
  createStatus: 201,
  errors: "message",
  foreign: 404,
  firstId: 90_210_007n,
  idStep: 7n,
  idSequence: "shared",
  decoys: 0,
  idsAs: "numbers",
  timestamps: "offset",
  offsets: [345, -360],
  dayOffset: 345,
  toDate: "inclusive",
  order: "oldest",
  pageSize: Number.POSITIVE_INFINITY,
  listedMs: Number.POSITIVE_INFINITY,
  repeatsRows: false,
  unlisted: "none",
  rows: "full",
  reads: "document",
  lastVersion: "latest",
  keys: "shuffled",
  extraFields: true,
  unknownEnums: false,
  unsignedStatus: "unsigned",
  form: "as-documented",
  description: "as-given",
  sha256: "hex",
  signers: "at-creation",
  emailOn: "both",
  emailCase: "as-given",
  inviteeCase: "as-given",
  folderId: "honour",
  files: "descending",
  unsignedBlanks: "null",
  stores: wanted => wanted,
  downloads: "open",
  fileOrigin: undefined,
  reminderMethod: "POST",
  reminderAnswer: "sent",
  certificates: "open",
  refusesEvery: Number.POSITIVE_INFINITY,
  retryAfter: undefined,
  lateMs: 0,
  tokenLifeMs: 3_600_000,
  framing: "length",
  date: "clock",
};

export interface NamedDialect {
  /** `point: answer`; of several, one after the other. */
  readonly name: string;
  readonly settings: IndependentServiceOptions;
}

const dialect = (settings: Partial<Dialect>): IndependentServiceOptions => ({ dialect: settings });
/** Ids of files, invitations and folders that are ids of other people's documents. */
const misleading = { idSequence: "per-kind", decoys: 6 } as const;
const stores = (change: (wanted: NewDocument) => NewDocument): IndependentServiceOptions => dialect({ stores: change });
const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** The open points of the interface, and for each the ways this service can differ from `ownDialect`. Each is allowed; none is shown. */
const points: Record<string, Record<string, IndependentServiceOptions>> = {
  create: {
    "whole document": dialect({ createAnswer: "whole" }),
    "document without envelope": dialect({ createAnswer: "bare" }),
    "list form": dialect({ createAnswer: "list-item" }),
    "list form with folder": dialect({ createAnswer: "list-item-with-folder", ...misleading }),
    File: dialect({ createAnswer: "file", ...misleading }),
    Invitation: dialect({ createAnswer: "invitation", ...misleading }),
    "id and document_id": dialect({ createAnswer: "file-and-document-id", ...misleading }),
    "id beside the payload": dialect({ createAnswer: "id-beside" }),
    "id inside payload.document": dialect({ createAnswer: "nested" }),
    array: dialect({ createAnswer: "array" }),
    null: dialect({ createAnswer: "null-payload" }),
    "ok alone": dialect({ createAnswer: "ok" }),
    "a word": dialect({ createAnswer: "word" }),
    "empty 200": dialect({ createAnswer: "empty", createStatus: 200 }),
    "empty 204": dialect({ createAnswer: "no-content" }),
    Location: dialect({ createAnswer: "location" }),
  },
  lists: {
    "newest first": dialect({ order: "newest" }),
    unordered: dialect({ order: "shuffled" }),
    ...Object.fromEntries(
      [2, 5, 20].flatMap(pageSize =>
        (["newest", "oldest", "shuffled"] as const).map(order => [
          `${order === "shuffled" ? "unordered" : `${order} first`}, cut at ${pageSize}`,
          dialect({ order, pageSize, decoys: pageSize * 3, createAnswer: "ok" }),
        ]),
      ),
    ),
    lagging: { dialect: { createAnswer: "ok" }, lag: { get: 0, list: 3 } },
    "lagging, reads too": { dialect: { createAnswer: "id" }, lag: 3 },
    "repeating rows": dialect({ repeatsRows: true, createAnswer: "ok" }),
    "without unknown statuses": dialect({ unlisted: "unknown-status", unsignedStatus: "drafted", createAnswer: "ok" }),
    "without documents in folders": dialect({ unlisted: "in-a-folder", createAnswer: "ok" }),
    "basic rows": dialect({ rows: "basic", createAnswer: "ok" }),
  },
  to_date: { exclusive: dialect({ toDate: "exclusive", createAnswer: "ok" }) },
  GET: {
    "404 once": dialect({ reads: "404-first" }),
    "404 now and then": dialect({ reads: "404-every-third" }),
    "404 always": dialect({ reads: "404-always" }),
    "403 always": dialect({ reads: "403-always" }),
    "another document's body": dialect({ reads: "another-document", decoys: 2 }),
    "last_version names no file": dialect({ lastVersion: "no-file" }),
  },
  signers: {
    "without address": dialect({ emailOn: "neither" }),
    "without user": dialect({ emailOn: "no-user" }),
    "with a user_id only": dialect({ emailOn: "user-id-only" }),
    "fewer than invitations": dialect({ signers: "fewer" }),
    "more than invitations": dialect({ signers: "more" }),
    "once they sign": dialect({ signers: "when-signed" }),
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
    "description left out": dialect({ description: "absent" }),
  },
  folder_id: { ignored: dialect({ folderId: "ignore" }), refused: dialect({ folderId: "reject" }) },
  reminders: {
    GET: dialect({ reminderMethod: "GET" }),
    "501": dialect({ reminderAnswer: "501" }),
    "302": dialect({ reminderAnswer: "302" }),
    "200 with ok: false": dialect({ reminderAnswer: "not-ok" }),
    "200 with ok: true": dialect({ reminderAnswer: "ok-with-body" }),
  },
  ids: {
    small: dialect({ firstId: 1n, idStep: 1n }),
    "above 2^53": dialect({ firstId: 9_007_199_254_740_993n, idStep: 1n }),
    strings: dialect({ idsAs: "text" }),
  },
  timestamps: {
    Z: dialect({ timestamps: "z" }),
    "without milliseconds": dialect({ timestamps: "no-milliseconds" }),
    "of many zones": dialect({ offsets: [-210, 840, 0] }),
  },
  words: {
    "unknown statuses and types": dialect({ unknownEnums: true, form: "extended" }),
    "an unknown status before signing": dialect({ unsignedStatus: "drafted" }),
  },
  form: { basic: dialect({ form: "basic" }), extended: dialect({ form: "extended" }) },
  sha256: {
    null: dialect({ sha256: "null" }),
    "of a rewritten PDF": dialect({ sha256: "stamped" }),
    "upper case": dialect({ sha256: "HEX" }),
  },
  certificates: {
    "with the key": dialect({ certificates: "key", downloads: "key" }),
    "on another origin": dialect({ certificates: "elsewhere", fileOrigin: "https://files.elsewhere.test" }),
    never: dialect({ certificates: "never", downloads: "missing" }),
  },
  limits: {
    "429 to every fourth": dialect({ refusesEvery: 4 }),
    "429 with Retry-After": dialect({ refusesEvery: 4, retryAfter: "1" }),
  },
  clock: {
    "Date minutes ahead": dialect({ date: { aheadMs: 7 * 60_000 } }),
    "Date minutes behind": dialect({ date: { aheadMs: -7 * 60_000 } }),
    "no Date": dialect({ date: "none" }),
    "a day ahead": { skewMs: 86_400_000 },
  },
  late: {
    "13 s": dialect({ lateMs: 13_000, createAnswer: "ok" }),
    "20 s": dialect({ lateMs: 20_000, createAnswer: "ok" }),
  },
  errors: { "plain text": dialect({ errors: "text" }), "in the envelope": dialect({ errors: "envelope" }) },
};

/** One point answered differently, all others as `ownDialect` has them. */
export const dialects: readonly NamedDialect[] = Object.entries(points).flatMap(([point, answers]) =>
  Object.entries(answers).map(([answer, settings]) => ({ name: `${point}: ${answer}`, settings })),
);

/** About every third point answered differently, always the same for a seed. */
export function dialectsOf(seed: number): readonly NamedDialect[] {
  return Object.entries(points).flatMap(([point, answers]) => {
    const next = chance(seedFrom(seed, "dialect", point));
    const answer = next() < 0.35 ? pick(Object.keys(answers), next) : undefined;
    return dialects.filter(({ name }) => name === `${point}: ${answer}`);
  });
}

/** Several dialects at once. Where two answer the same, as several want an answer without an id, the later one says. */
export function together(several: readonly NamedDialect[]): NamedDialect {
  const settings: IndependentServiceOptions = { dialect: {} };
  for (const { settings: more } of several)
    Object.assign(settings, more, { dialect: Object.assign(settings.dialect ?? {}, more.dialect) });
  return { name: several.map(({ name }) => name).join(" · ") || "own dialect", settings };
}

function mixed(names: readonly string[], more: Partial<Dialect> = {}): NamedDialect {
  const rest = Object.entries(more).map(([setting, value]): NamedDialect => {
    return { name: `${setting}: ${value}`, settings: dialect({ [setting]: value }) };
  });
  return together([...dialects.filter(({ name }) => names.includes(name)), ...rest]);
}

/** For tests that run one claim at each. Some of the settings are in no dialect above. */
export const mixedDialects: readonly NamedDialect[] = [
  mixed([]),
  mixed(["create: whole document", "lists: newest first", "form: extended"], { keys: "natural", files: "ascending" }),
  mixed(["errors: plain text"], { createAnswer: "empty", description: "null", extraFields: false, framing: "chunked" }),
  mixed(["create: ok alone", "lists: unordered", "sha256: upper case"], { createStatus: 200, errors: "code" }),
  mixed(["ids: above 2^53"]),
  mixed(["create: null", "lists: unordered", "texts: description left out", "sha256: null"]),
  mixed(["signers: once they sign"], { emailOn: "user", emailCase: "upper", unsignedBlanks: "absent" }),
  mixed([], { signers: "when-opened", emailOn: "signer", emailCase: "mixed", inviteeCase: "lower" }),
  mixed(["create: array", "words: unknown statuses and types"], { unsignedBlanks: "empty" }),
  mixed(["create: Location", "folder_id: ignored", "timestamps: of many zones"]),
];
