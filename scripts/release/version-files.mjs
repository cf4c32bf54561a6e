// Where the version stands. package.json is the source; builds and schema.json are read off it, and the rest is here.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

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
