// changes/ holds a file for each change since the last release; a release turns them into a section of CHANGELOG.md.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ScriptError } from "../setup/progress.mjs";

const HEADINGS = { breaking: "What to do before you upgrade", feature: "New", fix: "Fixed" };
const NAME = /^(breaking|feature|fix)-[a-z0-9]+(-[a-z0-9]+)*\.md$/;

/** The fragments, what breaks first; `{ file, kind, text }`. */
export async function readFragments(root) {
  const names = await readdir(join(root, "changes")).catch(() => []);
  const files = names.filter(name => name !== "README.md").sort();
  const fragments = [];
  for (const file of files) {
    const kind = NAME.exec(file)?.[1];
    if (!kind)
      throw new ScriptError(
        `changes/${file}: a fragment's name is its kind and a few words, such as fix-empty-folder-name.md`,
      );
    const text = (await readFile(join(root, "changes", file), "utf8")).trim();
    if (text === "" || /^(#|[-*] )/m.test(text))
      throw new ScriptError(`changes/${file}: a fragment is a sentence or more, without headings or a list of its own`);
    fragments.push({ file, kind, text });
  }
  return Object.keys(HEADINGS).flatMap(kind => fragments.filter(fragment => fragment.kind === kind));
}

export function section(version, date, fragments) {
  const parts = Object.entries(HEADINGS).flatMap(([kind, heading]) => {
    const lines = fragments.filter(fragment => fragment.kind === kind).map(({ text }) => item(text));
    return lines.length === 0 ? [] : [`### ${heading}\n\n${lines.join("\n")}`];
  });
  return `## ${version} (${date})\n\n${parts.join("\n\n")}\n`;
}

const item = text => `- ${text.replaceAll("\n", "\n  ").replaceAll(/\n +\n/g, "\n\n")}`;

/** The newest section comes first, below the head. */
export function withSection(changelog, text) {
  const at = changelog.search(/^## /m);
  return at < 0 ? `${changelog.trimEnd()}\n\n${text}` : `${changelog.slice(0, at)}${text}\n${changelog.slice(at)}`;
}

/** What CHANGELOG.md says of one version, without its heading; undefined when it says nothing. */
export function sectionOf(changelog, version) {
  const start = changelog.indexOf(`## ${version} (`);
  if (start < 0) return undefined;
  const rest = changelog.slice(changelog.indexOf("\n", start) + 1);
  const end = rest.search(/^## /m);
  return (end < 0 ? rest : rest.slice(0, end)).trim();
}
