import { readBeside, readNothing, readRegularFile, withParts } from "./parts.js";
import { TemplateProblemsError } from "./problems.js";
import type { FontFile } from "./render.js";
import { markdown, type Source, sourceIn } from "./source.js";

/** A file ending in `.md`, `.markdown` or `.pdf`; or the template itself. */
export type Template = string | { readonly markdown: string } | { readonly form: Uint8Array };

const LARGEST = 64 * 1024 * 1024;

export function readTemplate(template: Template): Source {
  if (typeof template !== "string") {
    if ("markdown" in template && typeof template.markdown === "string")
      return withParts(markdown(template.markdown), readNothing);
    if ("form" in template && template.form instanceof Uint8Array) return { kind: "form", bytes: template.form };
    throw new TemplateProblemsError(["template: expected a path, { markdown: text } or { form: bytes }"]);
  }
  const kind = /\.(md|markdown|pdf)$/i.exec(template)?.[1]?.toLowerCase();
  if (kind === undefined) {
    throw new TemplateProblemsError([
      `template: expected a file ending in .md, .markdown or .pdf, got ${JSON.stringify(template.slice(0, 80))}; Markdown itself goes in { markdown: … }`,
    ]);
  }
  const read = readRegularFile(template, LARGEST);
  if ("wrong" in read) throw new TemplateProblemsError([`template: ${template}: ${read.wrong}`]);
  if (kind === "pdf") return { kind: "form", bytes: read.bytes };
  const source = sourceIn(read.bytes);
  if (source === undefined) throw new TemplateProblemsError([`template: ${template} isn't UTF-8 text`]);
  return withParts(source, readBeside(template));
}

export function readFont(given: string | Uint8Array, index: number): FontFile {
  const name = `fonts[${index}]`;
  if (typeof given !== "string") return { name, bytes: given };
  const read = readRegularFile(given, LARGEST);
  if ("wrong" in read) throw new TemplateProblemsError([`${name}: ${given}: ${read.wrong}`]);
  return { name, bytes: read.bytes };
}
