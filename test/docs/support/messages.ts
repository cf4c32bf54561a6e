import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import ts from "typescript";
import { root } from "../../support/engine/found.js";

const ROOMS = ["provider", "sdk", "templates", "evidence", "sandbox"];

/** The stand-in's answers are the service's, and reach a user as `… answered …`. What its program says is ours. */
const isOurs = (path: string): boolean =>
  !path.startsWith("sandbox/") || /^sandbox\/(command|flags|persistence)\.ts$/.test(path);
/** Errors of our own making, found while the pages are written or a test runs. */
const isInternal = (path: string): boolean => /^docgen\/|declaration\.ts$/.test(path);

/** A place in the code that says something went wrong, with every wording it has: `…` stands for what is filled in. */
export interface Place {
  readonly where: string;
  readonly wordings: readonly string[];
}

interface Source {
  readonly path: string;
  readonly file: ts.SourceFile;
}

function sources(): Source[] {
  return ROOMS.flatMap(room =>
    readdirSync(join(root, room), { recursive: true, encoding: "utf8" })
      .map(path => posix.join(room, path.replaceAll("\\", "/")))
      .filter(path => path.endsWith(".ts") && isOurs(path) && !isInternal(path))
      .sort()
      .map(path => ({
        path,
        file: ts.createSourceFile(path, readFileSync(join(root, path), "utf8"), ts.ScriptTarget.Latest, true),
      })),
  );
}

/** Every text of the sources that reads as words. */
export function wordings(): string[] {
  return sources().flatMap(({ file }) => {
    const found: string[] = [];
    const visit = (node: ts.Node): void => {
      const text = textOf(node);
      if (text !== undefined) found.push(text);
      // A template's holes may hold texts of their own.
      ts.forEachChild(node, visit);
    };
    visit(file);
    return found;
  });
}

/** Every place that makes an error or a warning. */
export function places(): Place[] {
  return sources().flatMap(({ path, file }) => {
    const named = definitions(file);
    const found: Place[] = [];
    const visit = (node: ts.Node): void => {
      for (const said of saidBy(node)) {
        const wordings = [...new Set(textsIn(said, named, 2))].filter(isProse);
        const { line } = file.getLineAndCharacterOfPosition(said.getStart());
        if (wordings.length > 0) found.push({ where: `${path}:${line + 1}`, wordings });
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
    return found;
  });
}

const isProse = (text: string): boolean => text.split(/\s+/).filter(word => /^[\w'`-]{2,}/.test(word)).length >= 2;

/** What an expression says to a user, if it is one that says something went wrong. */
function saidBy(node: ts.Node): readonly ts.Node[] {
  if (ts.isNewExpression(node) && isTrouble(node.expression.getText(), node.getSourceFile().fileName))
    return [...(node.arguments ?? [])];
  if (ts.isCallExpression(node)) {
    const name = node.expression.getText();
    if (/(\.warn|^failure|^refused|^wrong|(problems|reasons|failures)\.push)$/.test(name)) return [...node.arguments];
  }
  if (ts.isPropertyAssignment(node) && /^(wrong|reason|problem)$/.test(node.name.getText())) return [node.initializer];
  return [];
}

/** A plain Error is a bug, and reaches a user as one; but for the sandbox's program, which prints its text. */
const isTrouble = (name: string, path: string): boolean =>
  /.(Error|Failure|Trouble)$/.test(name) ? name !== "RangeError" : name === "Error" && path.startsWith("sandbox/");

/** Functions, methods and constants of a file, by name. */
function definitions(file: ts.SourceFile): Map<string, ts.Node> {
  const found = new Map<string, ts.Node>();
  const visit = (node: ts.Node): void => {
    if ((ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) && node.name && node.body)
      found.set(node.name.getText(), node.body);
    if (ts.isVariableDeclaration(node) && node.initializer && isSpeech(node.initializer))
      found.set(node.name.getText(), node.initializer);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Data has texts as well, and says nothing. */
const isSpeech = (node: ts.Node): boolean =>
  ts.isArrowFunction(node) || spoken(node) !== undefined || ts.isConditionalExpression(node);

/** The texts in an expression, and those of what it calls or names in the same file. */
function textsIn(node: ts.Node, named: ReadonlyMap<string, ts.Node>, depth: number): string[] {
  const text = textOf(node);
  const inner: string[] = [];
  ts.forEachChild(node, child => void inner.push(...textsIn(child, named, depth)));
  const name = ts.isIdentifier(node) || ts.isPrivateIdentifier(node) ? node.text : undefined;
  const meant = depth > 0 && name !== undefined ? named.get(name) : undefined;
  return [...(text === undefined ? [] : [text]), ...inner, ...(meant ? textsIn(meant, named, depth - 1) : [])];
}

/** A literal, a template or a sum of them, as one line; undefined for anything else. */
function textOf(node: ts.Node): string | undefined {
  if (ts.isBinaryExpression(node.parent ?? node) && isSum(node) && isSum(node.parent)) return undefined;
  const text = spoken(node);
  return text === undefined ? undefined : text.replace(/\s+/g, " ").trim();
}

const isSum = (node: ts.Node): boolean =>
  (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) ||
  ts.isStringLiteral(node) ||
  ts.isNoSubstitutionTemplateLiteral(node) ||
  ts.isTemplateExpression(node);

function spoken(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join("");
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [spoken(node.left) ?? "…", spoken(node.right) ?? "…"];
    return /[^…]/.test(left + right) ? left + right : undefined;
  }
  return undefined;
}
