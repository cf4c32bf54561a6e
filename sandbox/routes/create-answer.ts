import type { SandboxContext } from "../context.js";
import { shownId } from "../dialect/ids.js";
import type { DocumentRecord } from "../entities.js";
import { documentBody, fileBodyOf, invitationBodyOf, listItemBody } from "../formatters.js";
import { latestFile } from "../rules.js";
import { json, nothing, payload, type RouteResponse } from "./route.js";

/** What was made, and with which status that is answered. */
interface Created {
  readonly context: SandboxContext;
  readonly document: DocumentRecord;
  readonly status: number;
}

/** The interface doesn't show what creating a document answers; these are the ways it could. */
const answers = {
  document: ({ context, document, status }) => payload(status, documentBody(context, document)),
  basic: ({ context, document, status }) => payload(status, documentBody(context, document, false)),
  extended: ({ context, document, status }) => payload(status, documentBody(context, document, true)),
  id: ({ document, status }) => payload(status, { id: document.id }),
  bare: ({ context, document, status }) => json(status, documentBody(context, document)),
  "bare-id": ({ document, status }) => json(status, { id: document.id }),
  ok: ({ status }) => json(status, { ok: true }),
  empty: ({ status }) => nothing(status),
  truncated: ({ context, document, status }) => {
    const text = JSON.stringify({ ok: true, payload: documentBody(context, document) });
    return { ...json(status, null), body: Buffer.from(text.slice(0, text.length / 2)) };
  },
  "list-item": ({ context, document, status }) => payload(status, listItemBody(context, document)),
  "list-item-with-folder": ({ context, document, status }) =>
    payload(status, { ...listItemBody(context, document), folder: { id: latestFile(document).id } }),
  file: ({ context, document, status }) => payload(status, fileBodyOf(context, document)),
  invitation: ({ context, document, status }) => payload(status, invitationBodyOf(context, document)),
  "file-and-document-id": ({ document, status }) =>
    payload(status, { id: latestFile(document).id, document_id: document.id }),
  "id-beside": ({ document, status }) => json(status, { ok: true, id: document.id, payload: null }),
  array: ({ document, status }) => payload(status, [{ id: document.id }]),
  null: ({ status }) => payload(status, null),
  word: ({ status }) => json(status, "created"),
  location: ({ context, document, status }) => {
    const address = `${context.origin}/v1/documents/${shownId(document.id, context.settings.ids)}`;
    return { ...nothing(status), headers: { Location: address } };
  },
} as const satisfies Readonly<Record<string, (created: Created) => RouteResponse>>;

export type CreateAnswer = keyof typeof answers;
export const createAnswers = Object.keys(answers) as readonly CreateAnswer[];

export const answerCreated = (variant: CreateAnswer, created: Created): RouteResponse => answers[variant](created);
