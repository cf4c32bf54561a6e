import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { renderTemplate } from "../../sdk/templates/index.js";

const root = join(import.meta.dirname, "../..");
const isBuilt = existsSync(join(root, "dist/templates/render.cjs"));

const loadedBy = (paths: readonly string[]): string[] => {
  const script = `
    require("@pulumi/pulumi");
    const before = new Set(Object.keys(require.cache));
    for (const path of ${JSON.stringify(paths.map(path => join(root, path)))}) require(path);
    process.stdout.write(JSON.stringify(Object.keys(require.cache).filter(path => !before.has(path))));
  `;
  return JSON.parse(execFileSync(process.execPath, ["-e", script], { cwd: root, encoding: "utf8" }));
};

test("the libraries that render are pinned to exact versions", () => {
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  for (const name of ["@cantoo/pdf-lib", "dejavu-fonts-ttf", "fontkit", "marked"]) {
    const installed = JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8"));
    expect(devDependencies[name]).toMatch(/^\d+\.\d+\.\d+$/);
    expect(installed.version).toBe(devDependencies[name]);
  }
});

test.skipIf(!isBuilt)("importing the SDK, its runtime, templates or evidence loads no rendering library", () => {
  const bundles = ["dist/sdk/index.cjs", "dist/sdk/runtime.cjs", "dist/templates/index.cjs", "dist/evidence/index.cjs"];
  const loaded = loadedBy(bundles);
  expect(loaded).toEqual(expect.arrayContaining(bundles.map(path => join(root, path))));
  expect(loaded.filter(each => /pdf-lib|fontkit|marked|pkijs|asn1js|render\.cjs/.test(each))).toEqual([]);
});

test.skipIf(!isBuilt)("the plugin's bundle holds no rendering library", () => {
  const text = readFileSync(join(root, "dist/plugin.cjs"), "utf8");
  expect(text).toContain("./templates/render.cjs");
  for (const word of ["PDFDocument", "hasGlyphForCodePoint", "TTFFont"]) expect(text).not.toContain(word);
});

test.skipIf(!isBuilt)("the built package renders the same bytes as the sources, with its own fonts", async () => {
  const script = `
    const { renderTemplate } = require("pulumi-docsign/templates");
    renderTemplate({ template: { markdown: "# {{a}} **b** *c* ***d*** ∀" }, variables: { a: "ñ" } }).then(({ sha256 }) => process.stdout.write(sha256));
  `;
  const { sha256 } = await renderTemplate({
    template: { markdown: "# {{a}} **b** *c* ***d*** ∀" },
    variables: { a: "ñ" },
  });
  expect(execFileSync(process.execPath, ["-e", script], { cwd: root, encoding: "utf8" })).toBe(sha256);
  expect(readdirSync(join(root, "dist/templates/fonts")).filter(name => name.endsWith(".ttf"))).toHaveLength(5);
});

test.skipIf(!isBuilt)("errors of the built package are its own TemplateError", () => {
  const script = `
    const { renderTemplate, TemplateError } = require("pulumi-docsign/templates");
    renderTemplate({ template: { markdown: "{{a}}" } }).catch(error => process.stdout.write(JSON.stringify([error instanceof TemplateError, error.problems])));
  `;
  const said = execFileSync(process.execPath, ["-e", script], { cwd: root, encoding: "utf8" });
  expect(JSON.parse(said)).toEqual([true, ["line 1: {{a}} has no variable"]]);
});
