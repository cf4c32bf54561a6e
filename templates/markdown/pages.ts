import type { Mark } from "../drawing.js";
import type { Faces } from "../faces.js";
import { PLAIN } from "../faces.js";
import { TemplateProblemsError } from "../problems.js";
import type { Block } from "./blocks.js";
import { Typesetter } from "./lines.js";
import { type Row, Rows } from "./rows.js";

export const PAGE_SIZES = { A4: [595.28, 841.89], Letter: [612, 792] } as const;
export type PageSize = keyof typeof PAGE_SIZES;

const MARGIN = 72;
const NUMBER_SIZE = 8.5;

/** What each page holds. */
export function layOut(blocks: readonly Block[], faces: Faces, size: PageSize, numbered: boolean): Mark[][] {
  const [width, height] = PAGE_SIZES[size];
  const rows = new Rows(faces).of(blocks, { x: MARGIN, width: width - 2 * MARGIN });
  const pages = paginate(rows, height - 2 * MARGIN).map(placed =>
    placed.flatMap(({ row, offset }) => row.marks(height - MARGIN - offset)),
  );
  if (!numbered) return pages;
  const setter = new Typesetter(faces, NUMBER_SIZE);
  return pages.map((marks, index) => {
    const text = `${index + 1} / ${pages.length}`;
    const x = (width - setter.width(text, PLAIN)) / 2;
    return [...marks, ...setter.marks({ pieces: [{ ...PLAIN, text }] }, x, MARGIN / 2)];
  });
}

interface Placed {
  readonly row: Row;
  /** How far below the upper margin it begins. */
  readonly offset: number;
}

function paginate(rows: readonly Row[], available: number): Placed[][] {
  const pages: Placed[][] = [[]];
  let used = 0;
  if (rows.some(row => row.height > available))
    throw new TemplateProblemsError(["a row of a table is higher than a page; split it"]);
  for (const group of groups(rows)) {
    const needed = group.reduce((sum, row) => sum + row.gap + row.height, 0);
    const page = pages.at(-1) ?? [];
    const isFirst = page.length === 0;
    if (!isFirst && (group[0]?.startsPage || (used + needed > available && needed <= available))) {
      pages.push([]);
      used = 0;
    }
    for (const row of group) {
      const gap = (pages.at(-1) ?? []).length === 0 ? 0 : row.gap;
      if (used + gap + row.height > available && (pages.at(-1) ?? []).length > 0) {
        pages.push([{ row, offset: 0 }]);
        used = row.height;
      } else {
        pages.at(-1)?.push({ row, offset: used + gap });
        used += gap + row.height;
      }
    }
  }
  return pages;
}

/** Rows that stay together. */
function groups(rows: readonly Row[]): Row[][] {
  const result: Row[][] = [];
  let open = false;
  for (const row of rows) {
    if (open && !row.startsPage) result.at(-1)?.push(row);
    else result.push([row]);
    open = row.keepsNext;
  }
  return result;
}
