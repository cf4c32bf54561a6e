// npm's `prepare`: after `npm install` in a clone, which is also how `pulumi package add <git URL>` installs the plugin.
// It bundles dist/ where that is missing or older than its sources, with esbuild alone where development dependencies
// are left out. Node's own modules only, and nothing newer than Node 18 knows.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bringBuild, isBuilt } from "./setup/build.mjs";
import { runNpm, whyNpmFailed } from "./setup/npm.mjs";
import { exitWith, Trouble } from "./setup/trouble.mjs";
import { readFlags } from "./setup/usage.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

async function prepare() {
  if (await isBuilt(root)) return;
  if (isInstalled()) return bringBuild(root);
  const folder = await mkdtemp(join(tmpdir(), "docsign-esbuild-"));
  try {
    process.env.DOCSIGN_ESBUILD = await bringEsbuild(folder);
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

/** The version of the lock file, checked against its hash, with nothing else beside it. */
async function bringEsbuild(folder) {
  const { packages } = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8"));
  const names = Object.keys(packages).filter(path => /^node_modules\/(esbuild|@esbuild\/[^/]+)$/.test(path));
  const dependencies = { esbuild: packages["node_modules/esbuild"].version };
  const manifest = { name: "docsign-esbuild", version: "0.0.0", dependencies };
  const kept = Object.fromEntries(names.map(name => [name, { ...packages[name], dev: undefined }]));
  const lock = { ...manifest, lockfileVersion: 3, packages: { "": manifest, ...kept } };
  await writeFile(join(folder, "package.json"), JSON.stringify({ ...manifest, private: true }));
  await writeFile(join(folder, "package-lock.json"), JSON.stringify(lock));
  const args = ["ci", "--ignore-scripts", "--include=optional", "--no-audit", "--no-fund", "--loglevel=error"];
  const { code, last } = await runNpm(args, { cwd: folder });
  if (code !== 0) throw new Trouble(`npm can't bring esbuild: ${whyNpmFailed(last) ?? `exit code ${code}`}`);
  return createRequire(join(folder, "package.json")).resolve("esbuild");
}

readFlags({
  name: "prepare",
  what: "Bundles dist/ where it is missing or older than its sources. npm runs it after `npm install`.",
  examples: ["npm run prepare"],
});
await prepare().catch(exitWith);
