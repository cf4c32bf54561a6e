import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import { machine, root } from "../support/engine/found.js";

const folder = join(root, "examples");
const configs = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
  path =>
    /(^|[\\/])tsconfig\.json$/.test(path) &&
    !path.includes("node_modules") &&
    // Its SDK is generated.
    (machine.sdksMissing === undefined || !path.includes("quickstart-typescript")),
);

it("every TypeScript example compiles under its own settings, which are strict", () => {
  expect(configs.length).toBeGreaterThan(6);
  const files = configs.flatMap(path => {
    const { compilerOptions, files } = JSON.parse(readFileSync(join(folder, path), "utf8"));
    expect(compilerOptions).toEqual({
      target: "es2022",
      module: "node16",
      moduleResolution: "node16",
      // TypeScript 6 no longer works it out for programs in folders of their own.
      rootDir: ".",
      strict: true,
      skipLibCheck: true,
    });
    return (files as string[]).map(file => join(folder, dirname(path), file));
  });
  // At once, with the sources behind the package's names: declarations are only there in a packed package.
  const program = ts.createProgram(files, {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Preserve,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ["lib.es2024.d.ts", "lib.esnext.disposable.d.ts"],
    types: ["node"],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    paths: {
      "pulumi-docsign": [join(root, "dist/sdks/nodejs/index.d.ts")],
      "pulumi-docsign/dynamic": [join(root, "sdk/index.ts")],
      "pulumi-docsign/templates": [join(root, "sdk/templates/index.ts")],
    },
  });
  // The package's own sources are checked elsewhere.
  const ours = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(`${folder}/`));
  expect(ours.length).toBeGreaterThanOrEqual(files.length);
  const found = [
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...ours.flatMap(file => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
  ];
  expect(ts.formatDiagnostics(found, ts.createCompilerHost({}))).toBe("");
});
