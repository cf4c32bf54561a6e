import type { Node, TypedProgram } from "../program.js";

export const snake = (name: string): string => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
export const pascal = (name: string): string =>
  name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
export const quoted = (text: string): string => JSON.stringify(text);
export const indented = (text: string, by: string): string => text.replace(/^(?=.)/gm, by);

/** Pieces between brackets: on one line where they fit, otherwise a line for each. */
export function between(open: string, close: string, pieces: readonly string[], pad = "", width = 92): string {
  const line = `${open}${pad}${pieces.join(", ")}${pad}${close}`;
  if (!line.includes("\n") && line.length <= width) return line;
  return `${open}\n${pieces.map(piece => `${indented(piece, "    ")},\n`).join("")}${close}`;
}

export type Print = (node: Node) => string;

/** Writes a value, with a way for each kind of value. */
export const printer =
  (ways: { readonly [K in Node["kind"]]: (node: Extract<Node, { kind: K }>) => string }): Print =>
  node =>
    (ways[node.kind] as Print)(node);

/** Whether some value in it is of this kind. */
export function uses(program: TypedProgram, kind: Node["kind"]): boolean {
  const has = (node: Node): boolean =>
    node.kind === kind ||
    (node.kind === "list" && node.items.some(has)) ||
    ((node.kind === "object" || node.kind === "map") && node.fields.some(([, each]) => has(each)));
  const all = [...program.resources.flatMap(({ fields }) => fields), ...(program.call?.fields ?? [])];
  return all.some(([, node]) => has(node));
}
