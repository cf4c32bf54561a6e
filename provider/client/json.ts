import { escapeText, shorten } from "../core/text.js";

// ---- Excerpts ----

const WINDOW = 4096;

/** Knows every secret of one service and takes them out of whatever is said. */
export class Redactor {
  readonly #forms = new Set<string>();

  learn(secret: string): void {
    if (secret === "") return;
    const bytes = Buffer.from(secret);
    for (const form of [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret.toWellFormed()),
      bytes.toString("base64"),
      bytes.toString("base64url"),
      bytes.toString("hex"),
    ]) {
      this.#forms.add(form);
    }
  }

  redact(text: string): string {
    let clean = text;
    for (const form of [...this.#forms].sort((a, b) => b.length - a.length)) clean = clean.replaceAll(form, "[secret]");
    return clean;
  }

  /** The first words of an answer. Secrets go before it is cut, so no half of one is left at the edge. */
  excerpt(text: string): string {
    const clean = this.redact(text)
      .slice(0, WINDOW)
      .replace(TOKEN, "[token]")
      .replace(LONG_RUN, run => (HASH.test(run) ? run : `[${run.length} characters]`));
    return shorten(escapeText(clean.replace(/\s+/g, " ").trim()));
  }
}

const TOKEN = /eyJ[\w-]{8,}(\.[\w-]*){0,2}/g;
/** Base64 of a body, or a key that isn't ours. */
const LONG_RUN = /[A-Za-z0-9+/_-]{48,}={0,2}/g;
const HASH = /^[0-9a-f]{64}$/i;

// ---- JSON ----

/** The interface's deepest body has seven levels; what follows the parse must not be walked into a stack overflow. */
export const MAX_DEPTH = 100;
/** A document with a thousand signers in each of ten versions has two hundred thousand. Lists are read row by row. */
const MAX_VALUES = 1_000_000;

export class JsonError extends Error {
  override readonly name = "JsonError";
  constructor(readonly kind: "empty" | "page" | "deep" | "many" | "syntax") {
    super(kind);
  }
}

type SourceReviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown;

// Source text access (ES2025) is there from Node 21 on; TypeScript's es2023 library doesn't know it yet.
const parse = JSON.parse as (text: string, reviver?: SourceReviver) => unknown;
/** A number of any length, as it is to be written. */
export const { rawJSON: rawJson } = JSON as unknown as { rawJSON(digits: string): unknown };

/** JSON whose whole numbers above 2^53 come out as strings of digits. `__proto__` keys are dropped. */
export function parseJson(raw: string): unknown {
  const text = raw.replace(/^\ufeff/, "").trim();
  if (text === "") throw new JsonError("empty");
  if (text.startsWith("<")) throw new JsonError("page");
  assertModest(text);
  try {
    return NEEDS_REVIVER.test(text) ? parse(text, keepDigits) : parse(text);
  } catch {
    throw new JsonError("syntax");
  }
}

/** What may be a whole number above 2^53 or a `__proto__`, as it is or escaped. Other texts are parsed several times as fast. */
const NEEDS_REVIVER = /[0-9]{16}|__proto__|\\u/;

const keepDigits: SourceReviver = (key, value, { source }) => {
  if (key === "__proto__") return undefined;
  if (typeof value !== "number" || Number.isSafeInteger(value) || source === undefined) return value;
  return /^-?[0-9]+$/.test(source) ? source : value;
};

/** Looks before it is parsed: millions of values would take the memory, and deep ones the stack. */
function assertModest(text: string): void {
  let depth = 0;
  let values = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x22: // a string: on to its closing quote
        for (i++; i < text.length && text.charCodeAt(i) !== 0x22; i++) if (text.charCodeAt(i) === 0x5c) i++;
        break;
      case 0x5b:
      case 0x7b:
        if (++depth > MAX_DEPTH) throw new JsonError("deep");
        break;
      case 0x2c:
        if (++values > MAX_VALUES) throw new JsonError("many");
        break;
      case 0x5d:
      case 0x7d:
        depth--;
    }
  }
}
