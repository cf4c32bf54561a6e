import { type Hand, type Json, write } from "./json.js";
import type { Taste } from "./taste.js";

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
export function refusal(taste: Taste, status: number, code: string): HttpResponse {
  if (taste.errors === "text") return text(status, "text/plain; charset=utf-8", `${code}\n`);
  if (taste.errors === "code") return say(status, { error: { code, status } });
  if (taste.errors === "envelope") return say(status, { ok: false, payload: { errors: [code] } });
  return say(status, { message: `Sorry: ${code}` });
}

export function bodyOf(answer: HttpResponse, hand: Hand): Buffer {
  if (answer.bytes) return answer.bytes;
  if (answer.json === undefined) return Buffer.alloc(0);
  return Buffer.from(write(answer.json, answer.plain ? { ...hand, extraFields: false } : hand));
}

export function typeOf(answer: HttpResponse, taste: Taste): string | undefined {
  if (answer.type !== undefined) return answer.type;
  return answer.json === undefined ? undefined : taste.contentType;
}
