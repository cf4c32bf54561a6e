import { setImmediate } from "node:timers/promises";
import type * as z from "zod";
import { notOk, payloadOf, readIssue } from "./envelope.js";
import { CancelledError, UnreadableAnswerError } from "./errors.js";
import { JsonError, parseJson } from "./json.js";
import { MAX_ROWS } from "./options.js";
import { jsonTrouble, type RequestInfo } from "./status-errors.js";
import type { Answer } from "./transport.js";

/** So much is looked at between two looks at whether anybody still wants it. */
const AT_ONCE = 256 * 1024;
/** A row of a list is some hundred characters. */
const LONGEST_ROW = 256 * 1024;
const LONGEST_FLAG = 20;

/**
 * The rows of a list's answer, each read by itself: the first that can't be read ends it, whatever comes after, and so
 * does Cancel. What isn't a row is never made into values.
 */
export async function rowsOf<T extends z.ZodType>(
  answer: Answer,
  asking: RequestInfo,
  schema: T,
  signal?: AbortSignal,
): Promise<z.output<T>[]> {
  const unreadable = (why: string) => new UnreadableAnswerError(`${asking.asked} answered ${answer.status} ${why}`);
  const rows: z.output<T>[] = [];
  try {
    const members = membersOf(answer.text);
    const payload = members.get("payload");
    const flag = members.get("ok");
    if (flag && flag.end - flag.start < LONGEST_FLAG && parseJson(answer.text.slice(flag.start, flag.end)) === false) {
      throw notOk(answer, asking);
    }
    // Anything but an array is small, as what stands for it here.
    if (!payload || answer.text[payload.start] !== "[") {
      const envelope = JSON.stringify(payload ? { payload: "" } : {});
      return payloadOf({ ...answer, text: envelope }, asking, schema.array());
    }
    let looked = 0;
    for (const { start, end } of elementsOf(answer.text, payload)) {
      if (rows.length === MAX_ROWS) throw unreadable(`with more than ${MAX_ROWS} rows, which is more than is read`);
      if (end - start > LONGEST_ROW)
        throw unreadable(`with a row of ${end - start} characters (payload.${rows.length})`);
      const parsed = schema.safeParse(parseJson(answer.text.slice(start, end)));
      if (!parsed.success) throw unreadable(readIssue(parsed.error, ["payload", rows.length]));
      rows.push(parsed.data);
      looked += end - start;
      if (looked < AT_ONCE) continue;
      looked = 0;
      await setImmediate();
      if (signal?.aborted) throw new CancelledError(`${asking.asked}: it was cancelled after it was sent`, true);
    }
    return rows;
  } catch (error) {
    throw error instanceof JsonError ? jsonTrouble(error, answer, asking) : error;
  }
}

interface Span {
  readonly start: number;
  /** Behind its last character. */
  readonly end: number;
}

/** Where the values of an object stand, by name. */
function membersOf(text: string): Map<string, Span> {
  const members = new Map<string, Span>();
  let at = afterSpace(text, text.startsWith("\ufeff") ? 1 : 0);
  if (text[at] !== "{") {
    // Empty, a page, a scalar, an array: said as for any other answer.
    parseJson(text.slice(at, at + LONGEST_ROW));
    return members;
  }
  at = afterSpace(text, at + 1);
  while (text[at] !== "}") {
    if (text[at] !== '"') throw new JsonError("syntax");
    const key = { start: at, end: endOfValue(text, at) };
    at = afterSpace(text, key.end);
    if (text[at] !== ":") throw new JsonError("syntax");
    const start = afterSpace(text, at + 1);
    const end = endOfValue(text, start);
    if (end === start) throw new JsonError("syntax");
    if (key.end - key.start < LONGEST_FLAG)
      members.set(String(parseJson(text.slice(key.start, key.end))), { start, end });
    at = afterSpace(text, end);
    if (text[at] === "," && text[afterSpace(text, at + 1)] === '"') at = afterSpace(text, at + 1);
    else if (text[at] !== "}") throw new JsonError("syntax");
  }
  if (afterSpace(text, at + 1) < text.length) throw new JsonError("syntax");
  return members;
}

function* elementsOf(text: string, { start: first, end: last }: Span): Generator<Span> {
  let at = afterSpace(text, first + 1);
  while (at < last - 1) {
    const end = endOfValue(text, at);
    if (end === at) throw new JsonError("syntax");
    yield { start: at, end };
    at = afterSpace(text, end);
    if (text[at] === "," && afterSpace(text, at + 1) < last - 1) at = afterSpace(text, at + 1);
    else if (at !== last - 1) throw new JsonError("syntax");
  }
}

function afterSpace(text: string, start: number): number {
  let at = start;
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

const MAX_DEPTH = 100;

/** Behind a value, by its brackets and quotes alone: what is between them is for the parser to judge. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22:
        at = endOfText(text, at) - 1;
        if (depth === 0) return at + 1;
        break;
      case 0x5b:
      case 0x7b:
        if (++depth > MAX_DEPTH) throw new JsonError("deep");
        break;
      case 0x5d:
      case 0x7d:
        // The end of what holds a number or a word.
        if (depth === 0) return at;
        if (--depth === 0) return at + 1;
        break;
      case 0x2c:
        if (depth === 0) return at;
    }
  }
  throw new JsonError("syntax");
}

/** Behind a text's closing quote: one with an even number of backslashes before it. */
function endOfText(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
  throw new JsonError("syntax");
}
