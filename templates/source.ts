import { readFile } from "node:fs/promises";
import { TemplateError } from "./trouble.js";

/** A file ending in `.md`, `.markdown` or `.pdf`; or the template itself. */
export type Template = string | { readonly markdown: string } | { readonly form: Uint8Array };

export type Source =
  | { readonly kind: "markdown"; readonly text: string }
  | { readonly kind: "form"; readonly bytes: Uint8Array };

export async function readTemplate(template: Template): Promise<Source> {
  if (typeof template !== "string") {
    if ("markdown" in template && typeof template.markdown === "string") return markdown(template.markdown);
    if ("form" in template && template.form instanceof Uint8Array) return { kind: "form", bytes: template.form };
    throw new TemplateError(["template: wanted a path, { markdown: text } or { form: bytes }"]);
  }
  const kind = /\.(md|markdown|pdf)$/i.exec(template)?.[1]?.toLowerCase();
  if (kind === undefined) {
    throw new TemplateError([
      `template: wanted a file ending in .md, .markdown or .pdf, given ${JSON.stringify(template.slice(0, 80))}; Markdown itself goes in { markdown: … }`,
    ]);
  }
  const bytes = await readFile(template).catch((error: NodeJS.ErrnoException) => {
    throw new TemplateError([`template: ${template} can't be read (${error.code})`]);
  });
  if (kind === "pdf") return { kind: "form", bytes };
  try {
    return markdown(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new TemplateError([`template: ${template} isn't UTF-8 text`]);
  }
}

/** A checkout may have other line endings than the next one, and some systems take accents apart. */
const markdown = (text: string): Source => ({
  kind: "markdown",
  text: text
    .replace(/^\ufeff/, "")
    .replace(/\r\n?/g, "\n")
    .normalize("NFC"),
});
