import { Pen } from "./drawing.js";
import type { Faces } from "./faces.js";
import { ofLatest } from "./latest.js";
import type { Libraries } from "./libraries.js";
import { type Block, readBlocks } from "./markdown/blocks.js";
import { limitProblems, MOST_CHARACTERS } from "./markdown/limits.js";
import { layOut, PAGE_SIZES, type PageSize } from "./markdown/pages.js";
import { emptyPdf, savePdf } from "./pdf.js";
import { refuse, shown } from "./problems.js";
import { markVariables, nameProblems, textProblems, type Variables } from "./variables.js";

export interface Look {
  readonly pageSize: PageSize;
  readonly pageNumbers: boolean;
  readonly title: string | undefined;
}

/** Reads a Markdown contract, or refuses it with everything that is wrong with it and its variables. */
export function readContract(libraries: Libraries, faces: Faces, text: string, variables: Variables): Block[] {
  refuse(limitProblems(text));
  const { marked, problems } = marksOf(text);
  refuse([
    ...problems,
    ...sizeProblems(text, marked.names, variables),
    ...nameProblems(marked.names, variables, name => `{{${name}}}`),
  ]);
  const blocks = readBlocks(libraries, marked, variables);
  const texts = blocks.flatMap(textsOf).filter(text => !faces.canPrint(text));
  const printed = texts.join(" ").replaceAll("\n", " ");
  // Character references can name what the template's text may not hold.
  refuse(textProblems(printed, "the template"));
  refuse(fontProblems(faces, printed, variables));
  faces.rememberPrintable(texts);
  return blocks;
}

/**
 * Refuses a contract as `readContract` does. Rows of a set have one template and other values: what is wrong with the
 * template and its variables' names is the same for all, and the values' characters were checked before.
 */
export function checkContract(libraries: Libraries, faces: Faces, text: string, variables: Variables): void {
  const names = [...variables.keys()].sort();
  const known = [text, ...names].join("\0");
  // A mark joins the letter before it, and the two may be one character that no font has.
  const joins = [...variables.values()].some(value => /^\p{M}/u.test(value)) || /\}\}\p{M}/u.test(text);
  if (sound === known && !joins && faces.areShipped) return;
  readContract(libraries, faces, text, variables);
  sound = known;
}

/** The latest contract that was found to be sound, with its variables' names. */
let sound: string | undefined;

/** Each place a variable stands in prints its value again. */
function sizeProblems(text: string, names: readonly string[], variables: Variables): string[] {
  const size = names.reduce((sum, name) => sum + (variables.get(name)?.length ?? 0), text.length);
  return size > MOST_CHARACTERS
    ? [`the template: expected at most ${MOST_CHARACTERS} characters with its variables filled in, got ${size}`]
    : [];
}

const marksOf = ofLatest((text: string) => {
  const marked = markVariables(text);
  const lines = text
    .split("\n")
    .flatMap((line, index) => textProblems(line.replaceAll("\t", " "), `line ${index + 1}`));
  return { marked, problems: [...lines, ...marked.problems] };
});

/** Prints a Markdown contract. */
export async function printContract(
  libraries: Libraries,
  faces: Faces,
  text: string,
  variables: Variables,
  { look, tag }: { look: Look; tag: string },
): Promise<{ pdf: Uint8Array; pages: number }> {
  const blocks = readContract(libraries, faces, text, variables);
  const pages = layOut(blocks, faces, look.pageSize, look.pageNumbers);
  const document = await emptyPdf(libraries);
  document.setProducer("pulumi-docsign");
  const title = look.title ?? titleIn(blocks);
  if (title !== undefined) document.setTitle(title, { showInWindowTitleBar: true });
  const pen = await Pen.for(libraries, document, tag, pages.flat());
  for (const marks of pages) pen.write(document.addPage([...PAGE_SIZES[look.pageSize]]), marks);
  return { pdf: await savePdf(document), pages: pages.length };
}

/** Characters of this text that no font has. */
export function fontProblems(faces: Faces, text: string, variables: Variables): string[] {
  return faces.missingFrom(text).map(char => {
    const names = [...variables].flatMap(([name, value]) => (value.normalize("NFC").includes(char) ? [name] : []));
    const where = names.length > 0 ? `variable ${names.join(", ")}` : "the template";
    return `${where}: no font has ${shown(char)}; add one that does with fonts: ["path/to/font.ttf"]`;
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
    case "rule":
    case "page-break":
      return [];
  }
}

function titleIn(blocks: readonly Block[]): string | undefined {
  const heading = blocks.find(block => block.kind === "heading");
  return heading && textsOf(heading).join(" ").replaceAll("\n", " ");
}
