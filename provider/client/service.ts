import type { Clock } from "../core/clock.js";
import type { DatedDocument, DocumentBody, DocumentStatusFilter, FolderBody, ListedDocument } from "./bodies.js";
import type { DownloadOptions, Limits, SharedLimit } from "./requests.js";
import type { RequestOptions, SendOptions } from "./transport.js";

export type * from "./bodies.js";
export type { RequestOptions, SendOptions } from "./transport.js";

// ---- Options ----

/** `source` names the setting the secret came from; errors show it in the secret's place. */
export type Credentials =
  | { readonly kind: "apiKey"; readonly apiKey: string; readonly source: string }
  | { readonly kind: "login"; readonly email: string; readonly password: string; readonly source: string };

export type ReminderMethod = "auto" | "POST" | "GET";

export interface ServiceOptions {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly maxConcurrency: number;
  /** So many at a time to begin with, and more while answers come quickly. */
  readonly firstConcurrency: number;
  /** What processes on other machines share with this one. */
  readonly shared?: SharedLimit | undefined;
  readonly requestTimeoutMs: number;
  readonly uploadTimeoutMs: number;
  readonly reminderMethod: ReminderMethod;
  readonly limits?: Partial<Limits> | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
  readonly userAgent: string;
  /** Options of undici's connector, for tests: `{ ca }`, `{ lookup }`. */
  readonly connect?: object | undefined;
}

// ---- The service ----

/**
 * What the layers above ask of the service. Ids are strings of digits; timestamps keep the service's own text.
 * `client.ts` and its neighbours keep this promise; resources and functions know nothing else of HTTP.
 */

export interface NewInvitation {
  readonly email: string;
  readonly name?: string | undefined;
  readonly message?: string | undefined;
  readonly allowedSignatureTypes?: string | undefined;
  readonly stage?: number | undefined;
}

/** Bytes that can be read more than once, in constant memory. */
export interface Bytes {
  readonly size: number;
  open(): AsyncIterable<Uint8Array>;
}

export interface NewDocument {
  readonly name: string;
  readonly description?: string | undefined;
  readonly folderId?: string | undefined;
  readonly invitations: readonly NewInvitation[];
  readonly pdf: Bytes;
  readonly extraParameters?: Readonly<Record<string, unknown>> | undefined;
}

/** What a create was answered with. */
export interface CreateAnswer {
  /** Ids that may be the document's, most likely first; empty where the answer has none. Each counts once it was read. */
  readonly hints: readonly string[];
  /** The whole document, whose files and invitations all name its id. */
  readonly document?: DocumentBody | undefined;
}

/** A slot among the requests, and what is asked for in it. */
export interface Turn {
  /** Takes no other slot. */
  getDocument(id: string, options?: RequestOptions): Promise<DocumentBody>;
  /** Once. A lost answer is an AmbiguousWriteError. */
  createDocument(document: NewDocument, options?: SendOptions): Promise<CreateAnswer>;
  /** Once. A lost answer is an AmbiguousWriteError. */
  remind(invitationId: string, options?: SendOptions): Promise<void>;
}

export interface ListItem {
  readonly id: string;
  readonly createdAt: string | null;
}

/** What one request for a list was answered with. */
export interface Listing<T extends ListItem> {
  /** Each document once, in the order received. */
  readonly rows: readonly T[];
  /** How many rows came, repeated ones counted. */
  readonly received: number;
}

export type ListEndpoint = "documents" | "documentsByDateRange";

/** Left out, everywhere the key can see. */
export interface DocumentFilter {
  readonly folderId?: string | undefined;
  readonly organizationId?: string | undefined;
}

/** The days from one date to another, `2026-01-31`. */
export interface DateFilter extends DocumentFilter {
  readonly fromDate: string;
  readonly toDate: string;
  readonly status: DocumentStatusFilter;
}

export interface Service {
  /** Scheme, host and port: what a resource remembers of where it lives. */
  readonly origin: string;
  /** Names the account by its credentials, without saying them: other credentials may be another account's. */
  readonly account: string;
  /** base_url without a trailing slash: certificate addresses are built on it. */
  readonly baseUrl: string;
  /** The service's clock by its Date headers; undefined before the first answer. */
  now(): Date | undefined;
  /** The same, in milliseconds, to measure with; undefined as well where it was seen to stand still. */
  ticks(): number | undefined;

  /**
   * Waits for a slot among the requests that write, past any pause that the service asked for, and with a key at hand.
   * The slot is kept until `work` settles. Whatever mails people goes out in one.
   */
  turn<T>(work: (turn: Turn) => Promise<T>, options?: Pick<RequestOptions, "signal">): Promise<T>;
  getDocument(id: string, options?: RequestOptions): Promise<DocumentBody>;
  listDocuments(filter: DocumentFilter, options?: RequestOptions): Promise<Listing<ListedDocument>>;
  listDocumentsByDateRange(filter: DateFilter, options?: RequestOptions): Promise<Listing<DatedDocument>>;
  /** The most rows any answer of that list has had so far: a page holds at least as many. */
  longestList(endpoint: ListEndpoint): number;
  createFolder(folder: { name: string }, options?: RequestOptions): Promise<FolderBody>;
  /** A file at the service's own origin, or at one that is allowed (without the key), read as a stream; no redirects. */
  download(url: string, options?: DownloadOptions): Promise<AsyncIterable<Uint8Array>>;
  /** Ends every request under way. */
  close(): Promise<void>;
}
