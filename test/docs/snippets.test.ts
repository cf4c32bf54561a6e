import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inEveryLanguage } from "../../scripts/docgen/examples/example.js";
import { introduction } from "../../scripts/docgen/examples/index.js";
import { vocabularyOf } from "../../scripts/docgen/examples/program.js";
import { packageDeclaration } from "../../scripts/docgen/package-schema.js";
import { renderTemplate } from "../../sdk/templates/index.js";
import { wordings } from "./support/messages.js";
import { ofKind, snippets } from "./support/pages.js";

/** Which test answers for a kind of snippet. */
const TESTS: Readonly<Record<string, string>> = {
  ts: "typescript.test.ts",
  typescript: "typescript.test.ts",
  js: "typescript.test.ts",
  python: "python.engine.test.ts",
  go: "go.engine.test.ts",
  yaml: "yaml.engine.test.ts",
  sh: "shell.engine.test.ts",
  csharp: "snippets.test.ts",
  java: "snippets.test.ts",
  hcl: "../engine/do.engine.test.ts",
  sql: "../journal/postgres-errors.test.ts",
  json: "snippets.test.ts",
  md: "snippets.test.ts",
  text: "snippets.test.ts",
  csv: "../examples/provisioning.engine.test.ts",
  signatures: "../examples/provisioning.engine.test.ts",
};

it("every snippet is of a kind that a test answers for", () => {
  const others = snippets.filter(({ kind }) => !(kind in TESTS));
  expect(others.map(({ where, kind }) => `${where}: \`\`\`${kind}`)).toEqual([]);
  for (const file of Object.values(TESTS)) expect(existsSync(join(import.meta.dirname, file)), file).toBe(true);
});

it("a program in C# or Java is written off the declarations, which know its names", () => {
  const { resources, functions, examples = {} } = packageDeclaration;
  const vocabulary = vocabularyOf("docsign", [...resources, ...functions]);
  const programs = [introduction, ...Object.values(examples).flatMap(all => all.map(({ program }) => program))];
  const known = programs.flatMap(program => Object.values(inEveryLanguage(program, vocabulary)));
  expect(ofKind("csharp", "java").flatMap(({ where, text }) => (known.includes(text) ? [] : where))).toEqual([]);
});

describe("an example says only what the package has", () => {
  const vocabulary = vocabularyOf("docsign", [...packageDeclaration.resources, ...packageDeclaration.functions]);
  const leases = { name: "leases", type: "Folder", inputs: { name: "Leases" } };
  it.each([
    ["a resource", { resources: [{ ...leases, type: "Drawer" }], outputs: {} }, "Drawer"],
    [
      "an input",
      { resources: [{ ...leases, inputs: { name: "Leases", colour: "red" } }], outputs: {} },
      "Folder.colour",
    ],
    ["a required input", { resources: [{ ...leases, inputs: {} }], outputs: {} }, "Folder.name"],
    [
      "a value",
      { resources: [{ name: "gate", type: "SignatureGate", inputs: { documentId: "1", mode: "hope" } }], outputs: {} },
      "SignatureGate.mode",
    ],
  ])("%s that isn't there is refused", (_, program, named) => {
    expect(() => inEveryLanguage(program, vocabulary)).toThrow(named);
  });
});

it.each(ofKind("json").map(({ where, text }) => [where, text]))("%s is JSON", (_, text) => {
  expect(() => JSON.parse(text)).not.toThrow();
});

/** One with clauses needs its files: test/templates/docs.test.ts prints it. */
const contracts = ofKind("md").filter(({ text }) => !text.includes("{{>"));

it.each(contracts.map(({ where, text }) => [where, text]))("%s prints as a contract", async (_, markdown) => {
  const names = [...markdown.matchAll(/(?<!\\)\{\{(.+?)\}\}/g)].map(([, name = ""]) => name);
  const variables = Object.fromEntries(names.map(name => [name, "Zoë Kovač"]));
  expect((await renderTemplate({ template: { markdown }, variables })).pages).toBeGreaterThan(0);
});

const said = wordings().map(text => pattern(text));

/** What the code says, with anything where it fills in. */
function pattern(text: string): RegExp {
  const literal = text.split("…").map(part => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${literal.join(".*?")}$`, "s");
}

it.each(ofKind("text").map(({ where, text }) => [where, text]))("%s is what the code says, line by line", (_, text) => {
  const unknown = text.split("\n").filter(line => {
    const bare = line.trim().replace(/^(error: |warning: |- )/, "");
    return bare !== "" && !said.some(each => each.test(bare));
  });
  expect(unknown).toEqual([]);
});
