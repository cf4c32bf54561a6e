import type { DocumentRecord } from "../entities.js";
import { documentBody } from "../formatters.js";
import type { World } from "../world.js";
import { type Answer, json, nothing, payload } from "./route.js";

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
] as const;
export type CreateAnswer = (typeof createAnswers)[number];

export function answerCreated(world: World, document: DocumentRecord, variant: CreateAnswer, status: number): Answer {
  switch (variant) {
    case "document":
      return payload(status, documentBody(world, document));
    case "basic":
      return payload(status, documentBody(world, document, false));
    case "extended":
      return payload(status, documentBody(world, document, true));
    case "id":
      return payload(status, { id: document.id });
    case "bare":
      return json(status, documentBody(world, document));
    case "bare-id":
      return json(status, { id: document.id });
    case "ok":
      return json(status, { ok: true });
    case "empty":
      return nothing(status);
    case "truncated": {
      const text = JSON.stringify({ ok: true, payload: documentBody(world, document) });
      return { ...json(status, null), body: Buffer.from(text.slice(0, text.length / 2)) };
    }
  }
}
