import type { Mark } from "../drawing.js";
import { type Faces, PLAIN } from "../faces.js";
import { TemplateProblemsError } from "../problems.js";
import { Band } from "./bands.js";
import type { Content } from "./blocks.js";
import { Typesetter } from "./lines.js";
import { Rows, type TextRow } from "./rows.js";

export const PAGE_SIZES = { A4: [595.28, 841.89], Letter: [612, 792] } as const;
export type PageSize = keyof typeof PAGE_SIZES;

const MARGIN = 72;
const NUMBER_SIZE = 8.5;
/** Between the edge of the paper and what stands above or below the text. */
const EDGE = 34;
const BAND_GAP = 16;
/** Of one contract. */
export const MOST_PAGES = 2_000;

/** What each page holds. */
export function layOut(content: Content, faces: Faces, size: PageSize, numbered: boolean): Mark[][] {
  const { width, height, header, footer, above, placed } = pagesOf(content, faces, size);
  const pages = placed.map(rows => rows.flatMap(({ row, offset }) => row.marks(height - above - offset)));
  const setter = new Typesetter(faces, NUMBER_SIZE);
  const hasLetterhead = content.blocks.some(block => block.kind === "letterhead");
  return pages.map((marks, index) => {
    const page = index + 1;
    const top = header && !(hasLetterhead && index === 0) ? header.marks(height - EDGE, page, pages.length) : [];
    if (footer) return [...marks, ...top, ...footer.marks(EDGE + footer.height, page, pages.length)];
    if (!numbered) return [...marks, ...top];
    const text = `${page} / ${pages.length}`;
    const x = (width - setter.width(text, PLAIN)) / 2;
    return [...marks, ...top, ...setter.marks({ pieces: [{ ...PLAIN, text }] }, x, MARGIN / 2)];
  });
}

/** Refuses what doesn't fit its pages, or takes too many. */
export function pagesOf(content: Content, faces: Faces, size: PageSize) {
  const [width, height] = PAGE_SIZES[size];
  const column = { x: MARGIN, width: width - 2 * MARGIN };
  const header = content.header && new Band(faces, content.header, column);
  const footer = content.footer && new Band(faces, content.footer, column);
  const above = Math.max(MARGIN, header ? EDGE + header.height + BAND_GAP : 0);
  const below = Math.max(MARGIN, footer ? EDGE + footer.height + BAND_GAP : 0);
  if (above + below > height / 2)
    throw new TemplateProblemsError(["expected a header and a footer of less than half the page, got more"]);
  const placed = paginate(new Rows(faces).of(content.blocks, column), height - above - below);
  return { width, height, header, footer, above, placed };
}

interface Placed {
  readonly row: TextRow;
  /** How far below the upper margin it begins. */
  readonly offset: number;
}

function paginate(rows: readonly TextRow[], available: number): Placed[][] {
  const pages: Placed[][] = [[]];
  let used = 0;
  const tooHigh = rows.find(row => row.height > available);
  if (tooHigh)
    throw new TemplateProblemsError([`${tooHigh.location}: a row of a table is higher than a page; split it`]);
  for (const group of groups(rows)) {
    const needed = group.reduce((sum, row) => sum + row.gap + row.height, 0);
    const page = pages.at(-1) ?? [];
    const isFirst = page.length === 0;
    if (!isFirst && (group[0]?.startsPage || (used + needed > available && needed <= available))) {
      pages.push([]);
      used = 0;
    }
    for (const row of group) {
      const isFull = (pages.at(-1) ?? []).length > 0 && used + row.gap + row.height > available;
      if (isFull) pages.push([]);
      if (pages.length > MOST_PAGES)
        throw new TemplateProblemsError([
          `${row.location}: expected at most ${MOST_PAGES} pages, got more from here on`,
        ]);
      const begun = pages.at(-1) ?? [];
      const begins = begun.length === 0;
      if (begins) used = 0;
      if (begins && row.head && row.head.height + row.height <= available) {
        begun.push({ row: row.head, offset: 0 });
        used = row.head.height;
      }
      const gap = begins ? 0 : row.gap;
      begun.push({ row, offset: used + gap });
      // Added in this order: the last digits of places are in the bytes.
      used += gap + row.height;
    }
  }
  return pages;
}

/** Rows that stay together. */
function groups(rows: readonly TextRow[]): TextRow[][] {
  const result: TextRow[][] = [];
  let open = false;
  for (const row of rows) {
    if (open && !row.startsPage) result.at(-1)?.push(row);
    else result.push([row]);
    open = row.keepsNext === true;
  }
  return result;
}
