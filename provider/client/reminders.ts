import { isRecord } from "../core/records.js";
import { notOk } from "./envelope.js";
import {
  AmbiguousWriteError,
  ForbiddenError,
  LogInPageError,
  NotFoundError,
  RateLimitedError,
  RefusedError,
  StatusError,
  UnauthorizedError,
  UnreadableAnswerError,
} from "./errors.js";
import { parseId } from "./ids.js";
import type { ReminderMethod } from "./options.js";
import type { Auth, Requests } from "./requests.js";
import type { SendOptions } from "./service.js";
import { looksLikePage, type RequestInfo, readJson } from "./status-errors.js";
import type { Answer } from "./transport.js";

type Method = "GET" | "POST";

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

  async remind(invitationId: string, ask: SendOptions): Promise<void> {
    const to = `/v1/invitations/${parseId(invitationId, "invitationId")}/reminder`;
    const send = (method: Method) =>
      this.#calls
        .writeInPlace({ method, to, isUnseen: true, ...ask }, this.#keys, understand)
        .catch((error: unknown) => {
          throw refusalIn(error) ?? error;
        });
    const first = this.#method === "auto" ? "POST" : this.#method;
    try {
      return await send(first);
    } catch (posted) {
      if (this.#method !== "auto" || !isUnknownMethod(posted)) throw withAdvice(posted, first);
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
function withAdvice(error: unknown, method: Method): unknown {
  const OTHERS = [UnauthorizedError, ForbiddenError, RateLimitedError, LogInPageError];
  if (!(error instanceof StatusError) || OTHERS.some(kind => error instanceof kind)) return error;
  const other = method === "POST" ? "GET" : "POST";
  const message = `${error.message}. If reminders want ${other} at this service: \`pulumi config set docsign:reminderMethod ${other}\``;
  return error instanceof NotFoundError
    ? new NotFoundError(message, error.json)
    : new RefusedError(message, error.status);
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
