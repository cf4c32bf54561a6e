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

const headerLength = (text: string): number => encodeURI(text).length;
