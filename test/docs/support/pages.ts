import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { root } from "../../support/engine/found.js";

export interface Snippet {
  readonly page: string;
  /** `docs/people.md:12`: where its first line stands. */
  readonly where: string;
  /** The word behind the fence, lower case; empty where there is none. */
  readonly kind: string;
  readonly text: string;
}

/** Every page a reader may open, by its path in the repository. */
export const pages: readonly string[] = [
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].filter(path => existsSync(join(root, path))),
  ...["docs", "examples", "scripts/bench"]
    .filter(folder => existsSync(join(root, folder)))
    .flatMap(folder =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .map(path => posix.join(folder, path.replaceAll("\\", "/")))
        .filter(path => path.endsWith(".md") && !/(^|\/)(node_modules|venv)\//.test(path)),
    )
    .sort(),
];

export const textOf = (page: string): string => readFileSync(join(root, page), "utf8");

const FENCE = /^ *(`{3,}|~{3,})\s*([^\s`]*)\s*$/;

/** A page's fenced blocks, and the page without them. */
export function read(page: string): { readonly snippets: Snippet[]; readonly prose: string } {
  const snippets: Snippet[] = [];
  const prose: string[] = [];
  let open: { fence: string; kind: string; line: number; lines: string[]; indent: number } | undefined;
  for (const [index, line] of textOf(page).split("\n").entries()) {
    const [, fence = "", kind = ""] = FENCE.exec(line) ?? [];
    if (open && kind === "" && fence.startsWith(open.fence)) {
      const { line: first, lines, indent } = open;
      const text = lines.map(each => each.slice(Math.min(indent, each.search(/\S|$/)))).join("\n");
      snippets.push({ page, where: `${page}:${first}`, kind: open.kind.toLowerCase(), text });
      open = undefined;
    } else if (open) open.lines.push(line);
    else if (fence !== "") open = { fence, kind, line: index + 2, lines: [], indent: line.search(/\S/) };
    else prose.push(line);
  }
  if (open) throw new Error(`${page}:${open.line}: a fence that is never closed`);
  return { snippets, prose: prose.join("\n") };
}

export const snippets: readonly Snippet[] = pages.flatMap(page => read(page).snippets);

export const ofKind = (...kinds: string[]): Snippet[] => snippets.filter(({ kind }) => kinds.includes(kind));
