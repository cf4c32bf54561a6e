import { isRecord } from "../core/records.js";
import {
  ForbiddenError,
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

/** Refresh and destroy are given the configuration in state, not the one just set. */
const settledSettings = (source: string): string =>
  source.startsWith("docsign:")
    ? ". Changed already? Refresh and destroy use the settings of the last `pulumi up`: run that first, or add `--run-program`"
    : "";

/** The error for an answer whose status isn't 2xx. */
export function statusError(answer: Answer, asking: RequestInfo): StatusError {
  const { status } = answer;
  const said = `${asking.asked} answered ${status}${saying(answer, asking.redactor)}`;
  const wait = retryAfterMs(answer.headers["retry-after"], serviceTime(answer, asking.now));
  const retryAt = wait === undefined ? undefined : new Date(Math.min(asking.now + wait, LAST_DATE_MS));
  if (status === 401)
    return new UnauthorizedError(
      `${said}: the service doesn't accept the credentials from ${asking.source}; check them${settledSettings(asking.source)}`,
      status,
    );
  if (status === 403)
    return new ForbiddenError(
      `${said}: the credentials from ${asking.source} aren't allowed to do this; check which account they belong to${settledSettings(asking.source)}`,
      status,
    );
  if (status === 404) return notFound(said, answer);
  if (status === 429) {
    const until = retryAt ? `; it asks to wait until ${retryAt.toISOString()}` : "";
    return new RateLimitedError(
      `${said}: too many requests${until}. Lower docsign:maxConcurrency, or try again later`,
      retryAt,
    );
  }
  if (status >= 500) return new ServiceFaultError(`${said}: the service has a fault; try again later`, status, retryAt);
  if (status >= 400) return new RefusedError(`${said}: the service refuses this request`, status);
  return new RedirectError(`${said}${target(answer, asking)}`, status);
}

const LAST_DATE_MS = 8.64e15;

function notFound(said: string, answer: Answer): NotFoundError {
  const json = isObject(answer.text);
  const advice = json
    ? "the account has nothing there. Check the id, whose key it is, and docsign:baseUrl (DOCSIGN_BASE_URL), its path included"
    : "this isn't the service's own 'not found'; check docsign:baseUrl (DOCSIGN_BASE_URL)";
  // Requests bring their version along.
  const twice = /\/v\d+\/v\d+\//.test(said) ? "; it ends in a version, which every request adds: take that out" : "";
  return new NotFoundError(`${said}: ${advice}${twice}`, json);
}

/** Redirects aren't followed: they would take the key along. The target's path may hold a secret, its origin can't. */
function target(answer: Answer, { origin, redactor }: RequestInfo): string {
  const location = answer.headers["location"];
  if (location === undefined || !URL.canParse(location, origin))
    return ": it answers with a redirect to nowhere; check docsign:baseUrl (DOCSIGN_BASE_URL)";
  return `: it redirects to ${redactor.redact(new URL(location, origin).origin)}, and redirects aren't followed; if that's the service's new address, set docsign:baseUrl (DOCSIGN_BASE_URL)`;
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
