import type { Dialect } from "./dialect.js";
import { type Hand, type Json, write } from "./json.js";

/** What is to be said, before anybody spoils it. */
export interface HttpResponse {
  status: number;
  headers: Record<string, string>;
  /** JSON, written by the service's hand; `plain`: without its habits, so that `{id}` is an id only. */
  json?: Json;
  plain?: boolean;
  /** Anything that is no JSON. */
  bytes?: Buffer;
  type?: string;
}

export function say(status: number, json: Json, more: Partial<HttpResponse> = {}): HttpResponse {
  return { status, headers: {}, json, ...more };
}

export function text(status: number, type: string, content: string | Buffer): HttpResponse {
  return { status, headers: {}, bytes: Buffer.from(content), type };
}

export function nothing(status: number, headers: Record<string, string> = {}): HttpResponse {
  return { status, headers };
}

export function html(status: number, title: string): HttpResponse {
  return text(status, "text/html", `<!doctype html><title>${title}</title><h1>${title}</h1><hr><i>yak/0.9</i>\n`);
}

/** A refusal in the service's own words; the interface does not show any. */
export function refusal(dialect: Dialect, status: number, code: string): HttpResponse {
  if (dialect.errors === "text") return text(status, "text/plain; charset=utf-8", `${code}\n`);
  if (dialect.errors === "code") return say(status, { error: { code, status } });
  if (dialect.errors === "envelope") return say(status, { ok: false, payload: { errors: [code] } });
  return say(status, { message: `Sorry: ${code}` });
}

export function bodyOf(answer: HttpResponse, hand: Hand): Buffer {
  if (answer.bytes) return answer.bytes;
  if (answer.json === undefined) return Buffer.alloc(0);
  return Buffer.from(write(answer.json, answer.plain ? { ...hand, extraFields: false } : hand));
}

export const typeOf = ({ type, json }: HttpResponse): string | undefined =>
  type ?? (json === undefined ? undefined : "application/json;charset=UTF-8");
