import type { IncomingMessage } from "node:http";
import { isRecord } from "../kit/records.js";
import { pdfOf } from "./documents.js";
import { jsonIn } from "./fields.js";
import type { RouteName, RouteResponse } from "./routes/route.js";
import type { Target } from "./server.js";
import type { RequestBody } from "./upload.js";

/** One request the service saw. It is filled in as the request goes on. */
export interface SeenRequest {
  /** 1 for the first request since the start or the last reset. */
  readonly number: number;
  /** ISO 8601, by the service's clock. */
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Null where no route answers to method and path. */
  readonly route: RouteName | null;
  /** The headers worth looking at; keys and tokens are never among them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly credential: "none" | "api-key" | "bearer";
  /** Whether the connection had carried a request before. */
  readonly reusedSocket: boolean;
  /** Parsed JSON. `base64_file` is `{ sha256, byteLength }`, a password is `"***"`; text that isn't JSON is a string. */
  body: unknown;
  /** Whether the request got as far as the service's rules. */
  processed: boolean;
  /** The status that was answered, null when nothing was. */
  status: number | null;
  /** The kind of the fault it met. */
  fault: string | null;
  /** With `control`, the beginning of what was answered; keys and tokens are left out, long base64 is folded. */
  answer?: string;
}

const headersOfInterest = [
  "host",
  "accept",
  "accept-encoding",
  "connection",
  "content-length",
  "content-type",
  "transfer-encoding",
  "user-agent",
];

export function seenRequest(
  request: IncomingMessage,
  target: Target,
  rest: Pick<SeenRequest, "number" | "at" | "route" | "reusedSocket">,
): SeenRequest {
  const headers = headersOfInterest.flatMap(name => {
    const value = request.headers[name];
    return typeof value === "string" ? [[name, value] as const] : [];
  });
  return {
    ...rest,
    method: request.method ?? "GET",
    path: target.path,
    query: Object.fromEntries(target.query),
    headers: Object.fromEntries(headers),
    credential: request.headers["x-api-key"] ? "api-key" : request.headers.authorization ? "bearer" : "none",
    body: null,
    processed: false,
    status: null,
    fault: null,
  };
}

export function recordedBody({ text, json, upload }: RequestBody): unknown {
  if (json === undefined) return text === "" ? null : shortened(text);
  if (!isRecord(json)) return json;
  const recorded: Record<string, unknown> = { ...json };
  if ("password" in json) recorded["password"] = "***";
  const file = json["base64_file"];
  if (typeof file === "string") {
    const { sha256, byteLength } = upload ?? pdfOf(Buffer.from(file));
    recorded["base64_file"] = { sha256, byteLength };
  }
  return recorded;
}

const LONGEST = 4_000;
const shortened = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

const SECRET_FIELDS = new Set(["token", "api_key"]);

export function recordedAnswer({ headers, body }: RouteResponse): string {
  const type = headers["Content-Type"] ?? "";
  if (!Buffer.isBuffer(body)) return `[${type}, streamed]`;
  if (body.length === 0) return "";
  if (!/json|text|html|xml/i.test(type)) return `[${type || "no type"}, ${body.length} bytes]`;
  return shortened(body.length > 1_000_000 ? body.toString("utf8", 0, 2 * LONGEST) : folded(body.toString("utf8")));
}

function folded(text: string): string {
  const json = jsonIn(text);
  return json === undefined ? text : JSON.stringify(json, fold, 2);
}

function fold(name: string, value: unknown): unknown {
  if (SECRET_FIELDS.has(name)) return "***";
  if (typeof value !== "string" || value.length < 200 || !/^(data:[^,]*,)?[\w+/=-]+$/.test(value)) return value;
  return `[base64, ${value.length} characters]`;
}
