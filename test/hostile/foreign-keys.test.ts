import { join, relative } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const FOLDERS = ["commands", "provider", "sandbox", "sdk"];

/**
 * Every object inherits `constructor` and takes `__proto__` for something else. So where the key is any text: nothing is
 * written into an object but one made by `bareRecord`, nothing is looked for with `in`, and a table of ours is read by `own`.
 */
function misused(program: ts.Program, source: ts.SourceFile): string[] {
  const checker = program.getTypeChecker();
  const found: string[] = [];

  const isText = (node: ts.Expression): boolean => {
    const isOpen = (type: ts.Type): boolean =>
      type.isUnion() ? type.types.some(isOpen) : (type.flags & ts.TypeFlags.String) !== 0;
    const type = checker.getTypeAtLocation(node);
    return isOpen(checker.getBaseConstraintOfType(type) ?? type);
  };
  const declarationOf = (node: ts.Expression): ts.VariableDeclaration | undefined => {
    const declaration = checker.getSymbolAtLocation(node)?.valueDeclaration;
    return declaration && ts.isVariableDeclaration(declaration) ? declaration : undefined;
  };
  const plain = (node: ts.Expression | undefined): ts.Expression | undefined =>
    node && (ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isParenthesizedExpression(node))
      ? plain(node.expression)
      : node;
  const isBare = (node: ts.Expression): boolean => {
    const made = plain(declarationOf(node)?.initializer);
    return made !== undefined && ts.isCallExpression(made) && made.expression.getText() === "bareRecord";
  };
  const isTable = (node: ts.Expression): boolean => {
    const table = plain(node);
    if (table && ts.isObjectLiteralExpression(table)) return true;
    const declaration = declarationOf(node);
    const made = plain(declaration?.initializer);
    const isShared = declaration && ts.isSourceFile(declaration.parent.parent.parent);
    return isShared === true && made !== undefined && ts.isObjectLiteralExpression(made);
  };
  const isWritten = (node: ts.Node): boolean =>
    ts.isBinaryExpression(node.parent) &&
    node.parent.left === node &&
    node.parent.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
    node.parent.operatorToken.kind <= ts.SyntaxKind.LastAssignment;
  /** `Object.hasOwn(table, name) ? table[name] : …` */
  const isAsked = (node: ts.ElementAccessExpression): boolean => {
    const choice = node.parent;
    const own = `Object.hasOwn(${node.expression.getText()}, ${node.argumentExpression.getText()})`;
    return ts.isConditionalExpression(choice) && choice.whenTrue === node && choice.condition.getText().includes(own);
  };
  const say = (node: ts.Node): void => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    found.push(`${relative(root, source.fileName)}:${line + 1}: ${node.getText().slice(0, 80)}`);
  };

  const visit = (node: ts.Node): void => {
    if (ts.isElementAccessExpression(node) && isText(node.argumentExpression)) {
      const { expression } = node;
      if (isWritten(node) ? !isBare(expression) : isTable(expression) && !isAsked(node)) say(node);
    }
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword && isText(node.left))
      if (!ts.isStringLiteralLike(node.left)) say(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const options = (() => {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  return ts.parseJsonConfigFileContent(config, ts.sys, root);
})();

test("no object is keyed by any text, and none of ours is looked up by one", () => {
  const filesIn = (folder: string) => options.fileNames.filter(file => relative(root, file).startsWith(`${folder}/`));
  expect(FOLDERS.filter(folder => filesIn(folder).length < 10)).toEqual([]);
  const files = FOLDERS.flatMap(filesIn);
  expect(files.length).toBeGreaterThan(250);
  const program = ts.createProgram(files, options.options);
  const found = files.flatMap(file => misused(program, program.getSourceFile(file) ?? expect.fail(file)));
  expect(found, "use a Map, `bareRecord` or `own` of kit/records.ts").toEqual([]);
});

test.each([
  ["const made: Record<string, number> = {}; made[text] = 1;", true],
  ["const made: Record<string, number> = {}; made[text] ??= 1;", true],
  ["const made = bareRecord(); made[text] = 1;", false],
  ['const made: { a?: number } = {}; for (const name of ["a"] as const) made[name] = 1;', false],
  ["const list: number[] = []; list[number] = 1;", false],
  ["const is = text in { a: 1 };", true],
  ['const is = "a" in { a: 1 };', false],
  ["const one = TABLE[text];", true],
  ["const one = TABLE[text as 'a'];", false],
  ["const one = Object.hasOwn(TABLE, text) ? TABLE[text] : 0;", false],
  ["const one = { a: 1 }[text as string];", true],
  ["const one = list[text];", false],
])("the rule knows %s", (code, isFound) => {
  const lines = [
    "declare const text: string; declare const number: number; declare const list: { readonly [at: string]: number };",
    "declare const bareRecord: () => Record<string, number>; const TABLE: Record<string, number> = { a: 1 };",
    `{ ${code} }`,
  ];
  const host = ts.createCompilerHost({});
  const source = ts.createSourceFile(join(root, "x.ts"), lines.join("\n"), ts.ScriptTarget.ES2023, true);
  const { getSourceFile } = host;
  host.getSourceFile = (name, ...rest) => (name === source.fileName ? source : getSourceFile(name, ...rest));
  const program = ts.createProgram([source.fileName], { target: ts.ScriptTarget.ES2023, types: [] }, host);
  expect(misused(program, source)).toHaveLength(isFound ? 1 : 0);
});
