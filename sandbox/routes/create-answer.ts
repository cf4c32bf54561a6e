import type { SandboxContext } from "../context.js";
import { shownId } from "../dialect/ids.js";
import type { DocumentRecord } from "../entities.js";
import { documentBody, fileBodyOf, invitationBodyOf, listItemBody } from "../formatters.js";
import { latestFile } from "../rules.js";
import { json, nothing, payload, type RouteResponse } from "./route.js";

/** The interface doesn't show what creating a document answers; these are the ways it could. */
export const createAnswers = [
  "document",
  "basic",
  "extended",
  "id",
  "bare",
  "bare-id",
  "ok",
  "empty",
  "truncated",
  "list-item",
  "list-item-with-folder",
  "file",
  "invitation",
  "file-and-document-id",
  "id-beside",
  "array",
  "null",
  "word",
  "location",
] as const;
export type CreateAnswer = (typeof createAnswers)[number];

export function answerCreated(
  context: SandboxContext,
  document: DocumentRecord,
  variant: CreateAnswer,
  status: number,
): RouteResponse {
  switch (variant) {
    case "document":
      return payload(status, documentBody(context, document));
    case "basic":
      return payload(status, documentBody(context, document, false));
    case "extended":
      return payload(status, documentBody(context, document, true));
    case "id":
      return payload(status, { id: document.id });
    case "bare":
      return json(status, documentBody(context, document));
    case "bare-id":
      return json(status, { id: document.id });
    case "ok":
      return json(status, { ok: true });
    case "empty":
      return nothing(status);
    case "list-item":
      return payload(status, listItemBody(context, document));
    case "list-item-with-folder":
      return payload(status, { ...listItemBody(context, document), folder: { id: latestFile(document).id } });
    case "file":
      return payload(status, fileBodyOf(context, document));
    case "invitation":
      return payload(status, invitationBodyOf(context, document));
    case "file-and-document-id":
      return payload(status, { id: latestFile(document).id, document_id: document.id });
    case "id-beside":
      return json(status, { ok: true, id: document.id, payload: null });
    case "array":
      return payload(status, [{ id: document.id }]);
    case "null":
      return payload(status, null);
    case "word":
      return json(status, "created");
    case "location": {
      const address = `${context.origin}/v1/documents/${shownId(document.id, context.settings.ids)}`;
      return { ...nothing(status), headers: { Location: address } };
    }
    case "truncated": {
      const text = JSON.stringify({ ok: true, payload: documentBody(context, document) });
      return { ...json(status, null), body: Buffer.from(text.slice(0, text.length / 2)) };
    }
  }
}
