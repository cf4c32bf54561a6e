import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { TemplateProblemsError } from "./problems.js";
import type { FontFile } from "./render.js";
import { markdown, type Source } from "./source.js";

/** A file ending in `.md`, `.markdown` or `.pdf`; or the template itself. */
export type Template = string | { readonly markdown: string } | { readonly form: Uint8Array };

export async function readTemplate(template: Template): Promise<Source> {
  if (typeof template !== "string") {
    if ("markdown" in template && typeof template.markdown === "string") return markdown(template.markdown);
    if ("form" in template && template.form instanceof Uint8Array) return { kind: "form", bytes: template.form };
    throw new TemplateProblemsError(["template: expected a path, { markdown: text } or { form: bytes }"]);
  }
  const kind = /\.(md|markdown|pdf)$/i.exec(template)?.[1]?.toLowerCase();
  if (kind === undefined) {
    throw new TemplateProblemsError([
      `template: expected a file ending in .md, .markdown or .pdf, got ${JSON.stringify(template.slice(0, 80))}; Markdown itself goes in { markdown: … }`,
    ]);
  }
  const bytes = await readFile(template).catch((error: NodeJS.ErrnoException) => {
    throw new TemplateProblemsError([`template: ${template} can't be read (${error.code})`]);
  });
  if (kind === "pdf") return { kind: "form", bytes };
  try {
    return markdown(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new TemplateProblemsError([`template: ${template} isn't UTF-8 text`]);
  }
}

export function readFont(given: string | Uint8Array, index: number): FontFile {
  const name = `fonts[${index}]`;
  if (typeof given !== "string") return { name, bytes: given };
  try {
    return { name, bytes: readFileSync(given) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new TemplateProblemsError([`${name} can't be read (${code}): ${given}`]);
  }
}
