import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sbom } from "../../scripts/release/sbom.mjs";

const root = join(import.meta.dirname, "..", "..");
const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));

it("the list of what a release is made of has the dependencies, what is bundled and Node, and no tools", async () => {
  const { spdxVersion, documentDescribes, packages: listed, relationships } = await sbom();
  const names = new Set(listed.map(({ name }) => name));
  expect(spdxVersion).toBe("SPDX-2.3");
  for (const name of [...Object.keys(packages[""].dependencies), "pkijs", "marked", "node"])
    expect(names).toContain(name);
  for (const name of ["vitest", "esbuild", "@biomejs/biome", "knip"]) expect(names).not.toContain(name);
  for (const { name, versionInfo, licenseDeclared } of listed)
    expect([name, versionInfo, licenseDeclared]).toEqual([name, expect.stringMatching(/^\d/), expect.any(String)]);
  const ids = new Set(["SPDXRef-DOCUMENT", ...listed.map(({ SPDXID }) => SPDXID)]);
  expect(ids).toContain(documentDescribes[0]);
  for (const { spdxElementId, relatedSpdxElement } of relationships)
    expect([ids.has(spdxElementId), ids.has(relatedSpdxElement)]).toEqual([true, true]);
});

it("has every package that a bundle is made of", async () => {
  const names = new Set((await sbom()).packages.map(({ name }) => name));
  const maps = readdirSync(join(root, "dist"), { recursive: true }).filter(path => /\.c?js\.map$/.test(path));
  expect(maps).toContain("plugin.cjs.map");
  const bundled = maps.flatMap(path => JSON.parse(readFileSync(join(root, "dist", path), "utf8")).sources ?? []);
  const found = bundled
    // Where the source was when somebody else's package was built.
    .filter(source => !source.includes("/.build-data/"))
    .flatMap(source => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? []);
  expect([...new Set(found)].filter(name => !names.has(name))).toEqual([]);
});
