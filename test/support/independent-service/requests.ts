import type { IncomingHttpHeaders } from "node:http";
import type { Fault } from "./faults.js";
import type { Json } from "./json.js";

export type Operation =
  | "login"
  | "apiKey"
  | "createDocument"
  | "getDocument"
  | "listDocuments"
  | "listByDateRange"
  | "remind"
  | "createFolder"
  | "timestamp"
  | "download"
  | "unknown";

/** One request as the service lived it. Fields fill up while it goes on. */
export interface RequestRecord {
  number: number;
  operation: Operation;
  method: string;
  /** Without the base path and the query; still percent-encoded. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** Name and value in turns as they came, so that repeated headers show. */
  rawHeaders: string[];
  /** Decoded JSON; `base64_file` is replaced by `{sha256, size, pdf}`. The text itself when it was no JSON. */
  body: Json;
  bodyBytes: number;
  /** Label of the account whose key or token came along. */
  account: string | undefined;
  /** By the service's clock. */
  at: number;
  /** Which TCP connection, and whether it had carried a request before. */
  socket: number;
  reused: boolean;
  /** The whole body has arrived. */
  complete: boolean;
  /** The service did what was asked, or refused it; whatever became of the answer. */
  processed: boolean;
  fault: Fault | undefined;
  /** Status that went out (or was on its way). */
  status: number | undefined;
  /** Ids of what this request made. */
  made: { document?: string; folder?: string; reminded?: string };
  outcome: "open" | "answered" | "broken" | "hanging" | "upload aborted" | "client gone";
}

export type Matcher =
  | Operation
  | RegExp
  | { operation?: Operation; method?: string; path?: string | RegExp; account?: string; name?: string }
  | ((request: RequestRecord) => boolean);

/** A RegExp is tried on `METHOD /path?query`; `name` on the body's name. No matcher matches everything. */
export function matches(request: RequestRecord, matcher: Matcher | undefined): boolean {
  if (matcher === undefined) return true;
  if (typeof matcher === "function") return matcher(request);
  if (typeof matcher === "string") return request.operation === matcher;
  if (matcher instanceof RegExp) {
    const query = request.query.size > 0 ? `?${request.query}` : "";
    return matcher.test(`${request.method} ${request.path}${query}`);
  }
  const { operation, method, path, account, name } = matcher;
  const body = request.body;
  const bodyName = typeof body === "object" && body !== null && !Array.isArray(body) ? body["name"] : undefined;
  return (
    (operation === undefined || request.operation === operation) &&
    (method === undefined || request.method === method) &&
    (path === undefined || (typeof path === "string" ? request.path === path : path.test(request.path))) &&
    (account === undefined || request.account === account) &&
    (name === undefined || bodyName === name)
  );
}

/** Which operation a path means; a reminder by GET is still a reminder, since the interface shows both. */
export function operationOf(method: string, path: string): Operation {
  if (path === "/v1/login") return method === "POST" ? "login" : "unknown";
  if (path === "/v1/users/api_key") return method === "GET" ? "apiKey" : "unknown";
  if (path === "/v1/folders") return method === "POST" ? "createFolder" : "unknown";
  if (path === "/v1/documents/by_date_range") return method === "GET" ? "listByDateRange" : "unknown";
  if (path === "/v1/documents") {
    if (method === "POST") return "createDocument";
    return method === "GET" ? "listDocuments" : "unknown";
  }
  if (/^\/v1\/documents\/[^/]+$/.test(path)) return method === "GET" ? "getDocument" : "unknown";
  if (/^\/v1\/invitations\/[^/]+\/reminder$/.test(path)) return "remind";
  if (/^\/v3\/timestamps\/(eth\/)?[^/]+\.pdf$/.test(path)) return "timestamp";
  if (path.startsWith("/blob/")) return "download";
  return "unknown";
}
