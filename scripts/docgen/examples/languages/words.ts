import type { Fields, Language, Node, TypedProgram } from "../program.js";

export const snake = (name: string): string => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
export const pascal = (name: string): string =>
  name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
export const quoted = (text: string): string => JSON.stringify(text);
export const indented = (text: string, by: string): string => text.replace(/^(?=.)/gm, by);

const WIDEST = 92;

/** Pieces between brackets: on one line where they fit, otherwise a line for each. */
export function between(
  [open, close]: readonly [string, string],
  pieces: readonly string[],
  {
    unit = "    ",
    pad = "",
    last = ",",
    width = WIDEST,
  }: { unit?: string; pad?: string; last?: string; width?: number } = {},
): string {
  const line = `${open}${pad}${pieces.join(", ")}${pad}${close}`;
  if (!line.includes("\n") && line.length <= width) return line;
  return `${open}\n${pieces.map((piece, at) => `${indented(piece, unit)}${at < pieces.length - 1 ? "," : last}\n`).join("")}${close}`;
}

/** What a language has to import for the words of its own in a program. */
export function importsOf(program: TypedProgram, language: Language): string[] {
  const found = new Set<string>();
  const visit = (node: Node): void => {
    if (node.kind === "spoken") {
      const needs = node.spoken.imports[language];
      if (needs !== undefined) found.add(needs);
    } else if (node.kind === "list") node.items.forEach(visit);
    else if (node.kind === "object" || node.kind === "map") visitAll(node.fields);
  };
  const visitAll = (fields: Fields): void => {
    for (const [, node] of fields) visit(node);
  };
  for (const { fields } of program.resources) visitAll(fields);
  if (program.call) visitAll(program.call.fields);
  return [...found];
}

/** Whether some value in it is of this kind. */
export function uses(program: TypedProgram, kind: Node["kind"]): boolean {
  const has = (node: Node): boolean =>
    node.kind === kind ||
    (node.kind === "list" && node.items.some(has)) ||
    ((node.kind === "object" || node.kind === "map") && node.fields.some(([, each]) => has(each)));
  const all = [...program.resources.flatMap(({ fields }) => fields), ...(program.call?.fields ?? [])];
  return all.some(([, node]) => has(node));
}
