import { createHash } from "node:crypto";
import { bandLines } from "./markdown/bands.js";
import type { Block, Cell, Content } from "./markdown/blocks.js";
import type { SizedImage } from "./markdown/images.js";

/** What a contract prints under one heading; what stands before the first has no title. */
export interface Clause {
  readonly title: string;
  readonly lines: readonly string[];
}

/** The text of a contract as it is printed, clause by clause: with the numbers of lists, and with a mark for each image. */
export function clausesOf({ blocks, header, footer }: Content): Clause[] {
  const clauses: { title: string; lines: string[] }[] = [{ title: "", lines: [] }];
  for (const block of blocks) {
    if (block.kind === "heading") clauses.push({ title: onOneLine(textOf(block)), lines: [] });
    else for (const line of linesOf(block)) clauses.at(-1)?.lines.push(line);
  }
  const bands = [
    { title: "Above every page", lines: bandLines(header ?? [], imageMark) },
    { title: "Below every page", lines: bandLines(footer ?? [], imageMark) },
  ];
  const [beginning, ...rest] = clauses;
  return [
    ...(beginning && beginning.lines.length > 0 ? [beginning] : []),
    ...rest,
    ...bands.filter(({ lines }) => lines.length > 0),
  ];
}

function linesOf(block: Block): string[] {
  switch (block.kind) {
    case "heading":
    case "paragraph":
      return textOf(block).split("\n");
    case "list": {
      const { start, items } = block;
      return items.flatMap((blocks, index) => {
        const [first = "", ...rest] = blocks.flatMap(linesOf);
        return [`${start === null ? "•" : `${start + index}.`} ${first}`, ...rest];
      });
    }
    case "quote":
      return block.blocks.flatMap(linesOf);
    case "table":
      return block.rows.map(row => row.map(cell => onOneLine(textOf(cell))).join(" | "));
    case "signatures":
      return block.signers.map(parts => parts.join(" | "));
    case "letterhead":
      return [...(block.image ? [imageMark(block.image)] : []), ...block.lines];
    case "image":
      return [imageMark(block.image)];
    case "rule":
    case "page-break":
      return [];
  }
}

const textOf = ({ pieces }: Pick<Cell, "pieces">): string => pieces.map(piece => piece.text).join("");

const onOneLine = (text: string): string => text.replaceAll("\n", " ");

/** An image with the same name may be another one. */
const imageMark = ({ image, path }: SizedImage): string =>
  `(image ${path}, ${createHash("sha256").update(image.bytes).digest("hex").slice(0, 8)})`;
