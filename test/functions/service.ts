import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import type { Values } from "../../kit/values.js";
import { wholeDocument } from "../../provider/client/bodies.js";
import { StatusError } from "../../provider/client/errors.js";
import { LongestLists, listingOf } from "../../provider/client/lists.js";
import type {
  DatedDocument,
  DocumentBody,
  ListEndpoint,
  ListedDocument,
  ListItem,
  Listing,
  Service,
} from "../../provider/client/service.js";
import { functions } from "../../provider/functions/index.js";
import type { Context } from "../../provider/resources/context.js";
import type { Call } from "../../provider/resources/resource.js";

type DateFilter = Parameters<Service["listDocumentsByDateRange"]>[0];

/** A service that knows what it is given, and remembers what it was asked. Anything but reading fails. */
export class FakeService {
  readonly origin = "https://sign.example.com";
  readonly baseUrl = "https://sign.example.com/api";
  readonly asked: unknown[][] = [];
  readonly #longest = new LongestLists();
  documents: DocumentBody[] = [];
  listed: ListedDocument[] = [];
  dated: (filter: DateFilter) => DatedDocument[] | Promise<DatedDocument[]> = () => [];

  async getDocument(id: string): Promise<DocumentBody> {
    this.asked.push(["getDocument", id]);
    const body = this.documents.find(document => document.id === id);
    if (!body) throw new Error(`no document ${id}`);
    return body;
  }

  /** What an address answers, with the key and without. */
  stored: (address: string, withKey: boolean) => string | Error = () => new StatusError("nothing there", 404);

  async download(address: string, { withKey = false }: { withKey?: boolean }): Promise<AsyncIterable<Uint8Array>> {
    this.asked.push(["download", address, withKey]);
    const answered = this.stored(address, withKey);
    if (answered instanceof Error) throw answered;
    return Readable.from([Buffer.from(answered)]);
  }

  async listDocuments(filter: object): Promise<Listing<ListedDocument>> {
    this.asked.push(["listDocuments", filter]);
    return this.#noted("documents", this.listed);
  }

  async listDocumentsByDateRange(filter: DateFilter): Promise<Listing<DatedDocument>> {
    this.asked.push(["listDocumentsByDateRange", filter]);
    return this.#noted("documentsByDateRange", await this.dated(filter));
  }

  longestList(endpoint: ListEndpoint): number {
    return this.#longest.of(endpoint);
  }

  #noted<T extends ListItem>(endpoint: ListEndpoint, rows: readonly T[]): Listing<T> {
    return this.#longest.note(endpoint, listingOf(rows));
  }
}

export const call = (secrets: string[] = []): Call => ({
  urn: "",
  preview: true,
  signal: new AbortController().signal,
  log: { info() {}, warn() {}, progress() {}, debug() {} },
  secrets: new Set(secrets),
});

/** Invokes a function by its own name. */
export async function invoke(service: FakeService, name: string, args: Values, secrets: string[] = []) {
  const context = { service: () => service as unknown as Service } as Context;
  const found = functions(context).find(({ token }) => token === `docsign:index:${name}`);
  if (!found) throw new Error(`no function ${name}`);
  return found.invoke(call(secrets), args);
}

/** What a function answers; a failure is a failed test. */
export async function answer(service: FakeService, name: string, args: Values): Promise<Values> {
  const answered = await invoke(service, name, args);
  if ("failures" in answered) throw new Error(answered.failures.map(({ reason }) => reason).join("\n"));
  return answered.result;
}

/** What is wrong with arguments, as property → reason; nothing was asked of the service. */
export async function failures(name: string, args: Values, secrets: string[] = []): Promise<Record<string, string>> {
  const service = new FakeService();
  const answered = await invoke(service, name, args, secrets);
  if (service.asked.length > 0) throw new Error(`the service was asked: ${JSON.stringify(service.asked)}`);
  if (!("failures" in answered)) throw new Error("it was expected to fail, and didn't");
  return Object.fromEntries(answered.failures.map(({ property, reason }) => [property, reason]));
}

/** A document as the interface shows it, by the name of its fixture. */
export function fixture(name: string): DocumentBody {
  const url = new URL(`../fixtures/wire/${name}.json`, import.meta.url);
  return wholeDocument.parse(JSON.parse(readFileSync(url, "utf8")).payload);
}

export const listed = (id: string, more: Partial<ListedDocument> = {}): ListedDocument => ({
  id,
  ownerId: "118",
  ownerType: "User",
  folderId: null,
  name: `Document ${id}`,
  description: null,
  lastVersion: "1",
  status: "unsigned",
  organization: null,
  createdAt: "2026-01-31T10:00:00.000-06:00",
  updatedAt: null,
  ...more,
});

export const dated = (id: string, more: Partial<DatedDocument> = {}): DatedDocument => ({
  id,
  name: `Document ${id}`,
  description: null,
  createdAt: "2026-01-31T10:00:00.000-06:00",
  status: "unsigned",
  unsignedLastVersionUrl: null,
  signedLastVersionUrl: null,
  lastVersionSignedEndedAt: null,
  organizationId: null,
  organizationName: null,
  createdById: null,
  createdByName: null,
  createdByEmail: null,
  ...more,
});
