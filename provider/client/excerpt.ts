const WINDOW = 4096;
const LENGTH = 200;

// Control characters, line separators, and the marks that turn the direction of text.
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** Text from outside, made fit for a terminal. */
export function escapeText(text: string): string {
  return text.replace(UNPRINTABLE, c => `\\u${(c.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`);
}

export function shorten(text: string, length = LENGTH): string {
  const characters = [...text.slice(0, length * 2)];
  return characters.length > length ? `${characters.slice(0, length).join("")}…` : characters.join("");
}

/** Quotes a value that was given to us, short and on one line. */
export function quote(value: unknown): string {
  const text = typeof value === "string" ? value : String(value);
  return `"${shorten(escapeText(text.slice(0, 200)), 40)}"`;
}

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
