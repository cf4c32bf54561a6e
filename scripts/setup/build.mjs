// Whether dist/ is what the sources say, and a build when it isn't.
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { cacheDirectory } from "./cache.mjs";
import { run } from "./child.mjs";
import { withLock } from "./lock.mjs";
import { ScriptError, say } from "./progress.mjs";

/** Everything a build reads. */
const SOURCES = [
  "kit",
  "provider",
  "sdk",
  "sandbox",
  "commands",
  "conformance",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "scripts/build.mjs",
  "scripts/bundling/oldest-node.cjs",
  "scripts/setup/build.mjs",
];
const stampPath = root => join(root, "dist", ".stamp");

/** A hash over the sources' names and contents: times of change say nothing after a clone or a checkout. */
export async function sourcesHash(root) {
  const hash = createHash("sha256");
  for (const source of SOURCES) {
    for (const path of await filesUnder(root, source)) {
      const text = await readFile(join(root, path)).catch(() => undefined);
      if (text) hash.update(`${path}\0${text.length}\0`).update(text);
    }
  }
  return hash.digest("hex");
}

async function filesUnder(root, path) {
  const entries = await readdir(join(root, path), { withFileTypes: true }).catch(() => undefined);
  if (!entries) return [path];
  const inner = await Promise.all(
    entries
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(entry => (entry.isDirectory() ? filesUnder(root, `${path}/${entry.name}`) : [`${path}/${entry.name}`])),
  );
  return inner.flat();
}

/** What the stamp in dist/ must say. It names this Node too, because dist/ holds the path of the Node to start with. */
export async function wantedStamp(root) {
  return `${await sourcesHash(root)} ${process.execPath}\n`;
}

export async function isBuilt(root) {
  const stamp = await readFile(stampPath(root), "utf8").catch(() => undefined);
  return stamp === (await wantedStamp(root));
}

/** Builds when the sources changed. */
export async function bringBuild(root) {
  if (await isBuilt(root)) return false;
  return withBuildLock(root, async () => {
    if (await isBuilt(root)) return false;
    const { code, last } = await run(process.execPath, [join(root, "scripts", "build.mjs"), "--locked"], { cwd: root });
    if (code !== 0) throw new ScriptError(last.join("\n").replace(/^setup: /, ""));
    return true;
  });
}

/** One build of a checkout at a time. */
export function withBuildLock(root, work) {
  const key = createHash("sha256").update(root).digest("hex").slice(0, 16);
  const onWait = ({ pid }) => say(`another build of this checkout (pid ${pid}) is running; waiting for it`);
  return withLock(join(cacheDirectory(), "locks", `build-${key}`), work, { onWait, poll: 100 });
}
