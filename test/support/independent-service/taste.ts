import type { NewDocument } from "./records.js";

/** How this service answers where the interface says «not shown». Every choice is legal by the document; none is promised by it. */
export interface Taste {
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
  dateRangeNeedsStatus: boolean;
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
  keys: "shuffled" | "reversed" | "natural";
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
  expirationUnit: "s" | "ms";
  tokenLifeMs: number;
  maxDocuments: number;
  contentType: string;
  framing: "length" | "chunked" | "close";
  /** `Date` header: by the clock, by the clock plus so many ms, always the same moment, or left out, or garbage. */
  date: "clock" | "none" | "garbage" | { aheadMs: number } | { always: number };
}

export const ownTaste: Taste = {
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
  dateRangeNeedsStatus: true,
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
  expirationUnit: "s",
  tokenLifeMs: 3_600_000,
  maxDocuments: Number.POSITIVE_INFINITY,
  contentType: "application/json;charset=UTF-8",
  framing: "length",
  date: "clock",
};

/** Whole characters, for tests that run the same claim against each of them. */
export const characters = {
  plain: {},
  talkative: { createAnswer: "whole", form: "extended", order: "newest", keys: "natural", files: "ascending" },
  mute: { createAnswer: "empty", errors: "text", description: "null", extraFields: false, framing: "chunked" },
  "only ok": { createAnswer: "ok", createStatus: 200, errors: "code", sha256: "HEX", order: "shuffled" },
  "huge ids": { firstId: 9_007_199_254_740_993n, idStep: 1n, createAnswer: "id" },
  "no hashes": { sha256: "null", createAnswer: "null-payload", order: "shuffled", description: "absent" },
  "late signers": { signers: "when-signed", emailOn: "user", emailCase: "upper", unsignedBlanks: "absent" },
  "openers only": { signers: "when-opened", emailOn: "signer", emailCase: "mixed", inviteeCase: "lower" },
  "new words": { unknownEnums: true, form: "extended", createAnswer: "array", unsignedBlanks: "empty" },
  "deaf to folders": { folderId: "ignore", createAnswer: "location", offsets: [-210, 840, 0] },
} as const satisfies Record<string, Partial<Taste>>;
