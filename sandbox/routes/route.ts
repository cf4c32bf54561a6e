import type { ServerResponse } from "node:http";
import type { SandboxContext } from "../context.js";
import type { AccountRecord } from "../entities.js";
import { Refusal } from "../refusal.js";
import type { Upload } from "../upload.js";
import type { CreateAnswer } from "./create-answer.js";

export const routeNames = [
  "login",
  "apiKey",
  "createDocument",
  "listDocuments",
  "documentsByDateRange",
  "getDocument",
  "sendReminder",
  "createFolder",
  "btcCertificate",
  "ethCertificate",
  "originalPdf",
  "signedPdf",
] as const;

export type RouteName = (typeof routeNames)[number];

export interface RouteResponse {
  status: number;
  headers: Record<string, string>;
  /** A stream of pieces where the whole would be too large to hold. */
  body: Buffer | Iterable<Buffer>;
}

export interface Call {
  readonly context: SandboxContext;
  readonly method: string;
  /** The variable part of the path, decoded. */
  readonly parameter: string;
  readonly query: Readonly<Record<string, string>>;
  readonly header: (name: string) => string | undefined;
  /** The parsed JSON body; refuses one that isn't JSON. */
  readonly json: () => unknown;
  /** What `base64_file` is, where that is a PDF's data URI. */
  readonly upload: Upload | undefined;
  /** What creating answers, where a fault wants it different from the settings. */
  readonly createAnswer: { variant: CreateAnswer; status: number };
}

export interface Route {
  readonly name: RouteName;
  readonly methods: readonly string[];
  /** At most one group, which becomes `Call.parameter`. */
  readonly path: RegExp;
  readonly handle: (call: Call) => RouteResponse;
}

export function json(status: number, body: unknown): RouteResponse {
  return {
    status,
    headers: { "Content-Type": "application/json; charset=utf-8" },
    body: Buffer.from(JSON.stringify(body)),
  };
}

export const payload = (status: number, content: unknown) => json(status, { ok: true, payload: content });
export const nothing = (status: number): RouteResponse => ({ status, headers: {}, body: Buffer.alloc(0) });
/** Another origin, where the interface leaves open where certificates and files are. */
export const ELSEWHERE = "https://files.elsewhere.example";
export const redirected = (to: string): RouteResponse => ({ ...nothing(302), headers: { Location: to } });
export const pdf = (bytes: Buffer): RouteResponse => ({
  status: 200,
  headers: { "Content-Type": "application/pdf" },
  body: bytes,
});

export function send(response: ServerResponse, { status, headers, body }: RouteResponse): void {
  response.writeHead(status, headers);
  response.end(body);
}

export function refused(refusal: Refusal): RouteResponse {
  const { status, code, message, details, headers } = refusal;
  const answer = json(status, { ok: false, error: { code, message, ...(details.length > 0 && { details }) } });
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

/** Whose key the request carries. */
export function authenticated(call: Call): AccountRecord {
  const key = call.header("x-api-key");
  if (!key) throw new Refusal(401, "api_key_missing", "The header x-api-key is missing");
  const account = call.context.store.accountByKey(key);
  if (!account) throw new Refusal(401, "api_key_unknown", "The API key is not valid");
  return account;
}

/** An id in a path; anything but digits names nothing. */
export function idFrom(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}
