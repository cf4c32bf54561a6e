import { join } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import { root } from "../support/engine/found.js";
import { missingFor } from "../support/engine/languages.js";
import { docComments } from "./support/doc-comments.js";
import { ofKind, type Snippet } from "./support/pages.js";

/** What a snippet may leave out, because the page has said it before: imports, and a document. */
function prelude(text: string): string {
  const isDeclared = (name: string) => new RegExp(`(import \\* as|const|let|function) ${name}\\b`).test(text);
  const documents = [...text.matchAll(/\b(\w+)\.(?:documentId|nom151)\b/g)].map(([, name = ""]) => name);
  const declared = [...new Set(documents)].filter(name => !isDeclared(name));
  const needs = (name: string, elsewhere: boolean) =>
    !isDeclared(name) && (elsewhere || new RegExp(`\\b${name}\\.`).test(text));
  return [
    ...(needs("docsign", declared.length > 0) ? ['import * as docsign from "pulumi-docsign/dynamic";'] : []),
    ...(needs("pulumi", false) ? ['import * as pulumi from "@pulumi/pulumi";'] : []),
    ...declared.map(name => `declare const ${name}: docsign.Document;`),
  ].join(" ");
}

const needsSdk = ({ text }: Snippet): boolean => text.includes('"pulumi-docsign"');

function problemsIn(snippets: readonly Snippet[]): string[] {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.Preserve,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    moduleDetection: ts.ModuleDetectionKind.Force,
    lib: ["lib.es2024.d.ts", "lib.esnext.disposable.d.ts"],
    types: ["node"],
    strict: true,
    allowJs: true,
    skipLibCheck: true,
    noEmit: true,
    paths: {
      "pulumi-docsign/dynamic": [join(root, "sdk/index.ts")],
      "pulumi-docsign/templates": [join(root, "sdk/templates/index.ts")],
      "pulumi-docsign/evidence": [join(root, "sdk/evidence/index.ts")],
      "pulumi-docsign/policy": [join(root, "sdk/policy/index.ts")],
      "pulumi-docsign/sandbox": [join(root, "sandbox/index.ts")],
      "pulumi-docsign/board": [join(root, "commands/board/index.ts")],
      "pulumi-docsign": [join(root, "dist/sdks/nodejs/index.d.ts")],
    },
  };
  const files = new Map(snippets.map((each, at) => [join(root, "docs", `snippet-${at}.ts`), each]));
  const host = ts.createCompilerHost(options);
  const [fromDisk, isThere] = [host.getSourceFile.bind(host), host.fileExists.bind(host)];
  host.getSourceFile = (path, ...rest) => {
    const snippet = files.get(path);
    return snippet
      ? ts.createSourceFile(path, `${prelude(snippet.text)}${snippet.text}`, ts.ScriptTarget.Latest, true)
      : fromDisk(path, ...rest);
  };
  host.fileExists = path => files.has(path) || isThere(path);
  const program = ts.createProgram([...files.keys(), join(root, "sdk/templates/fontkit.d.ts")], options, host);
  return [...files].flatMap(([path, { page, where }]) => {
    const source = program.getSourceFile(path);
    if (!source) return [`${where}: wasn't read`];
    const first = Number(where.split(":").at(-1));
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(problem => {
      const line = first + source.getLineAndCharacterOfPosition(problem.start ?? 0).line;
      return `${page}:${line}: ${ts.flattenDiagnosticMessageText(problem.messageText, "\n")}`;
    });
  });
}

const programs = ofKind("ts", "typescript", "js");

const WRONG: Snippet = {
  page: "docs/a.md",
  where: "docs/a.md:7",
  kind: "ts",
  text: "const a = 1;\nnew docsign.Folder(a, {});",
};

it("every TypeScript snippet compiles, those for generated SDKs too, and one that doesn't is found", async () => {
  expect(programs.length).toBeGreaterThan(15);
  const sdk = missingFor("go") === undefined;
  expect(problemsIn([...programs.filter(each => sdk || !needsSdk(each)), WRONG])).toEqual([
    expect.stringMatching(/^docs\/a\.md:8: Argument of type 'number'/),
  ]);
});

it("every example in the packages' doc comments compiles", () => {
  const examples = docComments(["sdk", "sandbox", "commands/board"]);
  expect(examples.length).toBeGreaterThan(15);
  expect(problemsIn(examples)).toEqual([]);
});
