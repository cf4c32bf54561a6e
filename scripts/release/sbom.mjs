// node scripts/release/sbom.mjs: prints what the plugin's executable and the npm package are made of, as SPDX. It is `npm sbom` of the
// lock file without what only development needs; that leaves out what is bundled, and Node itself, so both are put back.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ask } from "../setup/child.mjs";
import { BUNDLED, withDependencies } from "../setup/dependencies.mjs";
import { NODE_WITHIN } from "../setup/node.mjs";

const root = join(import.meta.dirname, "..", "..");

export async function sbom() {
  const { packages } = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8"));
  const wanted = [...Object.keys(packages[""].dependencies), ...BUNDLED];
  const kept = new Set([
    `${packages[""].name}@${packages[""].version}`,
    ...withDependencies(packages, wanted).map(
      path => `${path.replace(/^.*node_modules\//, "")}@${packages[path].version}`,
    ),
  ]);
  const printed = await ask("npm", ["sbom", "--sbom-format", "spdx", "--package-lock-only", "--prefix", root], {
    timeout: 0,
  });
  if (!printed) throw new Error("`npm sbom` printed nothing");
  const document = JSON.parse(printed);
  const found = document.packages.filter(({ name, versionInfo }) => kept.has(`${name}@${versionInfo}`));
  const ids = new Set(["SPDXRef-DOCUMENT", ...found.map(({ SPDXID }) => SPDXID)]);
  const [whole] = document.documentDescribes;
  return {
    ...document,
    packages: [...found, NODE],
    relationships: [
      ...document.relationships.filter(
        ({ spdxElementId, relatedSpdxElement }) => ids.has(spdxElementId) && ids.has(relatedSpdxElement),
      ),
      { spdxElementId: whole, relatedSpdxElement: NODE.SPDXID, relationshipType: "CONTAINS" },
    ],
  };
}

/** Inside the executable. */
const NODE = {
  name: "node",
  SPDXID: `SPDXRef-Package-node-${NODE_WITHIN}`,
  versionInfo: NODE_WITHIN,
  downloadLocation: "NOASSERTION",
  filesAnalyzed: false,
  licenseDeclared: "MIT",
  externalRefs: [
    {
      referenceCategory: "PACKAGE-MANAGER",
      referenceType: "purl",
      referenceLocator: `pkg:generic/node@${NODE_WITHIN}`,
    },
  ],
};

if (import.meta.filename === process.argv[1]) process.stdout.write(`${JSON.stringify(await sbom(), undefined, 2)}\n`);
