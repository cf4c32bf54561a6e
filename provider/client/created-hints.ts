import { isRecord } from "../core/records.js";
import { id, wholeDocument } from "./bodies.js";
import type { DocumentBody } from "./service.js";
import type { Answer } from "./transport.js";

/** Lists inside a document whose elements name it. */
const PARTS = ["files", "invitations"] as const;

/**
 * Every id in a create's answer that may be the new document's, most likely first. The interface doesn't show this
 * answer, so such an id counts only once the document behind it was read. Ids below `folder`, `user`, `organization` and the
 * like belong to something else.
 */
export function createdHints(answer: Pick<Answer, "headers">, body: unknown): string[] {
  const inside = isRecord(body) ? [...idsOf(body["payload"]), ...idsOf(body)] : idsOf(body);
  return [...new Set([...inside, ...located(answer.headers["location"])])];
}

/** The document, where the answer is all of it: then its id can't be another thing's. */
export function createdDocument(body: unknown): DocumentBody | undefined {
  for (const value of isRecord(body) ? [body["payload"], body] : []) {
    for (const each of isRecord(value) ? [value["document"], value] : []) {
      const document = isRecord(each) ? wholeDocument.safeParse(each).data : undefined;
      if (document && isRecord(each) && isNamedByItsParts(each, document.id)) return document;
    }
  }
  return undefined;
}

const isNamedByItsParts = (document: Record<string, unknown>, documentId: string): boolean =>
  PARTS.every(name => {
    const parts = document[name];
    const namesIt = (part: unknown) => isRecord(part) && readId(part["document_id"])[0] === documentId;
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

function located(location: string | undefined): string[] {
  if (location === undefined) return [];
  const path = location.replace(/[?#].*$/s, "");
  const segment = /\/documents\/([0-9]+)(?:\/|$)/.exec(path) ?? /^(?!.*\/folders\/).*\/([0-9]+)\/?$/s.exec(path);
  return readId(segment?.[1]);
}

function readId(value: unknown): string[] {
  const { data } = id.safeParse(value);
  return data === undefined ? [] : [data];
}
