/** Of a contract, with its variables filled in: some four hundred pages. */
export const MOST_CHARACTERS = 1_000_000;
/** Lists in lists, and quotes in quotes. */
const DEEPEST = 20;
const WIDEST_INDENT = 100;

/** What Markdown has to look for the other end of, in one part between empty lines. */
const MARKS = [
  { of: "brackets", pattern: /[[\]]/g, most: 4_000 },
  { of: "signs of emphasis (*, _, ~)", pattern: /[*_~]+/g, most: 2_000 },
  { of: "backticks", pattern: /`+/g, most: 2_000 },
  { of: "angle brackets (<)", pattern: /</g, most: 4_000 },
  { of: "parentheses", pattern: /[()]/g, most: 4_000 },
] as const;
/** Of all its parts together: those of emphasis take the most time. */
const MOST_EMPHASIS = 20_000;
const LONGEST_ADDRESS = 1_000;
const LONG_WORD = new RegExp(`\\S{${LONGEST_ADDRESS + 1},}`, "g");
/** Table rows and lists of names are long, and hold few of them. */
const LONGEST_PART = 50_000;

/**
 * What of a template is more than a contract has, by line. Reading Markdown takes time with the square of some of it, so it
 * is said before it is read.
 */
export function limitProblems(text: string, placeOf: (line: number) => string): string[] {
  const emphasis = text.match(/[*_~]+/g)?.length ?? 0;
  if (emphasis > MOST_EMPHASIS)
    return [`the template: expected at most ${MOST_EMPHASIS} signs of emphasis (*, _, ~), got ${emphasis}`];
  const lines = text.split("\n");
  return [
    ...lines.flatMap((line, index) => deepProblems(line).map(wrong => `${placeOf(index + 1)}: ${wrong}`)),
    ...partsOf(lines).flatMap(part => partProblems(part).map(wrong => `${placeOf(part.line)}: ${wrong}`)),
  ];
}

function deepProblems(line: string): string[] {
  let at = 0;
  let depth = 0;
  let indent = 0;
  for (; at < line.length; at++) {
    const char = line[at] ?? "";
    if (char === " " || char === "\t") indent += char === "\t" ? 4 : 1;
    else if (char === ">" || (/[-*+]/.test(char) && /[ \t]/.test(line[at + 1] ?? " "))) depth++;
    else {
      const number = /^\d{1,9}[.)](?=[ \t]|$)/.exec(line.slice(at, at + 11))?.[0];
      if (number === undefined) break;
      depth++;
      at += number.length - 1;
    }
  }
  if (depth > DEEPEST) return [`expected lists and quotes at most ${DEEPEST} deep, got ${depth}`];
  return indent > WIDEST_INDENT ? [`expected at most ${WIDEST_INDENT} spaces before the text, got ${indent}`] : [];
}

interface Part {
  readonly line: number;
  readonly text: string;
}

/** What stands between empty lines. */
function partsOf(lines: readonly string[]): Part[] {
  const parts: { line: number; lines: string[] }[] = [];
  let open = false;
  for (const [index, line] of lines.entries()) {
    const isEmpty = line.trim() === "";
    if (!isEmpty && open) parts.at(-1)?.lines.push(line);
    else if (!isEmpty) parts.push({ line: index + 1, lines: [line] });
    open = !isEmpty;
  }
  return parts.map(({ line, lines: own }) => ({ line, text: own.join("\n") }));
}

function partProblems({ text }: Part): string[] {
  if (text.length > LONGEST_PART)
    return [`expected at most ${LONGEST_PART} characters before the next empty line, got ${text.length}`];
  const address = text.match(LONG_WORD)?.find(word => word.includes("@"));
  if (address) return [`expected at most ${LONGEST_ADDRESS} characters around an @, got ${address.length}`];
  return MARKS.flatMap(({ of, pattern, most }) => {
    const count = text.match(pattern)?.length ?? 0;
    return count > most ? [`expected at most ${most} ${of} before the next empty line, got ${count}`] : [];
  });
}
