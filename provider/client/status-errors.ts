import { isRecord } from "../core/records.js";
import {
  ForbiddenError,
  LogInPageError,
  NotFoundError,
  RateLimitedError,
  RedirectError,
  RefusedError,
  ServiceFaultError,
  type StatusError,
  UnauthorizedError,
  UnreadableAnswerError,
} from "./errors.js";
import type { Redactor } from "./excerpt.js";
import { JsonError, parseJson } from "./json.js";
import { retryAfterMs } from "./retry.js";
import { meaningOf } from "./statuses.js";
import type { Answer } from "./transport.js";

export interface RequestInfo {
  /** Method and address, without the query. */
  readonly asked: string;
  readonly origin: string;
  /** Where the credentials came from; never the credentials. */
  readonly source: string;
  readonly redactor: Redactor;
  readonly now: number;
}

/** The error for an answer whose status isn't 2xx. */
export function statusError(answer: Answer, asking: RequestInfo): StatusError {
  const { status } = answer;
  const said = `${asking.asked} answered ${status}${saying(answer, asking.redactor)}`;
  const wait = retryAfterMs(answer.headers["retry-after"], serviceTime(answer, asking.now));
  const retryAt = wait === undefined ? undefined : new Date(Math.min(asking.now + wait, LAST_DATE_MS));
  const { error, words } = meaningOf(status, retryAt);
  const json = isObject(answer.text);
  const message = `${said}: ${words({ source: asking.source, retryAt, json, target: target(answer, asking) })}`;
  switch (error) {
    case "Unauthorized":
      return new UnauthorizedError(message, status);
    case "Forbidden":
      return new ForbiddenError(message, status);
    case "NotFound":
      return new NotFoundError(`${message}${twice(said)}`, json);
    case "RateLimited":
      return new RateLimitedError(message, retryAt);
    case "ServiceFault":
      return new ServiceFaultError(message, status, retryAt);
    case "Redirect":
      return new RedirectError(message, status);
    case "Refused":
      return new RefusedError(message, status);
  }
}

const LAST_DATE_MS = 8.64e15;

/** Requests bring their version along. */
const twice = (said: string): string =>
  /\/v\d+\/v\d+\//.test(said) ? "; it ends in a version, which every request adds: take that out" : "";

/** The target's path may hold a secret, its origin can't. */
function target(answer: Answer, { origin, redactor }: RequestInfo): string | undefined {
  const location = answer.headers["location"];
  if (location === undefined || !URL.canParse(location, origin)) return undefined;
  return redactor.redact(new URL(location, origin).origin);
}

function saying(answer: Answer, redactor: Redactor): string {
  if (looksLikePage(answer.text)) return " with a web page";
  const words = redactor.excerpt(answer.text);
  return words === "" ? "" : ` (${words})`;
}

/** `Retry-After` dates are by the service's clock. */
function serviceTime(answer: Answer, local: number): number {
  const date = Date.parse(answer.headers["date"] ?? "");
  return Number.isNaN(date) ? local : date;
}

function isObject(text: string): boolean {
  try {
    return isRecord(parseJson(text));
  } catch {
    return false;
  }
}

/** For an answer whose status is 2xx. */
export function logInPage({ status, text }: Answer, { asked }: RequestInfo): LogInPageError | undefined {
  if (!looksLikePage(text) || !/<input\b[^>]*\btype\s*=\s*["']?password\b/i.test(text)) return undefined;
  const { words } = meaningOf("log-in page");
  const nothing = { source: "", retryAt: undefined, json: false, target: undefined };
  return new LogInPageError(`${asked} answered ${status} with a log-in page: ${words(nothing)}`, status);
}

export function looksLikePage(text: string): boolean {
  return /^[\ufeff\s]*</.test(text);
}

/** The JSON of a 2xx answer; the content type isn't asked, services get it wrong. */
export function readJson(answer: Answer, asking: Pick<RequestInfo, "asked" | "redactor">): unknown {
  try {
    return parseJson(answer.text);
  } catch (error) {
    throw jsonTrouble(error, answer, asking);
  }
}

/** Why an answer can't be read as JSON. */
export function jsonTrouble(
  error: unknown,
  answer: Answer,
  asking: Pick<RequestInfo, "asked" | "redactor">,
): UnreadableAnswerError {
  const kind = error instanceof JsonError ? error.kind : "syntax";
  const what = {
    empty: "with nothing",
    page: "with what looks like a web page; check docsign:baseUrl (DOCSIGN_BASE_URL), and for a proxy or log-in page in between",
    deep: "with JSON nested too deep to be a document",
    many: "with JSON of too many values to be a document",
    syntax: `with something that isn't JSON (${asking.redactor.excerpt(answer.text)})`,
  }[kind];
  return new UnreadableAnswerError(
    `${asking.asked} answered ${answer.status} ${what}`,
    kind === "empty" || kind === "syntax",
  );
}
