import * as z from "zod";
import { datedDocument, listedDocument, wholeDocument } from "./bodies.js";
import { createBody } from "./create-body.js";
import { candidates, createdId, isRecord, notOk, payloadOf } from "./envelope.js";
import { InvalidArgumentError, UnreadableAnswerError } from "./errors.js";
import { quote } from "./excerpt.js";
import { parseId } from "./ids.js";
import type { Auth, Requests } from "./requests.js";
import type {
  CreateAnswer,
  DatedDocument,
  DocumentBody,
  ListedDocument,
  NewDocument,
  RequestOptions,
  Service,
} from "./service.js";
import { type RequestInfo, readJson } from "./status-errors.js";
import type { Answer } from "./transport.js";

type DateFilter = Parameters<Service["listDocumentsByDateRange"]>[0];
type ListFilter = Parameters<Service["listDocuments"]>[0];

export function createDocument(
  calls: Requests,
  keys: Auth,
  document: NewDocument,
  ask: RequestOptions & { timeoutMs: number },
): Promise<CreateAnswer> {
  const body = createBody(document);
  return calls.write({ method: "POST", to: "/v1/documents", body, ...ask }, keys, createAnswer);
}

/** Whatever create answers, as long as it tells an id; the interface doesn't show this answer. */
function createAnswer(answer: Answer, asking: RequestInfo): CreateAnswer {
  const body = answer.text.trim() === "" ? undefined : readJson(answer, asking);
  if (isRecord(body) && body["ok"] === false) throw notOk(answer, asking);
  for (const value of candidates(body)) {
    if (!isRecord(value) || !Array.isArray(value["files"]) || !Array.isArray(value["invitations"])) continue;
    const document = wholeDocument.safeParse(value).data;
    if (document) return { kind: "document", document };
  }
  const id = createdId(answer, body, "document");
  if (id !== undefined) return { kind: "id", id };
  throw new UnreadableAnswerError(`${asking.asked} answered ${answer.status} without the new document's id`);
}

export function getDocument(calls: Requests, keys: Auth, id: string, ask: RequestOptions): Promise<DocumentBody> {
  const known = parseId(id, "documentId");
  return calls.read({ method: "GET", to: `/v1/documents/${known}`, ...ask }, keys, (answer, asking) => {
    const document = payloadOf(answer, asking, wholeDocument);
    if (document.id === known) return document;
    throw new UnreadableAnswerError(`${asking.asked} answered with another document, ${document.id}`);
  });
}

export function listDocuments(
  calls: Requests,
  keys: Auth,
  filter: ListFilter,
  ask: RequestOptions & { limit: number },
): Promise<ListedDocument[]> {
  const call = { method: "GET", to: "/v1/documents", query: places(filter), ...ask } as const;
  return calls.read(call, keys, (answer, asking) => payloadOf(answer, asking, z.array(listedDocument)));
}

export function listDocumentsByDateRange(
  calls: Requests,
  keys: Auth,
  filter: DateFilter,
  ask: RequestOptions & { limit: number },
): Promise<DatedDocument[]> {
  const query = {
    from_date: date(filter.fromDate, "fromDate"),
    to_date: date(filter.toDate, "toDate"),
    status: filter.status,
    // The interface says these filters exist here and leaves their names out; the list's names are the likely ones.
    ...places(filter),
  };
  const call = { method: "GET", to: "/v1/documents/by_date_range", query, ...ask } as const;
  return calls.read(call, keys, (answer, asking) => payloadOf(answer, asking, z.array(datedDocument)));
}

function places({ folderId, organizationId }: ListFilter): Record<string, string | undefined> {
  return {
    organization_id: organizationId === undefined ? undefined : parseId(organizationId, "organizationId"),
    folder_id: folderId === undefined ? undefined : parseId(folderId, "folderId"),
  };
}

function date(value: string, what: string): string {
  if (/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(value)) return value;
  throw new InvalidArgumentError(`${what} must be a date like 2026-01-31, got ${quote(value)}`);
}
