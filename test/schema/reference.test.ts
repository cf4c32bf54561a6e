import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageDeclaration } from "../../provider/declarations.js";
import { referencePages } from "../../provider/schema/reference.js";

const root = join(import.meta.dirname, "../..");
const pages = referencePages(packageDeclaration);
const { resources, functions, config } = packageDeclaration;

describe.each(Object.entries(pages))("%s", (path, wanted) => {
  it("is what the declarations say", async () => {
    const text = await readFile(join(root, path), "utf8").catch(() => "");
    expect(text === wanted, `${path} is stale: run \`node scripts/schema.mjs\``).toBe(true);
  });

  it("links to headings it has, each there once", () => {
    const headings = [...wanted.matchAll(/^#+ (.+)$/gm)].map(([, title]) => title?.toLowerCase());
    for (const [, anchor] of wanted.matchAll(/\]\(#(.+?)\)/g))
      expect(headings.filter(heading => heading === anchor)).toEqual([anchor]);
  });

  it("has as many cells in each row as its table has columns", () => {
    let columns = 0;
    for (const line of wanted.split("\n")) {
      const cells = line.startsWith("|") ? line.split(/(?<!\\)\|/).length : 0;
      if (columns > 0 && cells > 0) expect(cells, line).toBe(columns);
      columns = cells;
    }
  });
});

it.each([
  ...resources.map(resource => ["docs/reference/resources.md", resource] as const),
  ...functions.map(fn => ["docs/reference/functions.md", fn] as const),
])("%s shows all of $token", (path, { token, description, inputs, outputs }) => {
  const section = pages[path]?.split(/^(?=## )/m).find(text => text.includes(`\n\`${token}\`\n`)) ?? "";
  expect(section).toContain(description);
  for (const name of [...Object.keys(inputs.shape), ...Object.keys(outputs.shape)])
    expect(section).toContain(`| \`${name}\` |`);
  expect(section).toContain("```yaml\n");
});

it("says what a change means, what is required, what is filled in and what is secret", () => {
  const { "docs/reference/resources.md": resourcesPage, "docs/reference/configuration.md": settings } = pages;
  expect(resourcesPage).toMatch(
    /^\| `invitations` \| list of \[Invitation\]\(#invitation\) \| yes \| a new document \|/m,
  );
  expect(resourcesPage).toMatch(/^\| `mode` \| \[GateMode\]\(#gatemode\) \|.*\| `observe` \|/m);
  expect(resourcesPage).toContain("| if `signers` is |");
  expect(pages["docs/reference/functions.md"]).not.toContain("| if `invitations` is |");
  expect(settings).toMatch(/^\| `docsign:apiKey` \| `DOCSIGN_API_KEY` \| string \|.*\| yes \|/m);
  for (const name of Object.keys(config.shape)) expect(settings).toContain(`| \`docsign:${name}\` |`);
});

it("shows how to import what can be imported", () => {
  const importing = (pages["docs/reference/resources.md"] ?? "").match(/^pulumi import .*$/gm);
  expect(importing).toEqual([
    'pulumi import docsign:index:Folder leases "12/Leases 2026"',
    "pulumi import docsign:index:Document lease 4711",
    "pulumi import docsign:index:SignatureGate order-signed 4711",
  ]);
  expect(pages["docs/reference/resources.md"]).toContain("\nA reminder can't be imported.\n");
});
