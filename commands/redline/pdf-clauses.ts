import type { Clause } from "./redline.js";

/** A line of a page, from the top of the page to its end. */
export interface PdfLine {
  readonly page: number;
  readonly text: string;
  /** How tall its letters are, and how high on the page it stands. */
  readonly size: number;
  readonly y: number;
}

const LONGEST_TITLE = 160;
/** Lines at either end of a page that may be its header and footer. */
const BAND = 2;
/** Letters of a heading are this much taller than most. */
const TALLER = 1.12;
/** Between paragraphs there is this much more room than between most lines. */
const WIDER = 1.2;
const PAGE_NUMBER = /^\D{0,8}\d{1,4}(\s*(\/|of|de|von|sur|di)\s*\d{1,4})?\D{0,2}$/i;
const NUMBERED = /^((clause|article|section|cl[aá]usula|art[ií]culo|§)\s*)?\d{1,3}(\.\d{1,3}){0,3}[.):]*\s+\p{L}/iu;
const ITEM = /^([•●▪◦‣–—*-]|\(?[\p{L}\d]{1,4}[.)])\s/u;

/**
 * What a PDF says, clause by clause, as well as its layout tells: paragraphs are put together again from their lines, and
 * what stands on every page is said once. The same PDF always gives the same.
 */
export function clausesOfLines(lines: readonly PdfLine[], pages: number): Clause[] {
  const body = withoutBands(lines, pages);
  const size = usual(body.map(line => [round(line.size), line.text.length]));
  const gaps = body.flatMap((line, index) => gapBefore(body, index).map(gap => [round(gap / line.size), 1] as const));
  const gap = usual(gaps);
  const clauses: { title: string; lines: string[] }[] = [{ title: "", lines: [] }];
  for (const { text, isTitle } of paragraphsOf(body, { size, gap })) {
    if (isTitle) clauses.push({ title: text, lines: [] });
    else clauses.at(-1)?.lines.push(text);
  }
  return clauses.filter(({ title, lines: own }) => title !== "" || own.length > 0);
}

interface Paragraph {
  text: string;
  isTitle: boolean;
}

function paragraphsOf(lines: readonly PdfLine[], usually: { size: number; gap: number }): Paragraph[] {
  const paragraphs: Paragraph[] = [];
  for (const [index, line] of lines.entries()) {
    const isTall = line.size >= usually.size * TALLER && line.text.length <= LONGEST_TITLE;
    const last = paragraphs.at(-1);
    const isNext = last && continues(lines, index, usually);
    if (isNext && last.isTitle === isTall) last.text += ` ${line.text}`;
    else paragraphs.push({ text: line.text, isTitle: isTall });
  }
  if (paragraphs.some(({ isTitle }) => isTitle)) return paragraphs;
  // All letters are of one size: then a number makes a heading of a line that is no sentence.
  return paragraphs.map(({ text }) => ({
    text,
    isTitle: NUMBERED.test(text) && text.length <= LONGEST_TITLE / 2 && !/[.,;:]$/.test(text),
  }));
}

/** Whether a line goes on with the paragraph of the one before it. */
function continues(lines: readonly PdfLine[], index: number, { gap }: { gap: number }): boolean {
  const [line, before] = [lines[index], lines[index - 1]];
  if (!line || !before || ITEM.test(line.text) || round(line.size) !== round(before.size)) return false;
  const [room] = gapBefore(lines, index);
  if (room !== undefined) return room / line.size <= gap * WIDER;
  return line.page === before.page + 1 && !/[.:;!?]["')\]”’»]*$/.test(before.text);
}

/** The room between a line and the one above it on the same page. */
function gapBefore(lines: readonly PdfLine[], index: number): number[] {
  const [line, before] = [lines[index], lines[index - 1]];
  return line && before && line.page === before.page && before.y > line.y ? [before.y - line.y] : [];
}

/** Without page numbers; what stands at the same place of every page stays on the first. */
function withoutBands(lines: readonly PdfLine[], pages: number): PdfLine[] {
  const ends = new Set<PdfLine>();
  const outermost = new Set<PdfLine | undefined>();
  const seen = new Map<string, number>();
  for (const own of Map.groupBy(lines, ({ page }) => page).values()) {
    const band = new Set([...own.slice(0, BAND), ...own.slice(-BAND)]);
    for (const line of band) ends.add(line);
    for (const line of [own[0], own.at(-1)]) outermost.add(line);
    for (const place of new Set([...band].map(placeOf))) seen.set(place, (seen.get(place) ?? 0) + 1);
  }
  return lines.filter(line => {
    if (!ends.has(line)) return true;
    const isEverywhere = pages > 1 && seen.get(placeOf(line)) === pages;
    return !(isEverywhere && line.page > 1) && !(outermost.has(line) && isPageNumber(line));
  });
}

const placeOf = ({ text, y }: PdfLine): string => `${Math.round(y)} ${text}`;

/** A number that stands alone, and is the page's. It is one above or below everything else. */
const isPageNumber = ({ page, text }: PdfLine): boolean =>
  PAGE_NUMBER.test(text) && new RegExp(`(^|\\D)${page}(\\D|$)`).test(text);

/** The value with the most weight; of several, the smallest. */
function usual(weighed: readonly (readonly [value: number, weight: number])[]): number {
  const sums = new Map<number, number>();
  for (const [value, weight] of weighed) sums.set(value, (sums.get(value) ?? 0) + weight);
  const [first = [1]] = [...sums].sort(([one, much], [other, more]) => more - much || one - other);
  return first[0] as number;
}

const round = (value: number): number => Math.round(value * 10) / 10;
