import { isRecord } from "../core/records.js";
import { quote } from "../core/text.js";
import { datedDocument, listedDocument, wholeDocument } from "./bodies.js";
import { type Listing, listingOf } from "./completeness.js";
import { createBody } from "./create-body.js";
import { createdDocument, createdHints } from "./created-hints.js";
import { notOk, payloadOf } from "./envelope.js";
import { InvalidArgumentError, UnreadableAnswerError } from "./errors.js";
import { parseId } from "./ids.js";
import type { Auth, Requests } from "./requests.js";
import { rowsOf } from "./rows.js";
import type {
  CreateAnswer,
  DatedDocument,
  DocumentBody,
  ListedDocument,
  NewDocument,
  RequestOptions,
  SendOptions,
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
  ask: SendOptions & { timeoutMs: number },
): Promise<CreateAnswer> {
  const body = createBody(document);
  return calls.writeInPlace({ method: "POST", to: "/v1/documents", body, ...ask }, keys, createAnswer);
}

/** The interface doesn't show this answer: what it holds are hints, and an answer without any is one too. */
function createAnswer(answer: Answer, asking: RequestInfo): CreateAnswer {
  const body = answer.text.trim() === "" ? undefined : readJson(answer, asking);
  if (isRecord(body) && body["ok"] === false) throw notOk(answer, asking);
  const document = createdDocument(body);
  const hints = createdHints(answer, body);
  if (hints.length === 0 && !saysYes(answer, body))
    throw new UnreadableAnswerError(
      `${asking.asked} answered ${answer.status} without the document's id, and with nothing that says it was created`,
    );
  return { hints, ...(document && { document }) };
}

/** The answer to a create isn't shown: it says yes unless it has an `ok` that isn't true, or an error. */
const saysYes = ({ status }: Answer, body: unknown): boolean =>
  status !== 200 || !isRecord(body) || !(("ok" in body && body["ok"] !== true) || "error" in body);

export function getDocument(
  calls: Requests,
  keys: Auth,
  id: string,
  ask: RequestOptions,
  by: "read" | "readInPlace" = "read",
): Promise<DocumentBody> {
  const known = parseId(id, "documentId");
  return calls[by]({ method: "GET", to: `/v1/documents/${known}`, ...ask }, keys, (answer, asking) => {
    const document = payloadOf(answer, asking, wholeDocument);
    if (document.id === known) return document;
    throw new UnreadableAnswerError(`${asking.asked}: expected document ${known}, got document ${document.id}`);
  });
}

export function listDocuments(
  calls: Requests,
  keys: Auth,
  filter: ListFilter,
  ask: RequestOptions & { limit: number },
): Promise<Listing<ListedDocument>> {
  const call = { method: "GET", to: "/v1/documents", query: places(filter), ...ask } as const;
  return calls.receive(call, keys, async (...answer) => listingOf(await rowsOf(listedDocument, ...answer)));
}

export function listDocumentsByDateRange(
  calls: Requests,
  keys: Auth,
  filter: DateFilter,
  ask: RequestOptions & { limit: number },
): Promise<Listing<DatedDocument>> {
  const query = {
    from_date: date(filter.fromDate, "fromDate"),
    to_date: date(filter.toDate, "toDate"),
    status: filter.status,
    // The interface says these filters exist here and leaves their names out; the list's names are the likely ones.
    ...places(filter),
  };
  const call = { method: "GET", to: "/v1/documents/by_date_range", query, ...ask } as const;
  return calls.receive(call, keys, async (...answer) => listingOf(await rowsOf(datedDocument, ...answer)));
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
