import { Pen } from "./drawing.js";
import type { Faces } from "./faces.js";
import type { Libraries } from "./libraries.js";
import { type Block, readBlocks } from "./markdown/blocks.js";
import { layOut, PAGE_SIZES, type PageSize } from "./markdown/pages.js";
import { emptyPdf, savePdf } from "./pdf.js";
import { refuse, shown } from "./trouble.js";
import { type Marked, markVariables, nameProblems, textProblems, type Variables } from "./variables.js";

export interface Look {
  readonly pageSize: PageSize;
  readonly pageNumbers: boolean;
  readonly title: string | undefined;
}

/** What is wrong with a Markdown template and the names given for it. */
export function contractProblems(marked: Marked, text: string, variables: Variables): string[] {
  const lines = text
    .split("\n")
    .flatMap((line, index) => textProblems(line.replaceAll("\t", " "), `line ${index + 1}`));
  return [...lines, ...marked.problems, ...nameProblems(marked.names, variables, name => `{{${name}}}`)];
}

/** Prints a Markdown contract. */
export async function printContract(
  libraries: Libraries,
  faces: Faces,
  text: string,
  variables: Variables,
  { look, tag }: { look: Look; tag: string },
): Promise<{ pdf: Uint8Array; pages: number }> {
  const marked = markVariables(text);
  refuse(contractProblems(marked, text, variables));
  const blocks = readBlocks(libraries, marked, variables);
  const printed = textOf(blocks).replaceAll("\n", " ");
  // Character references can name what the template's text may not hold.
  refuse(textProblems(printed, "the template"));
  refuse(faces.missingFrom(printed).map(char => missing(char, variables)));

  const pages = layOut(blocks, faces, look.pageSize, look.pageNumbers);
  const document = await emptyPdf(libraries);
  document.setProducer("pulumi-docsign");
  const title = look.title ?? titleIn(blocks);
  if (title !== undefined) document.setTitle(title, { showInWindowTitleBar: true });
  const pen = await Pen.for(libraries, document, tag, pages.flat());
  for (const marks of pages) pen.write(document.addPage([...PAGE_SIZES[look.pageSize]]), marks);
  return { pdf: await savePdf(document), pages: pages.length };
}

export function missing(char: string, variables: Variables): string {
  const names = Object.keys(variables).filter(name => variables[name]?.normalize("NFC").includes(char));
  const where = names.length > 0 ? `variable ${names.join(", ")}` : "the template";
  return `${where}: no font has ${shown(char)}; add one that does with fonts: ["path/to/font.ttf"]`;
}

function textOf(blocks: readonly Block[]): string {
  return blocks.map(textOfBlock).join(" ");
}

function textOfBlock(block: Block): string {
  switch (block.kind) {
    case "heading":
    case "paragraph":
      return block.pieces.map(piece => piece.text).join("");
    case "list":
      return block.items.map(textOf).join(" ");
    case "quote":
      return textOf(block.blocks);
    case "table":
      return block.rows.flatMap(row => row.flatMap(cell => cell.pieces.map(piece => piece.text))).join(" ");
    case "signatures":
      return block.signers.flat().join(" ");
    case "rule":
    case "page-break":
      return "";
  }
}

function titleIn(blocks: readonly Block[]): string | undefined {
  const heading = blocks.find(block => block.kind === "heading");
  return heading && textOfBlock(heading).replaceAll("\n", " ");
}
