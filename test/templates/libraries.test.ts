import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { INSTALL, LIBRARIES, loadLibraries } from "../../templates/libraries.js";

const root = join(import.meta.dirname, "../..");

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "docsign-libraries-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("packages that aren't installed are all named, with the command that installs them", async () => {
  await expect(loadLibraries(() => undefined)).rejects.toThrow(
    [
      "renderTemplate: ",
      ...Object.keys(LIBRARIES).map(name => `  - the package ${name} isn't installed`),
      `  - install what templates need with: ${INSTALL}`,
    ].join("\n"),
  );
});

test("another version is refused: it may write other bytes", async () => {
  for (const [name, version] of Object.entries({ ...LIBRARIES, marked: "18.3.0" })) {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, "package.json"), JSON.stringify({ name, version }));
  }
  await expect(loadLibraries(name => join(folder, name))).rejects.toThrow(
    "the package marked is there in version 18.3.0; the same bytes on every machine need 18.2.1",
  );
});

const loadedBy = (paths: readonly string[]): string[] => {
  const script = `
    require("@pulumi/pulumi");
    const before = new Set(Object.keys(require.cache));
    for (const path of ${JSON.stringify(paths.map(path => join(root, path)))}) require(path);
    process.stdout.write(JSON.stringify(Object.keys(require.cache).filter(path => !before.has(path))));
  `;
  return JSON.parse(execFileSync(process.execPath, ["-e", script], { cwd: root, encoding: "utf8" }));
};

test.skipIf(!existsSync(join(root, "dist/templates/index.cjs")))(
  "importing templates or evidence loads no optional package",
  () => {
    const bundles = ["dist/sdk/index.cjs", "dist/templates/index.cjs", "dist/evidence/index.cjs"];
    const loaded = loadedBy(bundles);
    expect(loaded).toEqual(expect.arrayContaining(bundles.map(path => join(root, path))));
    expect(loaded.filter(each => /pdf-lib|fontkit|marked|pkijs|asn1js/.test(each))).toEqual([]);
  },
);

test.skipIf(!existsSync(join(root, "dist/templates/index.cjs")))("what was built renders the same bytes", () => {
  const script = `
    const { renderTemplate } = require("pulumi-docsign/templates");
    renderTemplate({ template: { markdown: "# {{a}}" }, variables: { a: "ñ" } }).then(({ sha256 }) => process.stdout.write(sha256));
  `;
  const hashes = [1, 2].map(() => execFileSync(process.execPath, ["-e", script], { cwd: root, encoding: "utf8" }));
  expect(hashes[0]).toMatch(/^[0-9a-f]{64}$/);
  expect(hashes[1]).toBe(hashes[0]);
});
