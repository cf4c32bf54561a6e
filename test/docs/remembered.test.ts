import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

/** What outlives a call of the engine is told on one page, with its lifetime. */

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/explained/engine-order.md"), "utf8");

/** Gone when the call is. */
const OF_ONE_CALL = [
  ...[
    "ApplyRows",
    "CreateFacts",
    "CreateSender",
    "Deadline",
    "DocumentCreate",
    "Drafts",
    "Reading",
    "Refusal",
    "RowLog",
    "RowsByName",
    "Snapshot",
  ],
  ...["Declared", "Decoder", "Reader", "StreamedJson", "Turns", "TypeSpecs", "Writer"],
];
/** Held by what the page names, and by nobody else. */
const PARTS: Record<string, string[]> = {
  EngineLog: ["Connection"],
  LoggedJournal: ["Clients", "JournalContents", "LocalLog", "NamesRead", "PartialLog", "RemoteLog", "Rows", "S3Log"],
  TemplateStore: ["Renderer", "Thread"],
};
/** Sockets, and who owns them at the moment: nothing is decided by what they were. */
const SOCKETS = ["Transport", "looking", "next"];

const isEmptyCollection = (value: ts.Expression | undefined): boolean =>
  value !== undefined &&
  ts.isNewExpression(value) &&
  /^(Weak)?(Map|Set)$/.test(value.expression.getText()) &&
  (value.arguments ?? []).length === 0;

const has = (node: { readonly modifiers?: ts.NodeArray<ts.ModifierLike> }, kind: ts.SyntaxKind): boolean =>
  node.modifiers?.some(modifier => modifier.kind === kind) === true;

/** A field that may be another one later, or that is filled. */
const isFilled = (member: ts.ClassElement): boolean =>
  ts.isPropertyDeclaration(member)
    ? !has(member, ts.SyntaxKind.ReadonlyKeyword) || isEmptyCollection(member.initializer)
    : ts.isConstructorDeclaration(member) &&
      member.parameters.some(each => each.modifiers && !has(each, ts.SyntaxKind.ReadonlyKeyword));

function holdersIn(path: string): string[] {
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
  return source.statements.flatMap(statement => {
    if (ts.isClassDeclaration(statement)) return statement.members.some(isFilled) ? [statement.name?.text ?? ""] : [];
    if (!ts.isVariableStatement(statement)) return [];
    const { declarations, flags } = statement.declarationList;
    const isVariable = (flags & ts.NodeFlags.Const) === 0;
    return declarations.flatMap(each =>
      isVariable || isEmptyCollection(each.initializer) ? [each.name.getText()] : [],
    );
  });
}

const holders = ["provider", "kit"].flatMap(folder =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter(name => name.endsWith(".ts") && !name.startsWith("examples"))
    .flatMap(name => holdersIn(join(root, folder, name))),
);
const isNamed = (name: string): boolean => page.includes(`\`${name}\``);

test("whatever in provider/ and kit/ holds something from one call to the next is on the page", () => {
  const known = [...OF_ONE_CALL, ...SOCKETS, ...Object.values(PARTS).flat()];
  const wanted = "what outlives a call is named on docs/explained/engine-order.md, what doesn't in OF_ONE_CALL";
  expect(
    holders.filter(name => !isNamed(name) && !known.includes(name)),
    wanted,
  ).toEqual([]);
  expect(known.filter(name => isNamed(name) || !holders.includes(name))).toEqual([]);
  expect(Object.keys(PARTS).filter(name => !isNamed(name))).toEqual([]);
});
