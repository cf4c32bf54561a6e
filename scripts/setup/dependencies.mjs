// node_modules, brought when the lock file says something else than what is installed.
import { createHash } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { alone, cacheDirectory } from "./cache.mjs";
import { runNpm, whyNpmFailed } from "./child.mjs";
import { ScriptError, withProgress } from "./progress.mjs";

const markPath = root => join(root, "node_modules", ".docsign-lock");
const recordPath = root => join(root, "node_modules", ".package-lock.json");

/** What the mark must say: the lock file's hash, and the platform, because some packages carry binaries. */
async function wantedMark(root) {
  const lock = await readFile(join(root, "package-lock.json"));
  return `${createHash("sha256").update(lock).digest("hex")} ${process.platform}-${process.arch}\n`;
}

/** Whether node_modules is what the lock file asks for. */
export async function areInstalled(root) {
  const wanted = await wantedMark(root);
  if ((await read(markPath(root))) === wanted) return true;
  // Someone ran npm by hand. npm's own record tells; if it agrees, an installation isn't thrown away for want of a mark.
  if (!(await recordAgrees(root))) return false;
  await writeFile(markPath(root), wanted);
  return true;
}

async function recordAgrees(root) {
  const record = await read(recordPath(root));
  if (record === undefined) return false;
  const installed = JSON.parse(record).packages;
  const wanted = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")).packages;
  const same = Object.entries(wanted).every(([path, entry]) => {
    // Workspaces aren't imported by their names, so nobody misses a link to one.
    if (!path.startsWith("node_modules/") || entry.link) return true;
    const found = installed[path];
    return found ? found.version === entry.version && found.integrity === entry.integrity : entry.optional === true;
  });
  return same && Object.keys(installed).every(path => path in wanted);
}

/** Brings node_modules up to the lock file; free when it already is. Says whether it had to work. */
export async function bringDependencies(root, { install = npmInstall, cache = cacheDirectory() } = {}) {
  if (await areInstalled(root)) return false;
  const key = createHash("sha256").update(root).digest("hex").slice(0, 16);
  return alone(join(cache, "locks", `dependencies-${key}`), "installing the npm dependencies", async () => {
    if (await areInstalled(root)) return false;
    // Gone before npm starts: an installation killed half-way must not look whole.
    for (const path of [markPath(root), recordPath(root)]) await rm(path, { force: true });
    await withProgress({ what: "installing the npm dependencies", usually: "under a minute" }, () => install(root));
    await writeFile(markPath(root), await wantedMark(root));
    return true;
  });
}

async function npmInstall(root) {
  const args = ["ci", "--include=dev", "--include=optional", "--no-audit", "--no-fund", "--ignore-scripts"];
  const { code, last } = await runNpm([...args, "--loglevel=error"], { cwd: root });
  if (code === 0) return;
  throw new ScriptError(`npm ci failed: ${whyNpmFailed(last) ?? `exit code ${code}`}`);
}

const read = path => readFile(path, "utf8").catch(() => undefined);

// ---- Bundled ----

/** Development dependencies that end up in a bundle. */
export const BUNDLED = [
  "@aws-sdk/client-s3",
  "@cantoo/pdf-lib",
  "asn1js",
  "csv-parse",
  "dejavu-fonts-ttf",
  "fontkit",
  "idiomorph",
  "marked",
  "pg-boss",
  "pkijs",
  "postgres",
  "undici",
  "unpdf",
  "yaml",
];

/** The paths in a lock file of these packages and of all they need. */
export function withDependencies(packages, names) {
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
