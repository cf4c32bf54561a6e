/** What is wrong with a template or its variables: everything at once, one line each. */
export class TemplateProblemsError extends Error {
  readonly problems: readonly string[];

  constructor(given: readonly string[]) {
    const problems = given.map(legible);
    super(problems.join("\n"));
    this.problems = problems;
    this.name = "TemplateProblemsError";
  }
}

const LONGEST_LINE = 1_000;

/** Names and paths are repeated in a problem: nothing in them makes another line, or reorders this one. */
export const legible = (problem: string): string =>
  (problem.length > LONGEST_LINE ? `${problem.slice(0, LONGEST_LINE)}…` : problem).replace(
    /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu,
    printableChar,
  );

const MOST_PROBLEMS = 50;

export function refuse(problems: readonly string[]): void {
  if (problems.length === 0) return;
  const all = [...new Set(problems)];
  const more = all.length - MOST_PROBLEMS;
  throw new TemplateProblemsError(more > 0 ? [...all.slice(0, MOST_PROBLEMS), `and ${more} more problems`] : all);
}

/** A character as a message shows it: invisible ones and those that reorder a line are named, never printed. */
export function printableChar(char: string): string {
  const code = `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  return /[\p{C}\p{M}\p{Z}]/u.test(char) || isRightToLeft(char) ? code : `${code} "${char}"`;
}

/** The blocks Unicode keeps for scripts that are written from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Whether any character of a text is. */
export const isRightToLeft = (text: string): boolean => RIGHT_TO_LEFT.test(text);
