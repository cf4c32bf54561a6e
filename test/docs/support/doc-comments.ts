import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../support/engine/found.js";
import type { Snippet } from "./pages.js";

const COMMENT = /^ *\/\*\*\n(?: *\*.*\n)*? *\*\//gm;
const FENCED = /```ts\n(.*?)```/gs;

/** What an example takes for granted: the module it documents, and resources of the reader's own. */
const GRANTED: Readonly<Record<string, string>> = {
  renderTemplate: 'import { renderTemplate } from "pulumi-docsign/templates";',
  renderTemplateOutput: 'import { renderTemplateOutput } from "pulumi-docsign/templates";',
  downloadEvidence: 'import { downloadEvidence } from "pulumi-docsign/evidence";',
  PolicyPack: 'import { PolicyPack } from "@pulumi/policy";',
  policies: 'import { policies } from "pulumi-docsign/policy";',
  folder: "declare const folder: docsign.Folder;",
  signing: "declare const signing: pulumi.StackReference;",
  ...Object.fromEntries(
    ["aws", "github", "bucket", "site", "config"].map(name => [name, `declare const ${name}: any;`]),
  ),
};

/** The TypeScript examples in the doc comments of these folders' files. */
export function docComments(folders: readonly string[]): Snippet[] {
  return folders.flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter(name => name.endsWith(".ts"))
      .flatMap(name => examplesIn(`${folder}/${name}`)),
  );
}

function examplesIn(page: string): Snippet[] {
  const source = readFileSync(join(root, page), "utf8");
  // Every example is inside a comment whose lines all begin with a star: what isn't was put there by mistake.
  const comments = [...source.matchAll(COMMENT)].filter(([comment]) => comment.includes("@example"));
  const promised = source.split("* @example").length - 1;
  if (comments.length < promised) throw new Error(`${page}: an @example stands in a broken comment`);
  return comments.flatMap(({ 0: comment, index }) => {
    const text = comment.replace(/^ *\* ?/gm, "");
    return [...text.matchAll(FENCED)].map(([, example = "", at = 0]) => {
      const line = `${source.slice(0, index)}${comment.slice(0, Number(at))}`.split("\n").length;
      const granted = Object.entries(GRANTED)
        .filter(
          ([word]) =>
            new RegExp(`\\b${word}\\b`).test(example) && !new RegExp(`(const|import.*) ${word}\\b`).test(example),
        )
        .map(([, declaration]) => declaration)
        .join(" ");
      return { page, where: `${page}:${line}`, kind: "ts", text: `${granted} ${example}` };
    });
  });
}
