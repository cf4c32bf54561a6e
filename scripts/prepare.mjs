// npm's `prepare`: after `npm install` in a clone, which is also how `pulumi package add <git URL>` installs the plugin.
// It bundles dist/ where that is missing or older than its sources. Where development dependencies are left out, it first
// installs esbuild and what is bundled. Node's own modules only, and nothing newer than Node 18 knows.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bringBuild, isBuilt } from "./setup/build.mjs";
import { runNpm, whyNpmFailed } from "./setup/child.mjs";
import { BUNDLED, withDependencies } from "./setup/dependencies.mjs";
import { exitWith, ScriptError } from "./setup/progress.mjs";
import { readFlags } from "./setup/usage.mjs";

/** Development dependencies that bundling takes. */
const BUNDLER = ["esbuild", ...BUNDLED];

const root = dirname(dirname(fileURLToPath(import.meta.url)));

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
  const dependencies = Object.fromEntries(BUNDLER.map(name => [name, packages[`node_modules/${name}`].version]));
  const manifest = { name: "docsign-bundler", version: "0.0.0", dependencies };
  const kept = withDependencies(packages, BUNDLER).map(path => [path, { ...packages[path], dev: undefined }]);
  const lock = { ...manifest, lockfileVersion: 3, packages: { "": manifest, ...Object.fromEntries(kept) } };
  await writeFile(join(folder, "package.json"), JSON.stringify({ ...manifest, private: true }));
  await writeFile(join(folder, "package-lock.json"), JSON.stringify(lock));
  const args = ["ci", "--ignore-scripts", "--include=optional", "--no-audit", "--no-fund", "--loglevel=error"];
  const { code, last } = await runNpm(args, { cwd: folder });
  if (code !== 0) throw new ScriptError(`npm can't install esbuild: ${whyNpmFailed(last) ?? `exit code ${code}`}`);
  return join(folder, "node_modules");
}

readFlags({
  name: "prepare",
  what: "Bundles dist/ where it is missing or older than its sources. npm runs it after `npm install`.",
  examples: ["npm run prepare"],
});
await prepare().catch(exitWith);
