import { createHash } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { readBeside, readNothing, readRegularFile, withParts } from "./parts.js";
import { legible } from "./problems.js";
import { type FontFile, markdown, type Source, sourceIn } from "./source.js";

export interface RenderTemplateArgs {
  /**
   * Path of a Markdown contract (`.md`, `.markdown`) or of a PDF form (`.pdf`), from where the program runs; or the
   * template itself, as `{ markdown: text }` or `{ form: bytes }`.
   */
  template: Template;
  /**
   * Text for every `{{name}}` of the contract, or for every field of the form; a list for every `{{#each}}`, of texts or of
   * texts by name; `true` or `false` where there is only an `{{#if}}`. A missing variable is an error, and so is one that the
   * template doesn't use. A value is printed as it is: nothing in it is Markdown.
   */
  variables?: Readonly<Record<string, TemplateVariable>>;
  /** Fonts for characters that the built-in one lacks, as paths or bytes of TrueType or OpenType files, in order of preference. */
  fonts?: readonly (string | Uint8Array)[];
  /** Page size of a Markdown contract: `A4` (default) or `Letter`. */
  pageSize?: "A4" | "Letter";
  /** Whether the pages of a Markdown contract are numbered (default `true`). */
  pageNumbers?: boolean;
  /** Title in the PDF's properties (default: the first heading of a Markdown contract). */
  title?: string;
}

/** What a variable of a template may be. */
export type TemplateVariable = string | boolean | readonly (string | Readonly<Record<string, string>>)[];

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

/** What is wrong with a template or its variables: everything at once, one line each. */
export class TemplateError extends pulumi.RunError {
  constructor(readonly problems: readonly string[]) {
    super(
      `renderTemplate: ${problems.length === 1 ? problems[0] : `\n${problems.map(line => `  - ${line}`).join("\n")}`}`,
    );
    this.name = "TemplateError";
  }
}

/**
 * Renders a contract's PDF from a template and variables: the same bytes for the same inputs, on every machine and day.
 * `template` of a `Document` renders the same bytes without this function.
 *
 * @example
 * ```ts
 * const nda = await renderTemplate({ template: "contracts/nda.md", variables: { name: "Zoë Kovač", company: "Acme" } });
 * new docsign.Document("nda", { name: "NDA", base64File: nda.base64, invitations: [{ email: "zoe@example.com" }] });
 * ```
 */
export async function renderTemplate(args: RenderTemplateArgs): Promise<RenderedTemplate> {
  const { variables = {}, fonts = [], pageSize = "A4", pageNumbers = true, title } = args;
  const { render } = await import("./render.js");
  const source = readTemplate(args.template);
  const answer = await render({ source, variables, fonts: fonts.map(readFont), pageSize, pageNumbers, title });
  if ("problems" in answer) throw new TemplateError(answer.problems);
  const { pdf, pages } = answer;
  const sha256 = createHash("sha256").update(pdf).digest("hex");
  return { pdf, base64: Buffer.from(pdf).toString("base64"), sha256, pages };
}

/** Arguments of {@link renderTemplate}, with outputs of resources among the variables. */
export interface RenderTemplateOutputArgs extends Omit<RenderTemplateArgs, "variables"> {
  /** As for {@link renderTemplate}. */
  variables?: pulumi.Input<Record<string, pulumi.Input<TemplateVariable>>>;
}

/**
 * {@link renderTemplate} with variables that may be outputs of other resources. It is rendered once they are known; made
 * of a secret, the PDF is a secret.
 *
 * @example
 * ```ts
 * const lease = renderTemplateOutput({ template: "contracts/lease.md", variables: { address: site.address } });
 * new docsign.Document("lease", { name: "Lease", base64File: lease.base64, invitations: [{ email: "ana@example.com" }] });
 * ```
 */
export function renderTemplateOutput(args: RenderTemplateOutputArgs): pulumi.Output<RenderedTemplate> {
  const { variables = {}, ...rest } = args;
  return pulumi
    .output(variables)
    .apply(known => renderTemplate({ ...rest, variables: known })) as pulumi.Output<RenderedTemplate>;
}

// ---- Files ----

/** A file ending in `.md`, `.markdown` or `.pdf`; or the template itself. */
type Template = string | { readonly markdown: string } | { readonly form: Uint8Array };

const LARGEST = 64 * 1024 * 1024;

const refusal = (problem: string): TemplateError => new TemplateError([legible(problem)]);

function readTemplate(template: Template): Source {
  if (typeof template !== "string") {
    if ("markdown" in template && typeof template.markdown === "string")
      return withParts(markdown(template.markdown), readNothing);
    if ("form" in template && template.form instanceof Uint8Array) return { kind: "form", bytes: template.form };
    throw refusal("template: expected a path, { markdown: text } or { form: bytes }");
  }
  const kind = /\.(md|markdown|pdf)$/i.exec(template)?.[1]?.toLowerCase();
  if (kind === undefined) {
    throw refusal(
      `template: expected a file ending in .md, .markdown or .pdf, got ${JSON.stringify(template.slice(0, 80))}; Markdown itself goes in { markdown: … }`,
    );
  }
  const read = readRegularFile(template, LARGEST);
  if ("wrong" in read) throw refusal(`template: ${template}: ${read.wrong}`);
  if (kind === "pdf") return { kind: "form", bytes: read.bytes };
  const source = sourceIn(read.bytes);
  if (source === undefined) throw refusal(`template: ${template} isn't UTF-8 text`);
  return withParts(source, readBeside(template));
}

function readFont(given: string | Uint8Array, index: number): FontFile {
  const name = `fonts[${index}]`;
  if (typeof given !== "string") return { name, bytes: given };
  const read = readRegularFile(given, LARGEST);
  if ("wrong" in read) throw refusal(`${name}: ${given}: ${read.wrong}`);
  return { name, bytes: read.bytes };
}
