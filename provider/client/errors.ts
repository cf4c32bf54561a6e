import { hash } from "node:crypto";
import { isRecord, own } from "../../kit/records.js";
import { escapeText, messageKind, messageOf, shorten } from "../core/text.js";
import { JsonError, parseJson, type Redactor } from "./json.js";

// ---- Retry-After ----

/** `Retry-After` in milliseconds from `nowMs`: seconds or a date; undefined when it's neither. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? "";
  if (/^[0-9]{1,15}$/.test(text)) return Number(text) * 1000;
  // Date.parse takes "-5" and "2.5" for years; an HTTP date starts with the name of a day.
  const date = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

// ---- Responses ----

/** What an error says of a request. */
export interface RequestInfo {
  /** Method and address, without the query. */
  readonly endpoint: string;
  readonly origin: string;
  /** Where the credentials came from; never the credentials. */
  readonly source: string;
  readonly redactor: Redactor;
  /** When it was sent. */
  readonly now: number;
}

interface ResponseHead extends RequestInfo {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

export interface HttpResponse extends ResponseHead {
  readonly text: string;
}

/** One whose body is still to be read. */
export interface StreamedResponse extends ResponseHead {
  readonly chunks: AsyncIterable<Uint8Array>;
}

// ---- Errors ----

/**
 * One class per kind of failure. Whoever makes one has redacted its message; no raw error is ever kept as a cause,
 * because errors of sockets and parsers may quote what was sent.
 */
export class ServiceError extends Error {
  override readonly name: string = "ServiceError";
}

/** Something given to the client can't be asked for. Nothing was sent. */
export class InvalidArgumentError extends ServiceError {
  override readonly name = "InvalidArgumentError";
}

interface StatusFacts {
  /** By our clock. */
  readonly retryAt?: Date | undefined;
  /** Whether the body was JSON, as the service's are, or a page of whatever answers at that address. */
  readonly json?: boolean;
  /** A hash of what the answer complains of, without what is another in each answer, such as the id of a request. */
  readonly complaint?: string;
  readonly meaning?: StatusMeaning;
}

export class StatusError extends ServiceError {
  override readonly name: string = "StatusError";
  readonly retryAt: Date | undefined;
  readonly json: boolean;
  readonly complaint: string;
  readonly meaning: StatusMeaning;

  constructor(
    message: string,
    readonly status: number,
    { retryAt, json = true, complaint = "", meaning = meaningOf(status, retryAt) }: StatusFacts = {},
  ) {
    super(message);
    this.retryAt = retryAt;
    this.json = json;
    this.complaint = complaint;
    this.meaning = meaning;
  }

  /** Whether the service said the very same now, however often it is asked. */
  get isLasting(): boolean {
    return this.meaning.retry === "nothing";
  }
}

/** 401: the credentials aren't valid. */
export class UnauthorizedError extends StatusError {
  override readonly name = "UnauthorizedError";
}

/** 403: the credentials are valid for something else. */
export class ForbiddenError extends StatusError {
  override readonly name = "ForbiddenError";
}

export class NotFoundError extends StatusError {
  override readonly name = "NotFoundError";
}

/** 429, or a wait longer than a call may take. */
export class RateLimitedError extends StatusError {
  override readonly name = "RateLimitedError";
}

/** The service understood and said no: 400, 422, other 4xx, or `ok: false`. */
export class RefusedError extends StatusError {
  override readonly name = "RefusedError";
}

export class ServiceFaultError extends StatusError {
  override readonly name = "ServiceFaultError";
}

/** 3xx: redirects are not followed, they would carry the key elsewhere. */
export class RedirectError extends StatusError {
  override readonly name = "RedirectError";
}

/** 2xx, and a page that asks somebody to log in. */
export class LogInPageError extends StatusError {
  override readonly name = "LogInPageError";
}

/** Ended without a whole answer. */
class EndedError extends ServiceError {
  constructor(
    message: string,
    readonly sent: boolean,
  ) {
    super(message);
  }
}

/** No answer, or half of one. `sent: false` is proof that not one byte of the request left. */
export class TransportError extends EndedError {
  override readonly name = "TransportError";
  constructor(
    message: string,
    sent: boolean,
    readonly code: string | undefined,
    readonly retryable: boolean,
  ) {
    super(message, sent);
  }
}

export class TimeoutError extends EndedError {
  override readonly name = "TimeoutError";
}

/** An answer arrived whole and makes no sense. */
export class UnreadableAnswerError extends ServiceError {
  override readonly name = "UnreadableAnswerError";
  constructor(
    message: string,
    readonly retryable = false,
  ) {
    super(message);
  }
}

export class TooLargeError extends ServiceError {
  override readonly name = "TooLargeError";
}

/** The caller gave up, or the client was closed. `sent`: whether a write may have arrived all the same. */
export class CancelledError extends EndedError {
  override readonly name = "CancelledError";
}

/** The caller's time for it was over before all of it had left. `sent`: whether its beginning had. */
export class TooLateError extends EndedError {
  override readonly name = "TooLateError";
}

/** Logging in failed in a way that says nothing about what the caller asked for. */
export class LoginError extends ServiceError {
  override readonly name = "LoginError";
}

/** The PDF couldn't be read to its end, or changed while it was sent. The body was never completed: nothing was made. */
export class SourceError extends ServiceError {
  override readonly name = "SourceError";
}

/** A write was sent, or may have been, and nobody knows what came of it. */
export class AmbiguousWriteError extends ServiceError {
  override readonly name = "AmbiguousWriteError";

  constructor(
    message: string,
    readonly detail: string,
    override readonly cause?: ServiceError | undefined,
  ) {
    super(message);
  }

  get status(): number | undefined {
    return this.cause instanceof StatusError ? this.cause.status : undefined;
  }
}

// ---- Statuses ----

/** What is known of an answer whose status is no success. */
interface ErrorResponse extends Pick<RequestInfo, "source"> {
  readonly retryAt: Date | undefined;
  /** Whether the body is JSON, as the service's are. */
  readonly json: boolean;
  /** Of a redirect: the origin that it leads to. */
  readonly target: string | undefined;
  /** Method, address, status and the first words of its body. */
  readonly summary: string;
}

interface AnyMeaning {
  readonly error: new (...given: ConstructorParameters<typeof StatusError>) => StatusError;
  readonly explain: (response: ErrorResponse) => string;
  /**
   * Whether a write was done. `unlikely`: the service says no, but not so that a create needn't look. After `no` with a
   * `retry` of `writes` it looks as well, because it is sent again; what can't be looked for (a reminder) counts as done.
   */
  readonly done: "no" | "unlikely" | "unknown";
  /** What may be sent again after a wait: what only reads, or a write too. `nothing`: it would be answered the same. */
  readonly retry: "nothing" | "reads" | "writes";
}

/** What passes with time is no refusal: a read that is refused counts as not shown, and a list as not offered. */
export type StatusMeaning = AnyMeaning &
  (
    | { readonly retry: "nothing" | "reads" }
    | {
        readonly error: typeof RateLimitedError | typeof ServiceFaultError;
        readonly done: "no";
        readonly retry: "writes";
      }
  );

/** A no, in words of its own. */
const failing = (error: StatusMeaning["error"], explain: StatusMeaning["explain"]) =>
  ({ error, explain, done: "no", retry: "nothing" }) as const satisfies StatusMeaning;

const refused = failing(RefusedError, () => "the service refuses this request");
/** Redirects aren't followed: they would take the key along. */
const redirected = failing(RedirectError, ({ target }) =>
  target === undefined
    ? "it answers with a redirect to nowhere; check docsign:baseUrl (DOCSIGN_BASE_URL)"
    : `it redirects to ${target}, and redirects aren't followed; if that's the service's new address, set docsign:baseUrl (DOCSIGN_BASE_URL)`,
);
const undecided: StatusMeaning = { ...refused, done: "unknown" };
const tooEarly: StatusMeaning = { ...undecided, retry: "reads" };
const faulty = {
  error: ServiceFaultError,
  explain: () => "the service has a fault; try again later",
  done: "unknown",
  retry: "reads",
} as const satisfies StatusMeaning;
const unsupported: StatusMeaning = { ...faulty, done: "unlikely", retry: "nothing" };

/** Refresh and destroy are given the configuration in state, not the one just set. */
const settingsHint = (source: string): string =>
  source.startsWith("docsign:")
    ? ". Changed already? Refresh and destroy use the settings of the last `pulumi up`: run that first, or add `--run-program`"
    : "";

/** Requests bring their version along. */
const versionHint = (summary: string): string =>
  /\/v\d+\/v\d+\//.test(summary) ? "; it ends in a version, which every request adds: take that out" : "";

type StatusRow = number | `${number} with Retry-After` | `${number}xx` | "log-in page";

/** What each status means; one without a row of its own is its class's. A call may read more into one, such as a 405 of a method that isn't offered. */
const STATUSES: Readonly<Record<StatusRow, StatusMeaning>> = {
  // First: a row of one of these takes its place.
  ...Object.fromEntries(
    [400, 402, 405, 410, 411, 412, 413, 414, 415, 417, 421, 422, 426, 428, 431, 451].map(status => [status, refused]),
  ),
  /** `ok: false`. */
  "2xx": { ...refused, done: "unlikely" },
  /** What stands in between asks people to log in, and passes nothing on. */
  "log-in page": {
    ...redirected,
    error: LogInPageError,
    explain: () =>
      "what stands in between wants somebody to log in; check docsign:baseUrl (DOCSIGN_BASE_URL), network and proxy",
  },
  301: redirected,
  302: redirected,
  307: redirected,
  308: redirected,
  /** 303 shows where to see what was done; so does another that leads to what was asked for, or to something by its id. */
  "3xx": { ...redirected, done: "unlikely" },
  401: failing(
    UnauthorizedError,
    ({ source }) => `the service doesn't accept the credentials from ${source}; check them${settingsHint(source)}`,
  ),
  403: failing(
    ForbiddenError,
    ({ source }) =>
      `the credentials from ${source} aren't allowed to do this; check which account they belong to${settingsHint(source)}`,
  ),
  404: failing(
    NotFoundError,
    ({ json, summary }) =>
      (json
        ? "the account has nothing there. Check the id, whose key it is, and docsign:baseUrl (DOCSIGN_BASE_URL), its path included"
        : "this isn't the service's own 'not found'; check docsign:baseUrl (DOCSIGN_BASE_URL)") + versionHint(summary),
  ),
  408: tooEarly,
  425: tooEarly,
  429: {
    ...refused,
    error: RateLimitedError,
    explain: ({ retryAt }) =>
      `too many requests${retryAt ? `; it asks to wait until ${retryAt.toISOString()}` : ""}. Lower docsign:maxConcurrency, or try again later`,
    retry: "writes",
  },
  "4xx": undecided,
  501: unsupported,
  "503 with Retry-After": { ...faulty, done: "no", retry: "writes" },
  505: unsupported,
  "5xx": faulty,
};

export function meaningOf(status: number | "log-in page" | "3xx", retryAt?: Date | undefined): StatusMeaning {
  if (typeof status !== "number") return STATUSES[status] ?? undecided;
  const withRetryAfter = retryAt && STATUSES[`${status} with Retry-After`];
  return withRetryAfter ?? STATUSES[status] ?? STATUSES[`${Math.trunc(status / 100)}xx`] ?? undecided;
}

// ---- Connections ----

const UNREACHABLE: Readonly<Record<string, string>> = {
  ENOTFOUND: "the host name is unknown; check docsign:baseUrl (DOCSIGN_BASE_URL)",
  EAI_AGAIN: "the host name can't be resolved just now; check the network",
  ECONNREFUSED: "nothing listens at that address; check docsign:baseUrl (DOCSIGN_BASE_URL)",
  EHOSTUNREACH: "the host can't be reached; check the network",
  ENETUNREACH: "the network can't be reached",
  UND_ERR_CONNECT_TIMEOUT: "no connection within 10 s; check docsign:baseUrl (DOCSIGN_BASE_URL), network and firewall",
};

/** What OpenSSL makes of an answer that isn't TLS. */
const NO_TLS = /^(EPROTO|ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG))$/;

// Names of OpenSSL's verify errors and of Node's own check of host names.
const CERTIFICATE = /CERT|SELF_SIGNED|VERIFY|ISSUER|CRL/;

const NOT_TLS =
  "what answers there doesn't speak TLS: https:// at a port for http, or a proxy in between; check docsign:baseUrl (DOCSIGN_BASE_URL)";

/** A socket's failure in words. `sent: false` comes from undici's own word that nothing was written. */
export function transportError(endpoint: string, sent: boolean, error: unknown, redactor: Redactor): TransportError {
  const code = codeOf(error);
  const reason = shorten(escapeText(redactor.redact(messageOf(error))));
  const failure = (why: string, detail = code ?? reason, retryable = true) =>
    new TransportError(`${endpoint}: ${why} (${detail})`, sent, code, retryable);
  if (sent) return failure("the connection broke before the answer was complete");
  if (code === undefined) return failure("no connection could be made");
  if (!CERTIFICATE.test(code))
    return failure(NO_TLS.test(code) ? NOT_TLS : (own(UNREACHABLE, code) ?? "no connection could be made"));
  const advice = "the service's certificate isn't trusted; for a private authority set NODE_EXTRA_CA_CERTS";
  return failure(advice, `${code}: ${reason}`, false);
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { code, errors } = error as { code?: unknown; errors?: unknown };
  if (typeof code === "string") return code;
  return Array.isArray(errors) ? errors.map(codeOf).find(c => c !== undefined) : undefined;
}

// ---- Errors of a status ----

/** The error for an answer whose status isn't 2xx. */
export function statusError(response: HttpResponse): StatusError {
  const { status, headers, text, endpoint, origin, source, redactor, now } = response;
  const summary = `${endpoint} answered ${status}${excerptOf(text, redactor)}`;
  const wait = retryAfterMs(headers["retry-after"], serviceTime(response, now));
  const retryAt = wait === undefined ? undefined : new Date(Math.min(now + wait, LAST_DATE_MS));
  const location = headers["location"];
  const to = location !== undefined && URL.canParse(location, origin) ? new URL(location, origin) : undefined;
  const byStatus = meaningOf(status, retryAt);
  const meaning =
    byStatus.error === RedirectError && to && showsWhatWasDone(to, endpoint) ? meaningOf("3xx") : byStatus;
  const body = jsonIn(text);
  const json = isRecord(body);
  // The target's path may hold a secret, its origin can't.
  const target = to && redactor.redact(to.origin);
  const message = `${summary}: ${meaning.explain({ source, retryAt, json, target, summary })}`;
  const complaint = hash("sha256", messageKind(body === undefined ? text : complaintsIn(body).join("\n")));
  return new meaning.error(message, status, { retryAt, json, complaint, meaning });
}

const LAST_DATE_MS = 8.64e15;

/** Undefined where it isn't JSON. */
function jsonIn(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

const COMPLAINS = /error|message|detail|reason|title|code/i;

function complaintsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(complaintsIn);
  if (!isRecord(value)) return [String(value)];
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  const complaints = members.filter(([name]) => COMPLAINS.test(name));
  return complaints.length > 0
    ? complaints.flatMap(([, each]) => complaintsIn(each))
    : members.flatMap(([name, each]) => [name, ...complaintsIn(each)]);
}

/** Many a service answers so to what it has made: `see /v1/documents/7`, or the list. */
const showsWhatWasDone = ({ origin, pathname }: URL, endpoint: string): boolean =>
  /\/[0-9]+\/?$/.test(pathname) || endpoint.endsWith(` ${origin}${pathname.replace(/\/$/, "")}`);

function excerptOf(text: string, redactor: Redactor): string {
  if (looksLikePage(text)) return " with a web page";
  const words = redactor.excerpt(text);
  return words === "" ? "" : ` (${words})`;
}

/** `Retry-After` dates are by the service's clock. */
function serviceTime(response: HttpResponse, local: number): number {
  const date = Date.parse(response.headers["date"] ?? "");
  return Number.isNaN(date) ? local : date;
}

/** A field for a password, or what a browser is to carry to whoever logs people in (SAML). */
const LOG_IN = /<input\b[^<>]*\b(?:type\s*=\s*["']?password|name\s*=\s*["']?SAMLRequest)\b/i;

/** For an answer whose status is 2xx. */
export function logInPage({ status, text, endpoint, source }: HttpResponse): StatusError | undefined {
  if (!looksLikePage(text) || !LOG_IN.test(text)) return undefined;
  const meaning = meaningOf("log-in page");
  const summary = `${endpoint} answered ${status} with a log-in page`;
  const why = meaning.explain({ source, summary, json: false, retryAt: undefined, target: undefined });
  return new meaning.error(`${summary}: ${why}`, status, { meaning });
}

export function looksLikePage(text: string): boolean {
  return /^[\ufeff\s]*</.test(text);
}

/** For an answer whose status is 2xx. */
export const unreadable = ({ endpoint, status }: ResponseHead, how: string, retryable = false): UnreadableAnswerError =>
  new UnreadableAnswerError(`${endpoint} answered ${status} ${how}`, retryable);

/** The JSON of a 2xx answer; the content type isn't asked, services get it wrong. */
export function readJson(response: HttpResponse): unknown {
  try {
    return parseJson(response.text);
  } catch (error) {
    throw jsonError(error, response);
  }
}

/** Why an answer can't be read as JSON. */
export function jsonError(error: unknown, response: HttpResponse): UnreadableAnswerError {
  const kind = error instanceof JsonError ? error.kind : "syntax";
  const how = {
    empty: "with nothing",
    page: "with what looks like a web page; check docsign:baseUrl (DOCSIGN_BASE_URL), and for a proxy or log-in page in between",
    deep: "with JSON nested too deep to be a document",
    many: "with JSON of too many values to be a document",
    syntax: `with something that isn't JSON (${response.redactor.excerpt(response.text)})`,
  }[kind];
  return unreadable(response, how, kind === "empty" || kind === "syntax");
}
