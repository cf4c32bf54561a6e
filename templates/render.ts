import { createHash } from "node:crypto";
import { missing, printContract } from "./contract.js";
import { Faces } from "./faces.js";
import { fillForm } from "./form.js";
import { loadLibraries } from "./libraries.js";
import type { PageSize } from "./markdown/pages.js";
import { readTemplate, type Template } from "./source.js";
import { refuse, TemplateError } from "./trouble.js";
import { type Variables, valueProblems } from "./variables.js";

export interface RenderTemplateArgs {
  /**
   * Path of a Markdown contract (`.md`, `.markdown`) or of a PDF form (`.pdf`), from where the program runs; or the
   * template itself, as `{ markdown: text }` or `{ form: bytes }`.
   */
  template: Template;
  /**
   * Text for every `{{name}}` of the contract, or for every field of the form. One that is missing and one that isn't used
   * are errors. A value is printed as it is: nothing in it is Markdown.
   */
  variables?: Readonly<Record<string, string>>;
  /** Fonts for characters that the built-in one lacks, as paths or bytes of TrueType or OpenType files; asked in this order. */
  fonts?: readonly (string | Uint8Array)[];
  /** Page of a Markdown contract: `A4` (default) or `Letter`. */
  pageSize?: "A4" | "Letter";
  /** Whether the pages of a Markdown contract are numbered. They are, unless this is false. */
  pageNumbers?: boolean;
  /** Title in the PDF's properties; left out, the first heading of a Markdown contract. */
  title?: string;
}

export interface RenderedTemplate {
  /** The PDF. */
  readonly pdf: Uint8Array;
  /** The PDF in base64: what `base64File` of a `Document` takes. State keeps its hash only. */
  readonly base64: string;
  /** SHA-256 of the PDF, in hex: what `sha256` of the `Document` will be. */
  readonly sha256: string;
  /** Number of pages. */
  readonly pages: number;
}

/**
 * Makes a contract's PDF from a template and variables: the same bytes for the same inputs, on every machine and day.
 *
 * @example
 * ```ts
 * const nda = await renderTemplate({ template: "contracts/nda.md", variables: { name: "Zoë Kovač", company: "Acme" } });
 * new docsign.Document("nda", { name: "NDA", base64File: nda.base64, invitations: [{ email: "zoe@example.com" }] });
 * ```
 */
export async function renderTemplate(args: RenderTemplateArgs): Promise<RenderedTemplate> {
  const libraries = await loadLibraries();
  const { variables: given = {}, fonts = [], pageSize = "A4", pageNumbers = true, title } = args;
  if (pageSize !== "A4" && pageSize !== "Letter") throw new TemplateError(['pageSize: wanted "A4" or "Letter"']);
  const source = await readTemplate(args.template);
  refuse(valueProblems(given));
  const variables = composed(given);
  const faces = new Faces(libraries, fonts);
  const tag = tagOf([
    source.kind === "form" ? source.bytes : source.text,
    JSON.stringify(Object.entries(variables).sort(byName)),
  ]);
  const values = Object.values(variables).join("");
  refuse(faces.missingFrom(values).map(char => missing(char, variables)));
  const { pdf, pages } =
    source.kind === "form"
      ? await fillForm(libraries, faces, source.bytes, variables, tag)
      : await printContract(libraries, faces, source.text, variables, {
          look: { pageSize: pageSize satisfies PageSize, pageNumbers, title },
          tag,
        });
  const sha256 = createHash("sha256").update(pdf).digest("hex");
  return { pdf, base64: Buffer.from(pdf).toString("base64"), sha256, pages };
}

const composed = (variables: Variables): Variables =>
  Object.fromEntries(Object.entries(variables).map(([name, value]) => [name.normalize("NFC"), value.normalize("NFC")]));

const byName = ([one]: [string, string], [other]: [string, string]): number => (one < other ? -1 : 1);

/** Six capitals, as names of partly embedded fonts begin; other contents have others. */
function tagOf(contents: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const each of contents) hash.update(each).update("\0");
  return [...hash.digest().subarray(0, 6)].map(byte => String.fromCharCode(65 + (byte % 26))).join("");
}
