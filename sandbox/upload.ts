import { createHash } from "node:crypto";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SLASH = 0x2f;
const PREFIX = "data:application/pdf;base64,";

/** A PDF that arrived inside a JSON body. */
export interface Upload {
  sha256: string;
  byteLength: number;
  /** Null when the sandbox does not keep content. */
  bytes: Buffer | null;
  problem: string | null;
}

/** Decodes base64 as it arrives, hashing on the way. */
class Base64Decoder {
  readonly #hash = createHash("sha256");
  readonly #parts: Buffer[] = [];
  readonly #keep: boolean;
  #escapes = "";
  #quartet = "";
  #byteLength = 0;
  #magic = "";
  #padded = false;
  #problem: string | null = null;

  constructor(keep: boolean) {
    this.#keep = keep;
  }

  write(arrived: string): void {
    const text = this.#quartet + this.#unescaped(this.#escapes + arrived);
    const whole = text.length - (text.length % 4);
    this.#quartet = text.slice(whole);
    const ready = text.slice(0, whole);
    if (ready === "" || this.#problem) return;
    if (this.#padded || !/^[A-Za-z0-9+/]*={0,2}$/.test(ready)) {
      this.#problem = "must be valid base64";
      return;
    }
    this.#padded = ready.endsWith("=");
    const bytes = Buffer.from(ready, "base64");
    if (this.#magic.length < 5) this.#magic += bytes.toString("latin1", 0, 5 - this.#magic.length);
    this.#hash.update(bytes);
    this.#byteLength += bytes.length;
    if (this.#keep) this.#parts.push(bytes);
  }

  end(): Upload {
    if (this.#quartet !== "" || this.#escapes !== "") this.#problem ??= "must be valid base64";
    if (this.#byteLength === 0) this.#problem ??= "must not be empty";
    if (this.#magic !== "%PDF-") this.#problem ??= "must hold a PDF";
    return {
      sha256: this.#hash.digest("hex"),
      byteLength: this.#byteLength,
      bytes: this.#keep ? Buffer.concat(this.#parts) : null,
      problem: this.#problem,
    };
  }

  /** Some JSON writers escape `/`, a few `+` and `=` too. An escape cut in two waits for its other half. */
  #unescaped(text: string): string {
    this.#escapes = "";
    const last = text.lastIndexOf("\\");
    if (last === -1) return text;
    const cut = last + (text[last + 1] === "u" ? 6 : 2) > text.length;
    if (cut) this.#escapes = text.slice(last);
    try {
      return String(JSON.parse(`"${cut ? text.slice(0, last) : text}"`));
    } catch {
      this.#problem ??= "must be valid base64";
      return "";
    }
  }
}

/** Reads a JSON body while it arrives. PDF data URIs are decoded aside, so the text left to parse stays small. */
export class BodyReader {
  readonly uploads: Upload[] = [];
  readonly #outline: Buffer[] = [];
  readonly #keepContent: boolean;
  #inString = false;
  #escaped = false;
  #head: string | null = null;
  #decoder: Base64Decoder | null = null;
  byteLength = 0;

  constructor(keepContent: boolean) {
    this.#keepContent = keepContent;
  }

  write(chunk: Buffer): void {
    this.byteLength += chunk.length;
    let at = 0;
    while (at < chunk.length) at = this.#decoder ? this.#decode(this.#decoder, chunk, at) : this.#scan(chunk, at);
  }

  /** The body with each upload replaced by `#<index>`, which no base64 text can be. */
  outline(): string {
    return Buffer.concat(this.#outline).toString("utf8");
  }

  uploadFor(text: string): Upload | undefined {
    const index = text.startsWith(`${PREFIX}#`) ? Number(text.slice(PREFIX.length + 1)) : -1;
    return this.uploads[index];
  }

  #scan(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      if (this.#entersUpload(chunk[at] ?? 0)) {
        this.#outline.push(chunk.subarray(from, at + 1));
        this.#decoder = new Base64Decoder(this.#keepContent);
        return at + 1;
      }
    }
    this.#outline.push(chunk.subarray(from));
    return chunk.length;
  }

  #entersUpload(byte: number): boolean {
    if (!this.#inString) {
      this.#inString = byte === QUOTE;
      this.#head = "";
      return false;
    }
    if (this.#escaped) {
      this.#escaped = false;
      if (byte !== SLASH) this.#head = null;
    } else if (byte === BACKSLASH) {
      this.#escaped = true;
      return false;
    } else if (byte === QUOTE) {
      this.#inString = false;
      return false;
    }
    if (this.#head === null) return false;
    this.#head += String.fromCharCode(byte);
    if (!PREFIX.startsWith(this.#head)) this.#head = null;
    return this.#head === PREFIX;
  }

  #decode(decoder: Base64Decoder, chunk: Buffer, from: number): number {
    const end = chunk.indexOf(QUOTE, from);
    decoder.write(chunk.toString("latin1", from, end === -1 ? chunk.length : end));
    if (end === -1) return chunk.length;
    this.#outline.push(Buffer.from(`#${this.uploads.length}`));
    this.uploads.push(decoder.end());
    this.#decoder = null;
    this.#head = null;
    return end;
  }
}
