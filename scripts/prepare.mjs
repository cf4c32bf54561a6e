// npm's `prepare`: after `npm install` in a clone, which is also how `pulumi package add <git URL>` installs the plugin.
// It bundles dist/ where that is missing or older than its sources. Where development dependencies are left out, it first
// installs esbuild and what is bundled. Node's own modules only, and nothing newer than Node 18 knows.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bringBuild, isBuilt } from "./setup/build.mjs";
import { exitWith, ScriptError } from "./setup/errors.mjs";
import { runNpm, whyNpmFailed } from "./setup/npm.mjs";
import { readFlags } from "./setup/usage.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Development dependencies that bundling takes: esbuild, and what ends up in a bundle. */
const BUNDLED = [
  "esbuild",
  "@aws-sdk/client-s3",
  "@cantoo/pdf-lib",
  "asn1js",
  "dejavu-fonts-ttf",
  "fontkit",
  "marked",
  "pg-boss",
  "pkijs",
  "postgres",
  "yaml",
];

async function prepare() {
  if (await isBuilt(root)) return;
  if (isInstalled()) return bringBuild(root);
  const folder = await mkdtemp(join(tmpdir(), "docsign-bundler-"));
  try {
    process.env.DOCSIGN_BUNDLER = await bringBundler(folder);
    await bringBuild(root);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function isInstalled() {
  try {
    createRequire(join(root, "package.json")).resolve("esbuild");
    return true;
  } catch {
    return false;
  }
}

/** The versions of the lock file, checked against their hashes, in a folder of their own. */
async function bringBundler(folder) {
  const { packages } = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8"));
  const dependencies = Object.fromEntries(BUNDLED.map(name => [name, packages[`node_modules/${name}`].version]));
  const manifest = { name: "docsign-bundler", version: "0.0.0", dependencies };
  const kept = withDependencies(packages, BUNDLED).map(path => [path, { ...packages[path], dev: undefined }]);
  const lock = { ...manifest, lockfileVersion: 3, packages: { "": manifest, ...Object.fromEntries(kept) } };
  await writeFile(join(folder, "package.json"), JSON.stringify({ ...manifest, private: true }));
  await writeFile(join(folder, "package-lock.json"), JSON.stringify(lock));
  const args = ["ci", "--ignore-scripts", "--include=optional", "--no-audit", "--no-fund", "--loglevel=error"];
  const { code, last } = await runNpm(args, { cwd: folder });
  if (code !== 0) throw new ScriptError(`npm can't install esbuild: ${whyNpmFailed(last) ?? `exit code ${code}`}`);
  return join(folder, "node_modules");
}

/** The paths in a lock file of these packages and of all they need. */
function withDependencies(packages, names) {
  const found = new Set();
  const add = (name, from) => {
    const path = nearest(packages, name, from);
    if (path === undefined || found.has(path)) return;
    found.add(path);
    const { dependencies, optionalDependencies } = packages[path];
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) add(needed, path);
  };
  for (const name of names) add(name, "");
  return [...found];
}

/** Where Node finds a package: beside the one that needs it, or in a folder above. */
function nearest(packages, name, from) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    const path = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (packages[path]) return path;
    if (folder === "") return undefined;
  }
}

readFlags({
  name: "prepare",
  what: "Bundles dist/ where it is missing or older than its sources. npm runs it after `npm install`.",
  examples: ["npm run prepare"],
});
await prepare().catch(exitWith);
