import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { renderTemplate } from "../../sdk/templates/index.js";
import { scratchFolder } from "../support/scratch.js";
import { png } from "./images.js";
import { textsOf } from "./support.js";

// Pulumi's SDK brings a parser.
const { load } = createRequire(createRequire(import.meta.url).resolve("@pulumi/pulumi/package.json"))("js-yaml");

const root = join(import.meta.dirname, "../..");
const page = (name: string) => readFileSync(join(root, "docs", name), "utf8");
const blocks = (text: string, language: string) =>
  [...text.matchAll(new RegExp(`^(\`{3,})${language}\\n([\\s\\S]*?)^\\1$`, "gm"))].map(found => found[2] ?? "");

test("the contract shown prints", async () => {
  const [markdown = ""] = blocks(page("templates.md"), "md");
  const variables = { company: "Acme", name: "Zoë Kovač", start: "1 March 2027" };
  expect((await renderTemplate({ template: { markdown }, variables })).pages).toBe(2);
});

test("the contract with clauses and lists prints with the variables shown", async () => {
  const [, markdown = ""] = blocks(page("templates.md"), "md");
  const [, program = ""] = blocks(page("templates.md"), "yaml");
  const { variables } = load(program).resources.supply.properties;
  const folder = scratchFolder("docsign-docs-");
  mkdirSync(join(folder, "clauses"));
  writeFileSync(join(folder, "supply.md"), markdown);
  writeFileSync(join(folder, "clauses/confidentiality.md"), "What is confidential stays so.\n");
  writeFileSync(
    join(folder, "logo.png"),
    png(4, 3, 2, () => [1, 2, 3]),
  );
  const { pdf } = await renderTemplate({ template: join(folder, "supply.md"), variables });
  const text = (await textsOf(pdf)).join(" ").replace(/\s+/g, " ");
  for (const part of ["stays so", "Nobody guarantees", "Pallets 70 €", "Page 1 of 1"]) expect(text).toContain(part);
  rmSync(folder, { recursive: true });
});
