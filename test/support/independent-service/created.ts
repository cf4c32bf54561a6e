import type { Dialect } from "./dialect.js";
import type { Json } from "./json.js";
import type { Looks } from "./looks.js";
import type { DocumentRecord } from "./records.js";
import { type HttpResponse, nothing, say } from "./response.js";

/** Everything a service may answer to a create, whose answer the interface doesn't show. */
export function createAnswers(
  looks: Looks,
  document: DocumentRecord,
  status: number,
  origin: string,
): Record<Dialect["createAnswer"], () => HttpResponse> {
  const id = BigInt(document.id);
  const brief = (json: Json): HttpResponse => say(status, json, { plain: true });
  const full = (payload: Json): HttpResponse => say(status, { ok: true, payload });
  const fileId = (): Json => looks.file(document)["id"];
  return {
    id: () => brief({ ok: true, payload: { id } }),
    whole: () => full(looks.document(document)),
    bare: () => say(status, looks.document(document)),
    nested: () => brief({ ok: true, payload: { document: { id } } }),
    array: () => brief({ ok: true, payload: [{ id }] }),
    "id-text": () => brief({ ok: true, payload: { id: document.id } }),
    ok: () => brief({ ok: true }),
    "null-payload": () => brief({ ok: true, payload: null }),
    location: () => nothing(status, { location: `${origin}/v1/documents/${document.id}` }),
    empty: () => nothing(status),
    "list-item": () => full(looks.listItem(document)),
    "list-item-with-folder": () => full({ ...looks.listItem(document), folder: { id: fileId(), name: "Inbox" } }),
    file: () => full(looks.file(document)),
    invitation: () => full(looks.invitation(document)),
    "file-and-document-id": () => brief({ ok: true, payload: { id: fileId(), document_id: id } }),
    "id-beside": () => brief({ ok: true, id, payload: null }),
    word: () => say(status, "created"),
    "no-content": () => nothing(204),
  };
}
