import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { root } from "../../support/engine/found.js";

const FOLDERS = ["provider", "sdk", "sandbox"];

/** Every text literal of the sources, as one line; `…` stands for what is filled in. */
export function wordings(): string[] {
  return FOLDERS.flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter(path => path.endsWith(".ts"))
      .flatMap(path => textsIn(readFileSync(join(root, folder, path), "utf8"))),
  );
}

function textsIn(source: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const text = textOf(node);
    if (text !== undefined) found.push(text.replace(/\s+/g, " ").trim());
    // A template's substitutions may hold texts of their own.
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("", source, ts.ScriptTarget.Latest, true));
  return found;
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join("");
  return undefined;
}
