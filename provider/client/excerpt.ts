import { escapeText, shorten } from "../core/text.js";

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
