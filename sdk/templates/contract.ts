import { Pen } from "./drawing.js";
import type { Faces } from "./faces.js";
import { type Expanded, expand } from "./language/expand.js";
import { locationText, type SourceLocation } from "./language/files.js";
import { ofLatest } from "./latest.js";
import { bandTexts } from "./markdown/bands.js";
import { type Block, type Content, readContent } from "./markdown/blocks.js";
import { limitProblems, MOST_CHARACTERS } from "./markdown/limits.js";
import { layOut, MOST_PAGES, PAGE_SIZES, type PageSize, pagesOf } from "./markdown/pages.js";
import { emptyPdf, savePdf } from "./pdf.js";
import { printableChar, refuse } from "./problems.js";
import type { MarkdownSource, RenderRequest } from "./source.js";
import { textProblems, textsIn, type Variables } from "./variables.js";

/** Reads a Markdown contract, or refuses it with everything that is wrong with it and its variables. */
export function readContract(faces: Faces, source: MarkdownSource, variables: Variables): Content {
  return readExpanded(faces, source, variables, expanded(source, variables));
}

/** `unknown`: names of variables whose values come later. */
function expanded(source: MarkdownSource, variables: Variables, unknown: ReadonlySet<string> = new Set()): Expanded {
  if (source.text.length > MOST_CHARACTERS)
    refuse([`the template: expected at most ${MOST_CHARACTERS} characters, got ${source.text.length}`]);
  const template = expand(source, variables, unknown);
  refuse(limitsOf(template.text, template.locations));
  return template;
}

const limitsOf = ofLatest((text: string, locations: readonly SourceLocation[]) =>
  limitProblems(text, line => locationText(locations, line)),
);

function readExpanded(faces: Faces, source: MarkdownSource, variables: Variables, template: Expanded): Content {
  const content = readContent(template, {
    parts: source.parts,
    locations: template.images,
    pixels: new Map(),
  });
  const { blocks, header = [], footer = [] } = content;
  const all = [...blocks.flatMap(textsOf), ...bandTexts([...header, ...footer])];
  const texts = all.filter(text => !faces.canPrint(text));
  const printed = texts.join(" ").replaceAll("\n", " ");
  // Character references can name what the template's text may not hold.
  refuse(textProblems(printed, "the template"));
  refuse(fontProblems(faces, printed, variables));
  faces.rememberPrintable(texts);
  return content;
}

/**
 * Refuses a contract as `readContract` does. Rows of a set have one template and other values: what is wrong with the
 * template and its variables' names is the same for all, and the values' characters were checked before.
 */
export function checkContract(
  faces: Faces,
  source: MarkdownSource,
  variables: Variables,
  unknown: ReadonlySet<string>,
  pageSize: PageSize,
): void {
  const template = expanded(source, variables, unknown);
  // A mark joins the letter before it, and the two may be one character that no font has.
  const joins = template.values.some(value => /^\p{M}/u.test(value)) || /\ue001\p{M}/u.test(template.text);
  const fits = sound?.source === source && sound.pageSize === pageSize && !isLong(template);
  if (fits && sound?.text === template.text && !joins && faces.areShipped) return;
  const content = readExpanded(faces, source, variables, template);
  // Laying out takes three times as long as all else: rows of a set have one layout, but for what their values change.
  if (!fits) pagesOf(content, faces, pageSize);
  sound = { source, text: template.text, pageSize };
}

/** The latest contract that was found to be sound. */
let sound: { readonly source: MarkdownSource; readonly text: string; readonly pageSize: PageSize } | undefined;

/** The least that fills a page: an image, `![](a)`, and two line feeds. */
const FEWEST_CHARACTERS = 8;

/** Whether it could have too many pages. */
const isLong = ({ text, values }: Expanded): boolean =>
  values.reduce((sum, value) => sum + value.length, text.length) > MOST_PAGES * FEWEST_CHARACTERS;

/** Prints a Markdown contract. */
export async function printContract(
  faces: Faces,
  source: MarkdownSource,
  variables: Variables,
  layout: Pick<RenderRequest, "pageSize" | "pageNumbers" | "title">,
): Promise<{ pdf: Uint8Array; pages: number }> {
  const template = expanded(source, variables);
  const content = readExpanded(faces, source, variables, template);
  const pages = layOut(content, faces, layout.pageSize, layout.pageNumbers);
  const document = await emptyPdf();
  document.setProducer("pulumi-docsign");
  const title = layout.title ?? titleIn(content.blocks);
  if (title !== undefined) document.setTitle(title, { showInWindowTitleBar: true });
  const pen = await Pen.for(document, pages.flat());
  for (const marks of pages) pen.write(document.addPage([...PAGE_SIZES[layout.pageSize]]), marks);
  return { pdf: await savePdf(document), pages: pages.length };
}

/** Characters of this text that no font has. */
export function fontProblems(faces: Faces, text: string, variables: Variables): string[] {
  return faces.missingFrom(text).map(char => {
    const names = textsIn(variables).flatMap(([name, value]) => (value.includes(char) ? [name] : []));
    const where = names.length > 0 ? `variable ${names.join(", ")}` : "the template";
    return `${where}: no font has ${printableChar(char)}; add one that does with fonts: ["path/to/font.ttf"]`;
  });
}

/** What is printed of a block, in as many parts as can be told apart. */
function textsOf(block: Block): string[] {
  switch (block.kind) {
    case "heading":
    case "paragraph":
      return [block.pieces.map(piece => piece.text).join("")];
    case "list":
      return block.items.flatMap(item => item.flatMap(textsOf));
    case "quote":
      return block.blocks.flatMap(textsOf);
    case "table":
      return block.rows.flatMap(row => row.flatMap(cell => cell.pieces.map(piece => piece.text)));
    case "signatures":
      return block.signers.flat();
    case "letterhead":
      return [...block.lines];
    case "image":
    case "rule":
    case "page-break":
      return [];
  }
}

function titleIn(blocks: readonly Block[]): string | undefined {
  const heading = blocks.find(block => block.kind === "heading");
  return heading && textsOf(heading).join(" ").replaceAll("\n", " ");
}
