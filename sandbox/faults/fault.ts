import type { SeenRequest } from "../history.js";
import type { CreateAnswer } from "../routes/create-answer.js";
import type { RouteName } from "../routes/route.js";

/** Which requests a fault, a hold or a limit is about. All that is given has to fit; an empty match fits every request. */
export interface Match {
  route?: RouteName;
  method?: string;
  /** A regular expression, or a glob of the whole path: `*` is any part of it. */
  path?: RegExp | string;
  /** Only the nth request that fits the rest, counted from 1. */
  nth?: number;
  /** Only requests on a connection that was used before (or only on fresh ones). */
  reusedSocket?: boolean;
  /** Anything else. The body is there, unless the fault strikes before it is read. */
  where?: (request: SeenRequest) => boolean;
}

export const faultKinds = {
  delay: "answers after `ms`",
  status:
    "answers `status`, with `retryAfter`, `headers`, `body`, `contentType` as given; not processed unless `processed`",
  reset: "resets the connection `at` headers | before | after processing | mid-body (after)",
  never: "never answers; not processed unless `processed`",
  drip: "sends the body one byte every `ms`",
  stall: "sends half of the body (or `bytes` of it), then nothing more",
  truncated: "sends half of the body (or `bytes` of it) as if it were the whole",
  html: "answers an HTML page, 200 or `status`",
  "content-type": "says `contentType` (text/plain) about a good body",
  empty: "answers with no body",
  bom: "puts a byte order mark before the body",
  "not-ok": "answers `{ok: false}` with 200 or `status`",
  "too-large": "answers a JSON body of `bytes` (64 MB)",
  bomb: "answers gzip that unpacks to `bytes` (64 MB), whatever the client accepts",
  deep: "answers JSON nested `levels` (10,000) deep",
  redirect: "redirects with `status` (302) `to` an address, else below /moved, or with `crossOrigin` to another origin",
  raw: "writes `body` to the socket as it is and closes it",
  answer: "answers the given `status` (200), `headers`, `contentType` and `body`",
  rewrite: "passes the body through the function `rewrite`",
  date: "moves the Date header by `ms`",
  "stale-socket": "answers well, then resets the connection when the next request arrives on it",
  "create-answer": "creates, and answers as `variant` with `status`",
} as const;

export type FaultKind = keyof typeof faultKinds;
export type ResetPoint = "headers" | "before" | "after" | "mid-body";

export interface Fault {
  kind: FaultKind;
  match?: Match;
  /** How many matching requests meet it; 1 unless said. */
  times?: number | "always";
  /** Whether the request is acted on before the fault starts. By default yes, except for status, never and redirect. */
  processed?: boolean;
  at?: ResetPoint;
  ms?: number;
  status?: number;
  headers?: Record<string, string>;
  contentType?: string;
  body?: string;
  /** Seconds, a date (sent as an HTTP date) or any text. */
  retryAfter?: number | Date | string;
  bytes?: number;
  levels?: number;
  to?: string;
  crossOrigin?: boolean;
  variant?: CreateAnswer;
  rewrite?: (body: string) => string;
}

export interface RateLimit {
  match?: Match;
  /** Requests let through in a window. */
  limit: number;
  windowMs: number;
  /** `seconds` until the window ends, an HTTP `date`, `none`, or any text. */
  retryAfter?: "seconds" | "date" | "none" | (string & {});
}

/** Where a fault resets the connection, if that is what it does. */
export function resetPoint(fault: Fault | undefined): ResetPoint | undefined {
  return fault?.kind === "reset" ? (fault.at ?? "after") : undefined;
}

/** Whether the client can't learn what became of its request. */
export function losesTheAnswer(fault: Fault | undefined): boolean {
  return fault !== undefined && ["reset", "never", "status", "html"].includes(fault.kind);
}

/** headers: nothing read but the head. before: all read, nothing done. after: done, nothing answered. mid-body: half answered. */
export type HoldPoint = ResetPoint;
