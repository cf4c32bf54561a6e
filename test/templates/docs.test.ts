import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { INSTALL as FOR_EVIDENCE } from "../../evidence/constancia.js";
import { renderTemplate } from "../../templates/index.js";
import { INSTALL, LIBRARIES } from "../../templates/libraries.js";

const root = join(import.meta.dirname, "../..");
const page = (name: string) => readFileSync(join(root, "docs", name), "utf8");
const blocks = (text: string, language: string) =>
  [...text.matchAll(new RegExp(`^(\`{3,})${language}\\n([\\s\\S]*?)^\\1$`, "gm"))].map(found => found[2] ?? "");

test.each(["templates.md", "evidence.md"])(
  "every program in docs/%s compiles",
  name => {
    const programs = new Map(
      blocks(page(name), "ts").map((text, index) => [join(root, `docs/${name}-${index}.ts`), text]),
    );
    expect(programs.size).toBeGreaterThan(1);
    const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
    const { options } = ts.convertCompilerOptionsFromJson(
      { ...config.compilerOptions, moduleDetection: "force" },
      root,
    );
    options.paths = {
      "pulumi-docsign": [join(root, "sdk/index.ts")],
      "pulumi-docsign/templates": [join(root, "templates/index.ts")],
      "pulumi-docsign/evidence": [join(root, "evidence/index.ts")],
    };
    const host = ts.createCompilerHost(options);
    const read = host.getSourceFile.bind(host);
    host.getSourceFile = (path, ...rest) => {
      const text = programs.get(path);
      return text === undefined ? read(path, ...rest) : ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    };
    const program = ts.createProgram([...programs.keys(), join(root, "templates/fontkit.d.ts")], options, host);
    const problems = [...programs.keys()].flatMap(path => {
      const source = program.getSourceFile(path);
      return [...program.getSemanticDiagnostics(source), ...program.getSyntacticDiagnostics(source)];
    });
    expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))).toEqual([]);
  },
  60_000,
);

test("the contract shown prints", async () => {
  const [markdown = ""] = blocks(page("templates.md"), "md");
  const variables = { company: "Acme", name: "Zoë Kovač", start: "1 March 2027" };
  expect((await renderTemplate({ template: { markdown }, variables })).pages).toBe(2);
});

test("what the pages tell to install is what is asked for, in the versions of the package", () => {
  expect(page("templates.md")).toContain(INSTALL);
  expect(page("evidence.md")).toContain(FOR_EVIDENCE);
  const { peerDependencies, peerDependenciesMeta, devDependencies } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );
  expect(peerDependencies).toMatchObject(LIBRARIES);
  for (const name of Object.keys(peerDependencies)) {
    expect(peerDependenciesMeta[name]).toEqual({ optional: true });
    expect(devDependencies[name]).toBe(peerDependencies[name]);
  }
});
