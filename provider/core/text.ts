// Control characters, lone surrogates, line separators, characters without width, and the marks that turn the direction of text.
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

const escaped = (char: string): string => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;

/** Text from outside, made fit for one line of a terminal. */
export function escapeText(text: string): string {
  return text.replace(UNPRINTABLE, escaped);
}

/** A whole message on its way to a terminal: lines and tabs stay. The engine takes `<{%` for a color, and ends at one that it doesn't know. */
export function printable(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replaceAll("<{%", "\\u003c{%")
    .replace(UNPRINTABLE, char => (char === "\n" || char === "\t" ? char : escaped(char)));
}

/** The same for two texts that people can't tell apart: in another Unicode form, or with other spaces. */
export const canonicalText = (text: string): string => text.normalize("NFC").replace(/\s+/gu, " ").trim();

/** At most so many characters, with an ellipsis where there were more. */
export function shorten(text: string, length = LENGTH): string {
  const characters = [...text.slice(0, length * 2)];
  return characters.length > length ? `${characters.slice(0, length).join("")}…` : characters.join("");
}

/** Quotes a value that was given to us, short and on one line. */
export function quote(value: unknown): string {
  const text = typeof value === "string" ? value : String(value);
  return `"${shorten(escapeText(text.slice(0, LENGTH)), 40)}"`;
}

/** Text of the service's or of another program's in a message of ours: it can't look like lines that we wrote. */
export function oneLine(text: string): string {
  return escapeText(text.slice(0, LENGTH).replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " "));
}

/** A status of the service's, such as `partially_signed`, as a person reads it. */
export const statusInWords = (status: string): string => oneLine(status).replaceAll("_", " ");

/** At most `bytes` of the text as gRPC percent-encodes it for a header. */
export function clipped(text: string, bytes: number): string {
  if (headerLength(text) <= bytes) return text;
  const ending = " … (shortened)";
  let used = headerLength(ending);
  let kept = "";
  for (const char of text) {
    used += headerLength(char);
    if (used > bytes) break;
    kept += char;
  }
  return kept + ending;
}

/** `1 document`, `2,030 documents`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : many}`;

/** Thousands apart. */
export const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ",");

const LENGTH = 200;

const headerLength = (text: string): number => encodeURI(text).length;

/** p1, p2, p10: the same on every machine. */
export const byKey = new Intl.Collator("en", { numeric: true }).compare;
