import { isRightToLeft, printableChar } from "./problems.js";

/** What `{{#each}}` repeats: a text, which is `{{this}}`, or texts by name. */
export type ListItem = string | Readonly<Record<string, string>>;
/** `true` and `false` are for `{{#if}}`. */
export type VariableValue = string | boolean | readonly ListItem[];
export type Variables = ReadonlyMap<string, VariableValue>;

export const A_VARIABLE = "text, true, false, or a list of texts or of texts by name";

/** Whether a value is one that a template takes. */
export function isVariable(value: unknown): value is VariableValue {
  const isText = (each: unknown) => typeof each === "string";
  if (isText(value) || typeof value === "boolean") return true;
  return (
    Array.isArray(value) && value.every(item => isText(item) || (isFields(item) && Object.values(item).every(isText)))
  );
}

const MOST_ITEMS = 10_000;
/** Control characters, and those that reorder, join or hide text; what has no meaning of its own; line separators. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;

/** What is wrong with the values. They print as what they are. */
export function valueProblems(variables: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(variables).flatMap(([name, value]) => {
    if (typeof value === "boolean") return [];
    if (!Array.isArray(value)) return textsProblems(value, `variable ${name}`, "text, true, false or a list");
    if (value.length > MOST_ITEMS)
      return [`variable ${name}: expected at most ${MOST_ITEMS} items in a list, got ${value.length}`];
    return value.flatMap((item: unknown, index) => {
      const where = `variable ${name}[${index}]`;
      return isFields(item)
        ? Object.entries(item).flatMap(([field, text]) => textsProblems(text, `${where}.${field}`, "text"))
        : textsProblems(item, where, "text, or texts by name");
    });
  });
}

const textsProblems = (value: unknown, where: string, expected: string): string[] =>
  typeof value === "string" ? textProblems(value, where) : [`${where}: expected ${expected}, got ${kindOf(value)}`];

const isFields = (item: unknown): item is Record<string, unknown> =>
  typeof item === "object" && item !== null && !Array.isArray(item);

/** What in a text can't be printed. */
export function textProblems(text: string, where: string): string[] {
  if (!UNPRINTABLE.test(text) && !isRightToLeft(text)) return [];
  const chars = new Set([...text].filter(char => UNPRINTABLE.test(char) || isRightToLeft(char)));
  return [...chars].map(char =>
    isRightToLeft(char)
      ? `${where}: ${printableChar(char)} is written from right to left, and templates are laid out from left to right only`
      : `${where}: ${printableChar(char)} is a control or formatting character`,
  );
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  return Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Names and values in Unicode's composed form. */
export function normalized(variables: Readonly<Record<string, VariableValue>>): Variables {
  const nfc = (text: string) => text.normalize("NFC");
  const inItem = (item: ListItem): ListItem =>
    typeof item === "string"
      ? nfc(item)
      : Object.fromEntries(Object.entries(item).map(([field, text]) => [nfc(field), nfc(text)]));
  return new Map(
    Object.entries(variables).map(([name, value]) => [
      nfc(name),
      typeof value === "string" ? nfc(value) : typeof value === "boolean" ? value : value.map(inItem),
    ]),
  );
}

/** Every text among the values, under a name of its own. */
export function textsIn(variables: Variables): [string, string][] {
  return [...variables].flatMap(([name, value]): [string, string][] => {
    if (typeof value === "string") return [[name, value]];
    if (typeof value === "boolean") return [];
    return value.flatMap((item, index): [string, string][] =>
      typeof item === "string"
        ? [[`${name}[${index}]`, item]]
        : Object.entries(item).map(([field, text]) => [`${name}[${index}].${field}`, text]),
    );
  });
}

/** Around the number of a value. Neither means anything to Markdown, and no template may hold them. */
export const OPEN = "\ue000";
export const CLOSE = "\ue001";

export interface Marked {
  /** A template with each variable as a mark that means nothing to Markdown, so that no value is ever parsed. */
  readonly text: string;
  /** What the marks stand for, by their number. */
  readonly values: readonly string[];
}

/** Text with its variables filled in. `literal` is applied to the template's own text only. */
export function fill(text: string, { values }: Marked, literal: (text: string) => string): string {
  if (!text.includes(OPEN)) return literal(text);
  return text
    .split(/(\ue000\d+\ue001)/)
    .map((part, index) => (index % 2 === 0 ? literal(part) : (values[Number(part.slice(1, -1))] ?? "")))
    .join("");
}
