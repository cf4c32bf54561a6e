import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { renderTemplate } from "../../templates/index.js";

const root = join(import.meta.dirname, "../..");
const page = (name: string) => readFileSync(join(root, "docs", name), "utf8");
const blocks = (text: string, language: string) =>
  [...text.matchAll(new RegExp(`^(\`{3,})${language}\\n([\\s\\S]*?)^\\1$`, "gm"))].map(found => found[2] ?? "");

test("the contract shown prints", async () => {
  const [markdown = ""] = blocks(page("templates.md"), "md");
  const variables = { company: "Acme", name: "Zoë Kovač", start: "1 March 2027" };
  expect((await renderTemplate({ template: { markdown }, variables })).pages).toBe(2);
});
