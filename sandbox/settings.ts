import type { CreateAnswer } from "./routes/create-answer.js";

/** Settings that are one of a few words. The first is the sandbox's own. */
export const choices = {
  /** `auto`: extended for documents with NOM151 or blockchain data and partially signed ones. */
  form: ["auto", "basic", "extended"],
  /** What becomes of `folder_id` in the create body. */
  createFolderId: ["honoured", "ignored", "refused"],
  ids: ["numbers", "small", "large", "strings"],
  /** 204 and `ok` mail; the others don't. */
  reminderAnswer: ["204", "ok", "501", "302", "not-ok"],
  /** Where certificates and files are: here, at another origin, or nowhere. */
  downloads: ["here", "elsewhere", "never"],
  /** Whether `files[].signers` lists everybody from the start, only who has signed, all but the last, or an observer as well. */
  signersListed: ["from-the-start", "when-signed", "fewer", "more"],
  /** Who has an `email` of their own beside `user.email`. */
  signerEmail: ["unregistered", "always", "never"],
  /** What a signer's `user` says: who it is, nobody, the id alone, or the field isn't there. */
  signerUser: ["shown", "nobody", "id", "absent"],
  listOrder: ["newest-first", "oldest-first", "unordered"],
  listForm: ["full", "basic"],
  /** Whether `to_date` is in the range. */
  toDate: ["inclusive", "exclusive"],
  /** What reading a document answers. `404-once`: its first read; `404-at-times`: every third. */
  reads: ["document", "404-once", "404-at-times", "404", "403", "another"],
  lastVersion: ["latest", "none"],
  names: ["as-given", "trimmed", "cut", "escaped"],
  emails: ["as-given", "lower-case"],
  invitationOrder: ["as-given", "reversed"],
  words: ["known", "unknown"],
  timestamps: ["offset", "z", "no-milliseconds"],
} as const;

export type Choices = { [K in keyof typeof choices]: (typeof choices)[K][number] };

/** How the service behaves where its interface leaves a choice. All of it can be changed while it runs. */
export interface Settings extends Choices {
  /** What `POST /v1/documents` answers. */
  createAnswer: CreateAnswer;
  createStatus: number;
  /** Milliseconds after which a create is carried out whose answer a fault has lost. */
  createLate: number;
  /** Other people's documents have the ids of new files, invitations and folders. */
  idsCollide: boolean;
  reminderMethods: readonly ("GET" | "POST")[];
  /** What a reminder with the other method is answered. */
  reminderRefusal: 404 | 405;
  certificatesNeedKey: boolean;
  filesNeedKey: boolean;
  /** Leave `sha256` of every file null. */
  nullSha256: boolean;
  /** Rows a list shows at most; there is no second page. */
  listLimit: number | null;
  /** Each row comes twice. */
  listRepeats: boolean;
  /** Lists leave out documents with a status the interface doesn't name. */
  listHidesUnknown: boolean;
  /** The status of a document nobody has signed. */
  unsignedStatus: string;
  /** Every so many-th request is answered 429. */
  refuseEvery: number | null;
  /** Seconds in its `Retry-After`, null for none. */
  retryAfter: number | null;
  /** Milliseconds the header Date is ahead of the service's clock. */
  dateAhead: number;
  /** New documents can't be read until this much time passed, this many reads missed them, or this many lists. */
  lag: { ms?: number; requests?: number; lists?: number };
  /** Milliseconds every answer takes. */
  latency: number;
  utcOffsetMinutes: number;
  /** Seconds a login token is good for. */
  tokenLifetime: number;
}

const ownChoices = Object.fromEntries(Object.entries(choices).map(([name, [first]]) => [name, first])) as Choices;

export const defaultSettings: Settings = {
  ...ownChoices,
  createAnswer: "document",
  createStatus: 201,
  createLate: 0,
  idsCollide: false,
  reminderMethods: ["POST"],
  reminderRefusal: 405,
  certificatesNeedKey: false,
  filesNeedKey: false,
  nullSha256: false,
  listLimit: null,
  listRepeats: false,
  listHidesUnknown: false,
  unsignedStatus: "unsigned",
  refuseEvery: null,
  retryAfter: null,
  dateAhead: 0,
  lag: {},
  latency: 0,
  utcOffsetMinutes: -360,
  tokenLifetime: 86_400,
};
