import { isRecord, notOk } from "./envelope.js";
import { NotFoundError, RefusedError, UnreadableAnswerError } from "./errors.js";
import { parseId } from "./ids.js";
import type { ReminderMethod } from "./options.js";
import type { Auth, Requests } from "./requests.js";
import type { RequestOptions } from "./service.js";
import { looksLikePage, type RequestInfo, readJson } from "./status-errors.js";
import type { Answer } from "./transport.js";

/** The interface's text says POST, its sample GET. Each is sent at most once, and GET only where POST isn't known. */
export class Reminders {
  readonly #calls: Requests;
  readonly #keys: Auth;
  #method: ReminderMethod;

  constructor(calls: Requests, keys: Auth, method: ReminderMethod) {
    this.#calls = calls;
    this.#keys = keys;
    this.#method = method;
  }

  async remind(invitationId: string, ask: RequestOptions): Promise<void> {
    const to = `/v1/invitations/${parseId(invitationId, "invitationId")}/reminder`;
    const send = (method: "GET" | "POST") => this.#calls.write({ method, to, ...ask }, this.#keys, understand);
    if (this.#method !== "auto") return send(this.#method);
    try {
      return await send("POST");
    } catch (posted) {
      if (!isUnknownMethod(posted)) throw posted;
      try {
        await send("GET");
      } catch (got) {
        // Neither method is known for this address: what POST said is the service's word on the invitation.
        throw got instanceof RefusedError && got.status === 405 ? posted : got;
      }
      this.#method = "GET";
    }
  }
}

function isUnknownMethod(error: unknown): boolean {
  return error instanceof NotFoundError || (error instanceof RefusedError && error.status === 405);
}

function understand(answer: Answer, asking: RequestInfo): void {
  if (looksLikePage(answer.text)) {
    throw new UnreadableAnswerError(
      `${asking.asked} answered ${answer.status} with what looks like a web page; check docsign:baseUrl`,
    );
  }
  const body = answer.text.trimStart().startsWith("{") ? readJson(answer, asking) : undefined;
  if (isRecord(body) && body["ok"] === false) throw notOk(answer, asking);
}
