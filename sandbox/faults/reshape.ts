import { gzipSync } from "node:zlib";
import { json, type RouteResponse } from "../routes/route.js";
import type { Fault } from "./fault.js";

const MEGABYTE = 1024 * 1024;

export interface RequestContext {
  origin: string;
  path: string;
  now: number;
}

/** The answer a fault makes of the one the service meant to give. */
export function reshape(fault: Fault, answer: RouteResponse, request: RequestContext): RouteResponse {
  switch (fault.kind) {
    case "status":
      return injected(
        fault,
        fault.status ?? 500,
        JSON.stringify({ ok: false, error: { code: "fault", message: "An injected fault" } }),
      );
    case "answer":
      return injected(fault, fault.status ?? 200, "");
    case "truncated":
      return { ...answer, body: text(answer).subarray(0, fault.bytes ?? text(answer).length / 2) };
    case "html":
      return {
        status: fault.status ?? 200,
        headers: { "Content-Type": "text/html; charset=utf-8" },
        body: Buffer.from("<!DOCTYPE html>\n<html><body><h1>We will be right back</h1></body></html>\n"),
      };
    case "content-type":
      return { ...answer, headers: { ...answer.headers, "Content-Type": fault.contentType ?? "text/plain" } };
    case "empty":
      return { ...answer, status: fault.status ?? answer.status, body: Buffer.alloc(0) };
    case "bom":
      return { ...answer, body: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), text(answer)]) };
    case "not-ok":
      return json(fault.status ?? 200, { ok: false });
    case "too-large":
      return { ...json(200, null), body: padding(fault.bytes ?? 64 * MEGABYTE) };
    case "bomb": {
      const zipped = json(200, null);
      zipped.headers["Content-Encoding"] = "gzip";
      return { ...zipped, body: gzipSync(Buffer.concat([...padding(fault.bytes ?? 64 * MEGABYTE)])) };
    }
    case "deep": {
      const levels = fault.levels ?? 10_000;
      return {
        ...json(200, null),
        body: Buffer.from(`{"ok":true,"payload":${"[".repeat(levels)}${"]".repeat(levels)}}`),
      };
    }
    case "redirect":
      return { status: fault.status ?? 302, headers: { Location: destination(fault, request) }, body: Buffer.alloc(0) };
    case "rewrite":
      return { ...answer, body: Buffer.from(fault.rewrite?.(text(answer).toString("utf8")) ?? text(answer)) };
    case "date":
      return { ...answer, headers: { ...answer.headers, Date: new Date(request.now + (fault.ms ?? 0)).toUTCString() } };
    default:
      return answer;
  }
}

export function text(answer: RouteResponse): Buffer {
  return Buffer.isBuffer(answer.body) ? answer.body : Buffer.concat([...answer.body]);
}

function injected(fault: Fault, status: number, otherwise: string): RouteResponse {
  const headers: Record<string, string> = { "Content-Type": fault.contentType ?? "application/json; charset=utf-8" };
  const { retryAfter } = fault;
  if (retryAfter !== undefined) {
    headers["Retry-After"] = retryAfter instanceof Date ? retryAfter.toUTCString() : String(retryAfter);
  }
  return { status, headers: { ...headers, ...fault.headers }, body: Buffer.from(fault.body ?? otherwise) };
}

/** `127.0.0.1` and `localhost` are two origins that lead to the same sandbox, so a followed redirect shows in its history. */
function destination(fault: Fault, request: RequestContext): string {
  if (fault.to !== undefined) return fault.to;
  if (!fault.crossOrigin) return `${request.origin}/moved${request.path}`;
  const other = new URL(request.path, request.origin);
  other.hostname = other.hostname === "localhost" ? "127.0.0.1" : "localhost";
  return other.href;
}

function* padding(bytes: number): Generator<Buffer> {
  const head = Buffer.from('{"ok":true,"payload":{"padding":"');
  const tail = Buffer.from('"}}');
  const piece = Buffer.alloc(64 * 1024, "a");
  yield head;
  for (let left = bytes - head.length - tail.length; left > 0; left -= piece.length) yield piece.subarray(0, left);
  yield tail;
}
