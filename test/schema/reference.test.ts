import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { version } from "../../package.json";
import { packageDeclaration } from "../../scripts/docgen/package-schema.js";
import { referencePages, referencePlaces, withPlaces } from "../../scripts/docgen/reference/pages.js";

const root = join(import.meta.dirname, "../..");
const pages = referencePages(packageDeclaration, readFileSync(join(root, "docs/errors.md"), "utf8"));
const places = referencePlaces({ version, ...packageDeclaration });
const { resources, functions, config } = packageDeclaration;
const onDisk = (path: string) => readFile(join(root, path), "utf8").catch(() => "");
const STALE = "is stale: run `node scripts/schema.mjs`";

describe.each(Object.entries(pages))("%s", (path, wanted) => {
  it("is what the declarations say", async () => {
    expect((await onDisk(path)) === wanted, `${path} ${STALE}`).toBe(true);
  });

  it("has a cell for each column in each row", () => {
    let columns = 0;
    for (const line of wanted.split("\n")) {
      const cells = line.startsWith("|") ? line.split(/(?<!\\)\|/).length : 0;
      if (columns > 0 && cells > 0) expect(cells, line).toBe(columns);
      columns = cells;
    }
  });
});

it.each(Object.keys(places))("the places of %s hold what the declarations say", async path => {
  const text = await onDisk(path);
  expect(withPlaces(text, places[path] ?? {}) === text, `${path} ${STALE}`).toBe(true);
});

it("a page without its marker is an error", () => {
  expect(() => withPlaces("# A page", { settings: "all" })).toThrow("no place for settings");
});

it("no page is left over from a resource or function there was", () => {
  const there = readdirSync(join(root, "docs/reference"), { recursive: true, encoding: "utf8" });
  const paths = there.filter(path => path.endsWith(".md")).map(path => `docs/reference/${path.replaceAll("\\", "/")}`);
  expect(paths.sort()).toEqual(
    Object.keys(pages)
      .filter(path => path.startsWith("docs/reference/"))
      .sort(),
  );
});

const pageOf = (kind: "resources" | "functions", token: string): string => {
  const name = token.split(":").at(-1) ?? "";
  return pages[`docs/reference/${kind}/${name.replace(/(?<=.)[A-Z]/g, letter => `-${letter}`).toLowerCase()}.md`] ?? "";
};

it.each([
  ...resources.map(resource => ["resources", resource] as const),
  ...functions.map(fn => ["functions", fn] as const),
])("%s: $token has a page with all of it", (kind, { token, description, inputs, outputs }) => {
  const text = pageOf(kind, token);
  expect(text).toContain(`\n\`${token}\`\n\n${description}\n`);
  for (const name of [...Object.keys(inputs.shape), ...Object.keys(outputs.shape)])
    expect(text).toContain(`| \`${name}\` |`);
  const unfolded = [...text.matchAll(/<details><summary>(.*?)<\/summary>\n\n```(\w+)\n/g)];
  expect(unfolded.slice(0, 5).map(([, title, language]) => `${title}: ${language}`)).toEqual([
    "TypeScript: typescript",
    "Python: python",
    "Go: go",
    "C#: csharp",
    "Java: java",
  ]);
  expect(text).toMatch(/:\n\n```yaml\n/);
  expect(text, "shortcodes are read by the Registry alone").not.toContain("{{<");
  const sections = ["Example", "Inputs", "Outputs", ...(kind === "resources" ? ["Import"] : []), "Limits", "Errors"];
  expect([...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title).filter(title => title !== "Types")).toEqual(
    sections,
  );
});

it("says what a change means, what is required, what is filled in, what fits and what is secret", () => {
  const document = pageOf("resources", "Document");
  expect(document).toMatch(
    /^\| `invitations` \| list of \[Invitation\]\(#invitation\) \| yes \| at least 1 \| a new document \|/m,
  );
  expect(document).toMatch(/^\| `name` \| string \| yes \| 1 to 10000 characters \| a new document \|/m);
  const gate = pageOf("resources", "SignatureGate");
  expect(gate).toMatch(/^\| `mode` \| \[GateMode\]\(#gatemode\) \| `observe` \|/m);
  expect(gate).toContain("| if `signers` is |");
  for (const { token } of functions) expect(pageOf("functions", token)).not.toContain("| if `invitations` is |");
  const { settings } = places["docs/installation-configuration.md"] ?? {};
  expect(settings).toMatch(/^\| `docsign:apiKey` \| `DOCSIGN_API_KEY` \| string \|.*\| yes \|/m);
  expect(settings).toMatch(/^\| `docsign:maxConcurrency` \|.*\| 1 to 64 \|/m);
  for (const name of Object.keys(config.shape)) expect(settings).toContain(`| \`docsign:${name}\` |`);
});

it("shows how to import what can be imported", () => {
  const importing = resources.flatMap(({ token }) => pageOf("resources", token).match(/^pulumi import .*$/gm) ?? []);
  expect(importing).toEqual([
    'pulumi import docsign:index:Folder leases "12/Leases 2026"',
    "pulumi import docsign:index:Document lease 4711",
    "pulumi import docsign:index:DocumentSet ndas folder/1234",
    "pulumi import docsign:index:SignatureGate signed 4711",
  ]);
  expect(pageOf("resources", "Reminder")).toContain("\nA reminder can't be imported.\n");
});
