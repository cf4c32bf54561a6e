import { isRightToLeft, shown } from "./problems.js";

/** Text for each name. */
export type Variables = ReadonlyMap<string, string>;

const NAME = /^[\p{L}_][\p{L}\p{M}\p{N}_.-]*$/u;
/** Control characters, and those that reorder, join or hide text; what has no meaning of its own; line separators. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;

/** What is wrong with the values. Values are text, and print as what they are. */
export function valueProblems(variables: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(variables).flatMap(([name, value]) => {
    if (typeof value !== "string") return [`variable ${name}: expected text, got ${kindOf(value)}`];
    return textProblems(value, `variable ${name}`);
  });
}

/** What in a text can't be printed. */
export function textProblems(text: string, where: string): string[] {
  if (!UNPRINTABLE.test(text) && !isRightToLeft(text)) return [];
  const chars = new Set([...text].filter(char => UNPRINTABLE.test(char) || isRightToLeft(char)));
  return [...chars].map(char =>
    isRightToLeft(char)
      ? `${where}: ${shown(char)} is written from right to left, and templates are laid out from left to right only`
      : `${where}: ${shown(char)} is a control or formatting character`,
  );
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  return Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Variables on one side, what a template asks for on the other. */
export function nameProblems(
  wanted: readonly string[],
  variables: Variables,
  what: (name: string) => string,
): string[] {
  const asked = new Set(wanted);
  const missing = [...asked].filter(name => !variables.has(name));
  const unknown = [...variables.keys()].filter(name => !asked.has(name));
  return [
    ...missing.map(name => `${what(name)} has no variable`),
    ...unknown.map(name => `variable ${name} isn't used by the template`),
  ];
}

const OPEN = "\ue000";
const CLOSE = "\ue001";

export interface Marked {
  /** The template with each variable as a mark that means nothing to Markdown, so that no value is ever parsed. */
  readonly text: string;
  readonly names: readonly string[];
  readonly problems: readonly string[];
}

/** Finds `{{name}}`. A backslash before it keeps it as it is. */
export function markVariables(template: string): Marked {
  const names: string[] = [];
  const problems: string[] = [];
  const lineAt = lineCounter(template);
  const text = template.replace(
    /\\?\{\{([^{}\n]*)(\}\})?/g,
    (whole: string, inner: string, closed: string | undefined, at: number) => {
      if (whole.startsWith("\\")) return whole;
      const name = inner.trim().normalize("NFC");
      const line = lineAt(at);
      if (closed === undefined)
        problems.push(`line ${line}: {{${inner.slice(0, 40)} isn't closed by }}; write \\{{ for the braces themselves`);
      else if (!NAME.test(name))
        problems.push(
          `line ${line}: {{${inner.slice(0, 40)}}} isn't a variable's name: a letter first, then letters, digits, _ . -`,
        );
      else {
        names.push(name);
        return `${OPEN}${names.length - 1}${CLOSE}`;
      }
      return "";
    },
  );
  return { text, names, problems };
}

/** The line of a place; places come in order. */
function lineCounter(text: string): (place: number) => number {
  let line = 1;
  let next = text.indexOf("\n");
  return place => {
    for (; next >= 0 && next < place; next = text.indexOf("\n", next + 1)) line++;
    return line;
  };
}

/** Text with its variables filled in. `literal` is applied to the template's own text only. */
export function fill(text: string, { names }: Marked, variables: Variables, literal: (text: string) => string): string {
  if (!text.includes(OPEN)) return literal(text);
  return text
    .split(/(\ue000\d+\ue001)/)
    .map((part, index) =>
      index % 2 === 0 ? literal(part) : (variables.get(names[Number(part.slice(1, -1))] ?? "") ?? ""),
    )
    .join("");
}
