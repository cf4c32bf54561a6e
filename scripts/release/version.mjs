// Which version comes next, whether it is enough for what changed, and where it stands.

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ScriptError } from "../setup/progress.mjs";

const BUMPS = ["major", "minor", "patch"];
const numbers = version => version.split(".").map(Number);
const before = (a, b) => {
  const [x, y] = [numbers(a), numbers(b)];
  const at = x.findIndex((part, i) => part !== y[i]);
  return at >= 0 && x[at] < y[at];
};

function bumped(version, bump) {
  const at = BUMPS.indexOf(bump);
  return numbers(version)
    .map((part, i) => (i < at ? part : i === at ? part + 1 : 0))
    .join(".");
}

/** The version `wanted` names, given the one in package.json and whether that one is out already. */
export function nextVersion(current, wanted, isOut) {
  if (wanted === undefined) throw new ScriptError(`which release? say ${BUMPS.join(", ")}, or a version such as 1.2.3`);
  const next = BUMPS.includes(wanted) ? bumped(current, wanted) : wanted;
  if (!/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/.test(next))
    throw new ScriptError(`"${wanted}" is no version: say ${BUMPS.join(", ")}, or three numbers such as 1.2.3`);
  if (before(next, current)) throw new ScriptError(`${next} is lower than the version in package.json, ${current}`);
  if (next === current && isOut) throw new ScriptError(`${next} is out already; the next one is higher`);
  return next;
}

/** Semantic versioning: until 1.0.0 what breaks needs a new minor, and the rest a new patch. */
const NEEDS = { breaking: ["minor", "major"], feature: ["patch", "minor"], fix: ["patch", "patch"] };

/** Refuses a version that promises less change than the fragments tell of. */
export function assertEnough(current, next, fragments) {
  // The first of all releases follows nothing.
  if (next === current) return;
  for (const { file, kind } of fragments) {
    const bump = NEEDS[kind][current.startsWith("0.") ? 0 : 1];
    const least = bumped(current, bump);
    if (before(next, least))
      throw new ScriptError(`changes/${file} needs ${least} or higher after ${current}; ${next} is not enough for it`);
  }
}

// ---- Where it stands ----

// package.json is the source; builds and schema.json are read off it, and the rest is here.

/** Every file that says the version and isn't generated, with its text as it would be: `{ path, text }`. */
export async function versionFiles(root, from, to) {
  const files = [];
  const change = async (path, edit) => {
    const text = await readFile(join(root, path), "utf8");
    const edited = edit(text);
    if (edited !== text) files.push({ path, text: edited });
  };
  await change("package.json", text => text.replace(`"version": "${from}"`, `"version": "${to}"`));
  await change("package-lock.json", text => ownVersion(text, to));
  for (const path of await writtenByHand(root))
    await change(path, text => text.replaceAll(versionPattern(from), `$1${to}`));
  return files;
}

export async function setVersion(root, from, to) {
  for (const { path, text } of await versionFiles(root, from, to)) await writeFile(join(root, path), text);
}

/** The lock file names the package twice, before any dependency. */
function ownVersion(text, to) {
  const lock = JSON.parse(text);
  lock.version = to;
  lock.packages[""].version = to;
  return `${JSON.stringify(lock, null, 2)}\n`;
}

/** `docsign 0.1.0`, `docsign-v0.1.0`, `pulumi-docsign==0.1.0`, `"pulumi-docsign": "^0.1.0"`, a pom's; any version where none is given. */
export function versionPattern(version) {
  const number = version === undefined ? "(\\d+\\.\\d+\\.\\d+)" : version.replaceAll(".", "\\.");
  return new RegExp(
    `(docsign(?:"\\s*:\\s*"\\^?|[ @=-]+v?| -DdepVersion=|</artifactId>\\s*<version>))${number}\\b`,
    "g",
  );
}

/** Pages and examples. Decisions are history. */
export async function writtenByHand(root) {
  const found = ["README.md"];
  for (const folder of ["docs", "examples"]) {
    const names = await readdir(join(root, folder), { recursive: true }).catch(() => []);
    for (const name of names.map(path => `${folder}/${path.replaceAll("\\", "/")}`).sort()) {
      const isText = /\.(md|json|ya?ml|txt|toml|mod|xml)$/.test(name);
      if (isText && !/node_modules|\.venv|package-lock|docs\/decisions/.test(name)) found.push(name);
    }
  }
  return found;
}
