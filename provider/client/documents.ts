import type * as z from "zod";
import { isRecord } from "../../kit/records.js";
import { escapeText, messageOf, quote, shorten } from "../core/text.js";
import { datedDocument, folder, idIn, listedDocument, notOk, parseId, payloadOf, wholeDocument } from "./bodies.js";
import {
  AmbiguousWriteError,
  ForbiddenError,
  type HttpResponse,
  InvalidArgumentError,
  LogInPageError,
  looksLikePage,
  NotFoundError,
  RateLimitedError,
  RefusedError,
  readJson,
  ServiceError,
  SourceError,
  StatusError,
  UnauthorizedError,
  UnreadableAnswerError,
  unreadable,
} from "./errors.js";
import { rawJson } from "./json.js";
import { listingOf, RowReader, rowsOf } from "./lists.js";
import type { RequestSpec, Requests } from "./requests.js";
import type {
  Bytes,
  CreateAnswer,
  DatedDocument,
  DateFilter,
  DocumentBody,
  DocumentFilter,
  FolderBody,
  ListedDocument,
  ListItem,
  Listing,
  NewDocument,
  NewInvitation,
  ReminderMethod,
  RequestOptions,
  SendOptions,
  Service,
} from "./service.js";
import type { StreamedBody } from "./transport.js";

// ---- The create's body ----

/** Base64 without padding in between: every piece but the last has a multiple of three bytes. */
const PIECE = 24 * 1024;
const DATA_URI = "data:application/pdf;base64,";

type Written = Omit<NewDocument, "pdf" | "extraParameters">;

/** What the body calls each field. One that NewDocument or NewInvitation gains doesn't compile before it is here. */
const FIELDS: Readonly<Record<keyof Written, string>> = {
  name: "name",
  description: "description",
  folderId: "folder_id",
  invitations: "invitations_attributes",
};
const PERSON: Readonly<Record<keyof NewInvitation, string>> = {
  email: "invite_email",
  name: "invite_name",
  message: "message",
  allowedSignatureTypes: "allowed_signature_types",
  stage: "stage",
};
const PDF = "base64_file";

/** What the create body calls things: `extraParameters` may not speak for one of them. */
export const BODY_FIELDS: readonly string[] = [...Object.values(FIELDS), PDF];

/** The JSON of a new document, its length known beforehand and the PDF never in memory as a whole. */
export function createBody(document: NewDocument): StreamedBody {
  const { pdf, ...fields } = document;
  const head = Buffer.from(`${headOf(fields)},"${PDF}":"${DATA_URI}`);
  const tail = Buffer.from('"}');
  return {
    length: head.length + 4 * Math.ceil(pdf.size / 3) + tail.length,
    // As few pieces as will do: each is written to the socket by itself.
    async *open() {
      let last: Buffer | undefined;
      for await (const piece of base64(pdf)) {
        if (last) yield last;
        last = last ? piece : Buffer.concat([head, piece]);
      }
      yield Buffer.concat([last ?? head, tail]);
    },
  };
}

function headOf({ extraParameters = {}, ...fields }: Omit<NewDocument, "pdf">): string {
  for (const [name, value] of Object.entries(extraParameters)) assertExtra(name, value);
  const folderId = fields.folderId === undefined ? undefined : rawJson(parseId(fields.folderId, "folderId"));
  const invitations = fields.invitations.map(each => renamed(each, PERSON));
  const body = { ...renamed({ ...fields, folderId, invitations }, FIELDS), ...extraParameters };
  return JSON.stringify(body).slice(0, -1);
}

function assertExtra(name: string, value: unknown): void {
  if (BODY_FIELDS.includes(name))
    throw new InvalidArgumentError(`extraParameters may not name ${quote(name)}: it has an input of its own`);
  try {
    JSON.stringify(value);
  } catch {
    throw new InvalidArgumentError(`extraParameters.${quote(name)} can't be written as JSON`);
  }
}

const renamed = <K extends string>(record: { readonly [Name in K]?: unknown }, names: Readonly<Record<K, string>>) =>
  Object.fromEntries(Object.entries<string>(names).map(([ours, name]) => [name, record[ours as K]]));

async function* base64(pdf: Bytes): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  let size = 0;
  for await (const chunk of source(pdf)) {
    size += chunk.byteLength;
    if (size > pdf.size) break;
    const view = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const bytes = rest.length === 0 ? view : Buffer.concat([rest, view]);
    const even = bytes.length - (bytes.length % 3);
    for (let at = 0; at < even; at += PIECE) yield encode(bytes.subarray(at, Math.min(even, at + PIECE)));
    // A copy: whoever gave the chunk may fill it again.
    rest = Buffer.from(bytes.subarray(even));
  }
  if (size !== pdf.size) {
    const how = size > pdf.size ? "more" : `only ${size}`;
    throw new SourceError(
      `the PDF changed while it was sent: it had ${pdf.size} bytes, then ${how}. The request was cut off: nothing was created`,
    );
  }
  if (rest.length > 0) yield encode(rest);
}

async function* source(pdf: Bytes): AsyncGenerator<Uint8Array> {
  try {
    yield* pdf.open();
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const reason = shorten(escapeText(messageOf(error)));
    throw new SourceError(
      `the PDF couldn't be read while it was sent: ${reason}. The request was cut off: nothing was created`,
    );
  }
}

function encode(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString("base64"), "latin1");
}

// ---- What a create's answer says ----

/** Lists inside a document whose elements name it. */
const PARTS = ["files", "invitations"] as const;

/**
 * Every id in a create's answer that may be the new document's, most likely first. The interface doesn't show this
 * answer, so such an id counts only once the document behind it was read. Ids below `folder`, `user`, `organization` and the
 * like belong to something else.
 */
export function createdHints(response: Pick<HttpResponse, "headers">, body: unknown): string[] {
  const inside = isRecord(body) ? [...idsOf(body["payload"]), ...idsOf(body)] : idsOf(body);
  return [...new Set([...inside, ...idsInLocation(response.headers["location"])])];
}

/** The document, where the answer is all of it: then its id can't be another thing's. */
function createdDocument(body: unknown): DocumentBody | undefined {
  const layers = isRecord(body) ? [body["payload"], body].filter(isRecord) : [];
  for (const each of layers.flatMap(layer => [layer["document"], layer]).filter(isRecord)) {
    const document = wholeDocument.safeParse(each).data;
    if (document && isNamedByItsParts(each, document.id)) return document;
  }
  return undefined;
}

const isNamedByItsParts = (document: Record<string, unknown>, documentId: string): boolean =>
  PARTS.every(name => {
    const parts = document[name];
    const namesIt = (part: unknown) => isRecord(part) && idIn(part["document_id"]) === documentId;
    return Array.isArray(parts) && parts.length > 0 && parts.every(namesIt);
  });

function idsOf(value: unknown): string[] {
  if (Array.isArray(value)) return idsOf(value[0]);
  if (!isRecord(value)) return readId(value);
  const parts = PARTS.flatMap(name => (Array.isArray(value[name]) ? (value[name] as unknown[]) : []));
  return [
    ...idsOf(value["document"]),
    ...idsOf(value["documents"]),
    ...readId(value["document_id"]),
    ...(isPartOfDocument(value) ? [] : readId(value["id"])),
    ...parts.flatMap(part => (isRecord(part) ? readId(part["document_id"]) : [])),
    ...(isPartOfDocument(value) ? readId(value["id"]) : []),
  ];
}

/** A File or an Invitation: its own id is most likely not the document's. */
const isPartOfDocument = (value: Record<string, unknown>): boolean => "document_id" in value;

function idsInLocation(location: string | undefined): string[] {
  if (location === undefined) return [];
  const path = location.replace(/[?#].*$/s, "");
  const segment = /\/documents\/([0-9]+)(?:\/|$)/.exec(path) ?? /^(?!.*\/folders\/).*\/([0-9]+)\/?$/s.exec(path);
  return readId(segment?.[1]);
}

function readId(value: unknown): string[] {
  const found = idIn(value);
  return found === undefined ? [] : [found];
}

// ---- Documents ----

export function createDocument(
  calls: Requests,
  document: NewDocument,
  options: SendOptions & { timeoutMs: number },
): Promise<CreateAnswer> {
  const body = createBody(document);
  // The page of the new document, with a field to log in by on top.
  const isKnownTo = (text: string) =>
    /\/documents\/[0-9]/.test(text) ||
    text.includes(document.name) ||
    document.invitations.some(({ email }) => text.includes(email));
  const call = {
    method: "POST",
    to: "/v1/documents",
    body,
    isWrite: true,
    inSlot: true,
    isKnownTo,
    ...options,
  } as const;
  return calls.send(call, createAnswer);
}

/** What a create's answer holds, if anything. */
function okBody(response: HttpResponse): unknown {
  const body = response.text.trim() === "" ? undefined : readJson(response);
  if (isRecord(body) && body["ok"] === false) throw notOk(response);
  return body;
}

/** The interface doesn't show this answer: what it holds are hints, and an answer without any is one too. */
function createAnswer(response: HttpResponse): CreateAnswer {
  const body = okBody(response);
  const document = createdDocument(body);
  const hints = createdHints(response, body);
  if (hints.length === 0 && !saysYes(response, body))
    throw unreadable(response, "without the document's id, and with nothing that says it was created");
  return { hints, ...(document && { document }) };
}

/** The answer to a create isn't shown: it says yes unless it has an `ok` that isn't true, or an error. */
const saysYes = ({ status }: HttpResponse, body: unknown): boolean =>
  status !== 200 || !isRecord(body) || !(("ok" in body && body["ok"] !== true) || "error" in body);

export function getDocument(
  calls: Requests,
  id: string,
  options: RequestOptions & { inSlot?: boolean },
): Promise<DocumentBody> {
  const documentId = parseId(id, "documentId");
  return calls.send({ method: "GET", to: `/v1/documents/${documentId}`, ...options }, response => {
    const document = payloadOf(response, wholeDocument);
    if (document.id === documentId) return document;
    throw new UnreadableAnswerError(
      `${response.endpoint}: expected document ${documentId}, got document ${document.id}`,
    );
  });
}

/** A 404 may come and go, so one is not enough. */
export const readTwice = (service: Service, id: string, signal: AbortSignal): Promise<DocumentBody> =>
  service.getDocument(id, { signal }).catch((error: unknown) => {
    if (error instanceof NotFoundError) return service.getDocument(id, { signal });
    throw error;
  });

/** Undefined where the service doesn't show it. */
export const readIfShown = (service: Service, id: string, signal: AbortSignal): Promise<DocumentBody | undefined> =>
  service.getDocument(id, { signal }).catch((error: unknown) => {
    if (isUnreadable(error)) return undefined;
    throw error;
  });

/** The service has it, and doesn't show it, or not as a document. */
export const isUnreadable = (error: unknown): boolean => UNREADABLE.some(kind => error instanceof kind);

const UNREADABLE = [NotFoundError, ForbiddenError, RefusedError, UnreadableAnswerError];

const listedRows = new RowReader(listedDocument);
const datedRows = new RowReader(datedDocument);

type ListOptions = RequestOptions & { limit: number };

export const listDocuments = (
  calls: Requests,
  filter: DocumentFilter,
  options: ListOptions,
): Promise<Listing<ListedDocument>> =>
  list(calls, listedRows, { to: "/v1/documents", query: folderAndOrganization(filter), ...options });

export function listDocumentsByDateRange(
  calls: Requests,
  filter: DateFilter,
  options: ListOptions,
): Promise<Listing<DatedDocument>> {
  const query = {
    from_date: date(filter.fromDate, "fromDate"),
    to_date: date(filter.toDate, "toDate"),
    status: filter.status,
    // The interface says these filters exist here and leaves their names out; the list's names are the likely ones.
    ...folderAndOrganization(filter),
  };
  return list(calls, datedRows, { to: "/v1/documents/by_date_range", query, ...options });
}

const list = <T extends z.ZodType<ListItem>>(
  calls: Requests,
  reader: RowReader<T>,
  call: Omit<RequestSpec, "method">,
): Promise<Listing<z.output<T>>> =>
  calls.sendStreamed({ method: "GET", ...call }, async response =>
    listingOf(await rowsOf(reader, response, call.signal)),
  );

function folderAndOrganization({ folderId, organizationId }: DocumentFilter): Record<string, string | undefined> {
  return {
    organization_id: organizationId === undefined ? undefined : parseId(organizationId, "organizationId"),
    folder_id: folderId === undefined ? undefined : parseId(folderId, "folderId"),
  };
}

function date(value: string, what: string): string {
  if (/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(value)) return value;
  throw new InvalidArgumentError(`${what} must be a date like 2026-01-31, got ${quote(value)}`);
}

// ---- Folders ----

export function createFolder(
  calls: Requests,
  { name }: { name: string },
  options: RequestOptions,
): Promise<FolderBody> {
  const call = { method: "POST", to: "/v1/folders", body: { name }, isWrite: true, waits: true, ...options } as const;
  return calls.send(call, response => createdFolder(response, name));
}

function createdFolder(response: HttpResponse, name: string): FolderBody {
  const body = okBody(response);
  const id = folderId(response, body);
  if (id === undefined) throw unreadable(response, "without the new folder's id");
  const shown = candidates(body).map(value => folder.safeParse(value).data);
  const made = shown.find(each => each?.id === id) ?? folder.parse({ id });
  return { ...made, name: made.name ?? name };
}

/** Where a folder's answer may hide what was made, nearest first. The interface doesn't show that answer. */
function candidates(body: unknown): unknown[] {
  const inner = isRecord(body) ? [body["payload"], body] : [];
  return inner.flatMap(value => (isRecord(value) ? [value["document"], value["folder"], value] : [value]));
}

function folderId({ headers }: HttpResponse, body: unknown): string | undefined {
  for (const value of candidates(body)) {
    const found = isRecord(value) ? (idIn(value["id"]) ?? idIn(value["folder_id"])) : idIn(value);
    if (found !== undefined) return found;
  }
  return idIn(/\/folders\/([0-9]+)\/?$/.exec(headers["location"] ?? "")?.[1]);
}

// ---- Reminders ----

/** The interface's text says POST, its sample GET. Each is sent at most once, and GET only where POST isn't known. */
export class Reminders {
  constructor(
    private readonly calls: Requests,
    private method: ReminderMethod,
  ) {}

  async remind(invitationId: string, options: SendOptions): Promise<void> {
    const to = `/v1/invitations/${parseId(invitationId, "invitationId")}/reminder`;
    const send = (method: RequestSpec["method"]) =>
      this.calls
        .send({ method, to, isWrite: true, inSlot: true, isUnseen: true, ...options }, assertAccepted)
        .catch((error: unknown) => {
          throw refusalIn(error) ?? error;
        });
    const first = this.method === "auto" ? "POST" : this.method;
    try {
      return await send(first);
    } catch (posted) {
      if (this.method !== "auto" || !isUnknownMethod(posted)) throw withAdvice(posted, first);
      try {
        await send("GET");
      } catch (got) {
        // Neither method is known for this address: what POST said is the service's word on the invitation.
        throw got instanceof RefusedError && got.status === 405 ? posted : got;
      }
      this.method = "GET";
    }
  }
}

/**
 * A no that a create would have to doubt: what `ok: false` or a method that isn't there made of a document can be looked
 * for, but a reminder can't, and taking it for sent would keep a person from being reminded.
 */
function refusalIn(error: unknown): StatusError | undefined {
  if (!(error instanceof AmbiguousWriteError)) return undefined;
  const { cause } = error;
  return cause instanceof StatusError && cause.meaning.done === "unlikely" ? cause : undefined;
}

/** The interface names two methods, so a no may be meant for this one. */
function withAdvice(error: unknown, method: RequestSpec["method"]): unknown {
  const OTHERS = [UnauthorizedError, ForbiddenError, RateLimitedError, LogInPageError];
  if (!(error instanceof StatusError) || OTHERS.some(kind => error instanceof kind)) return error;
  const other = method === "POST" ? "GET" : "POST";
  const message = `${error.message}. If reminders want ${other} at this service: \`pulumi config set docsign:reminderMethod ${other}\``;
  return error instanceof NotFoundError
    ? new NotFoundError(message, error.status, { json: error.json })
    : new RefusedError(message, error.status);
}

function isUnknownMethod(error: unknown): boolean {
  return error instanceof NotFoundError || (error instanceof RefusedError && error.status === 405);
}

function assertAccepted(response: HttpResponse): void {
  if (looksLikePage(response.text))
    throw unreadable(response, "with what looks like a web page; check docsign:baseUrl");
  const body = response.text.trimStart().startsWith("{") ? readJson(response) : undefined;
  if (isRecord(body) && body["ok"] === false) throw notOk(response);
}
