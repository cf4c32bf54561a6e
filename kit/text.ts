// Control characters, lone surrogates, line separators, characters without width, and the marks that turn the direction of text.
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

const escaped = (char: string): string => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;

/** Text from outside, made fit for one line of a terminal. */
export function escapeText(text: string): string {
  return text.replace(UNPRINTABLE, escaped);
}

/**
 * A text without what CI hosts take for commands of their own wherever they read a log: `::set-output …` at the start of a
 * line, `##[…]` and `##vso[…]` anywhere. In JSON it stays the same text.
 */
export const withoutHostCommands = (text: string): string =>
  text.replace(/^([^\S\n]*):(?=:)/gm, "$1\\u003a").replace(/#(?=#\w*\[)/g, "\\u0023");

/** A whole message on its way to a terminal: lines and tabs stay. The engine takes `<{%` for a color, and ends at one that it doesn't know. */
export function printable(text: string): string {
  return withoutHostCommands(text.replace(/\r\n?/g, "\n"))
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

/** Of what was thrown, an Error or not. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const headerLength = (text: string): number => encodeURI(text).length;

/** The name somebody meant: the closest one that is at most two slips of the finger away, by what `plain` leaves of both. */
export function nearest(word: string, names: Iterable<string>, plain = (text: string): string => text) {
  const [best] = [...names]
    .map(name => ({ name, slips: slips(plain(word), plain(name)) }))
    .sort((a, b) => a.slips - b.slips);
  return best && best.slips <= MOST_SLIPS ? best.name : undefined;
}

const MOST_SLIPS = 2;

/** How many letters have to be put in, left out or changed. Where it is too many anyway, it isn't counted further. */
function slips(one: string, other: string): number {
  const least = Math.abs(one.length - other.length);
  if (least > MOST_SLIPS) return least;
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [line, letter] of [...one].entries()) {
    const next = [line + 1];
    for (const [column, wanted] of [...other].entries()) {
      const changed = (row[column] ?? 0) + (letter === wanted ? 0 : 1);
      next.push(Math.min(changed, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
