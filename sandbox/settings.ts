import type { Moment } from "./clock.js";
import { type Dialect, dialectFrom, settingsOf } from "./dialect/dialect.js";
import type { CreateAnswer } from "./routes/create-answer.js";
import type { Scenario } from "./scenario.js";

/** How the service behaves where its interface leaves a choice. All of it can be changed while it runs. */
export interface Settings {
  /** `auto`: extended for documents with NOM151 or blockchain data and partially signed ones. */
  form: "auto" | "basic" | "extended";
  /** What `POST /v1/documents` answers. */
  createAnswer: CreateAnswer;
  createStatus: number;
  /** What becomes of `folder_id` in the create body. */
  createFolderId: "honoured" | "ignored" | "refused";
  /** Milliseconds after which a create is carried out whose answer a fault has lost. */
  createLate: number;
  /** Other people's documents have the ids of new files, invitations and folders. */
  idsCollide: boolean;
  ids: "numbers" | "small" | "large" | "strings";
  reminderMethods: readonly ("GET" | "POST")[];
  /** What a reminder with the other method is answered. */
  reminderRefusal: 404 | 405;
  /** 204 and `ok` mail; the others don't. */
  reminderAnswer: "204" | "ok" | "501" | "302" | "not-ok";
  certificatesNeedKey: boolean;
  filesNeedKey: boolean;
  /** Where certificates and files are: here, at another origin, or nowhere. */
  downloads: "here" | "elsewhere" | "never";
  /** Leave `sha256` of every file null. */
  nullSha256: boolean;
  /** Whether `files[].signers` lists everybody from the start, only who has signed, all but the last, or an observer as well. */
  signersListed: "from-the-start" | "when-signed" | "fewer" | "more";
  /** Who has an `email` of their own beside `user.email`. */
  signerEmail: "unregistered" | "always" | "never";
  /** What a signer's `user` says: who it is, nobody, the id alone, or the field isn't there. */
  signerUser: "shown" | "nobody" | "id" | "absent";
  listOrder: "newest-first" | "oldest-first" | "unordered";
  /** Rows a list shows at most; there is no second page. */
  listLimit: number | null;
  /** Each row comes twice. */
  listRepeats: boolean;
  /** Lists leave out documents with a status the interface doesn't name. */
  listHidesUnknown: boolean;
  listForm: "full" | "basic";
  /** Whether `to_date` is in the range. */
  toDate: "inclusive" | "exclusive";
  /** What reading a document answers. `404-once`: its first read; `404-at-times`: every third. */
  reads: "document" | "404-once" | "404-at-times" | "404" | "403" | "another";
  lastVersion: "latest" | "none";
  names: "as-given" | "trimmed" | "cut" | "escaped";
  emails: "as-given" | "lower-case";
  invitationOrder: "as-given" | "reversed";
  words: "known" | "unknown";
  /** The status of a document nobody has signed. */
  unsignedStatus: string;
  timestamps: "offset" | "z" | "no-milliseconds";
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

export const defaultSettings: Settings = {
  form: "auto",
  createAnswer: "document",
  createStatus: 201,
  createFolderId: "honoured",
  createLate: 0,
  idsCollide: false,
  ids: "numbers",
  reminderMethods: ["POST"],
  reminderRefusal: 405,
  reminderAnswer: "204",
  certificatesNeedKey: false,
  filesNeedKey: false,
  downloads: "here",
  nullSha256: false,
  signersListed: "from-the-start",
  signerEmail: "unregistered",
  signerUser: "shown",
  listOrder: "newest-first",
  listLimit: null,
  listRepeats: false,
  listHidesUnknown: false,
  listForm: "full",
  toDate: "inclusive",
  reads: "document",
  lastVersion: "latest",
  names: "as-given",
  emails: "as-given",
  invitationOrder: "as-given",
  words: "known",
  unsignedStatus: "unsigned",
  timestamps: "offset",
  refuseEvery: null,
  retryAfter: null,
  dateAhead: 0,
  lag: {},
  latency: 0,
  utcOffsetMinutes: -360,
  tokenLifetime: 86_400,
};

export interface SandboxOptions extends Partial<Settings> {
  /** How it answers what the interface leaves open; settings of its own win. */
  dialect?: Dialect;
  host?: string;
  /** 0 picks a free one. */
  port?: number;
  tls?: { key: string; cert: string };
  /** The same seed gives the same keys, tokens and addresses. */
  seed?: number;
  email?: string;
  password?: string;
  apiKey?: string;
  /** Documents the main account may have signed, and bytes it may upload; without limit unless given. */
  quota?: number;
  storage?: number;
  /** The service's time at the start. */
  now?: Moment;
  /** Whether time stands still until `clock.advance` moves it. */
  frozen?: boolean;
  /** Where the state is kept between runs. */
  file?: string;
  /** Answer under `/_sandbox/` too. */
  control?: boolean;
  /** Forget the bytes of PDFs, keeping their hashes. */
  keepContent?: boolean;
  scenario?: Scenario;
}

/** What the options say about behaviour, and the defaults for the rest. */
export function settingsFrom(options: SandboxOptions): Settings {
  const keys = Object.keys(defaultSettings).filter(key => Reflect.get(options, key) !== undefined);
  const dialect = settingsOf(dialectFrom(options.dialect ?? {}));
  return Object.assign({ ...defaultSettings, ...dialect }, ...keys.map(key => ({ [key]: Reflect.get(options, key) })));
}
