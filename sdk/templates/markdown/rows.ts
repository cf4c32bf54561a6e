import type { Mark } from "../drawing.js";
import { type Faces, PLAIN } from "../faces.js";
import { TemplateProblemsError } from "../problems.js";
import { imageMark, type Letterhead } from "./bands.js";
import type { Block, Cell, Piece } from "./blocks.js";
import { type SizedImage, within } from "./images.js";
import { type Line, Typesetter } from "./lines.js";

/** A strip of the page, as wide as the text. `marks` are placed from its upper edge. */
export interface TextRow {
  readonly height: number;
  /** Space before it, unless it is the first of a page. */
  readonly gap: number;
  /** Stays on one page with the row after it. */
  readonly keepsNext?: boolean;
  readonly startsPage?: boolean;
  /** The head of its table, printed again where a page begins with this row. */
  readonly head?: TextRow;
  /** Where it comes from in the template. */
  readonly location?: string;
  marks(top: number): Mark[];
}

const BODY = 10.5;
const LEADING = 1.45;
const HEADINGS = [17, 13.5, 11.5, BODY, BODY, BODY];
const INDENT = 22;
const PADDING = 5;
const SIGNATURE_SPACE = 46;
const SIGNATURE_GUTTER = 36;
const SMALL = 8.5;
const HIGHEST_IMAGE = 500;
const HIGHEST_LETTERHEAD = 120;

interface Column {
  readonly x: number;
  readonly width: number;
}

/** What takes room of its own. */
type Laid = Exclude<Block, { kind: "page-break" }>;

/** Rows of blocks in a column, with the fonts that ship. */
const laidOut = new WeakMap<Laid, Column & { readonly gap: number; readonly rows: readonly TextRow[] }>();

export class Rows {
  readonly #body: Typesetter;

  constructor(private readonly faces: Faces) {
    this.#body = new Typesetter(faces, BODY);
  }

  of(blocks: readonly Block[], column: Column, gap = BODY * 0.75): TextRow[] {
    let breaks = false;
    return blocks.flatMap((block): TextRow[] => {
      if (block.kind === "page-break") {
        breaks = true;
        return [];
      }
      const [first, ...rest] = this.#remembered(block, column, gap);
      if (!first) return [];
      const begun = breaks ? { ...first, startsPage: true } : first;
      breaks = false;
      return [begun, ...rest];
    });
  }

  /** Most blocks are the same in every row's contract. */
  #remembered(block: Laid, { x, width }: Column, gap: number): readonly TextRow[] {
    const known = laidOut.get(block);
    if (known?.x === x && known.width === width && known.gap === gap && this.faces.areShipped) return known.rows;
    const { location } = block;
    const made = problemsAt(location, () => this.#block(block, { x, width }, gap));
    const rows = location === undefined ? made : made.map(row => ({ ...row, location }));
    if (this.faces.areShipped) laidOut.set(block, { x, width, gap, rows });
    return rows;
  }

  #block(block: Laid, column: Column, gap: number): TextRow[] {
    switch (block.kind) {
      case "paragraph":
        return this.#text(block.pieces, column, { gap, size: BODY });
      case "heading":
        return this.#heading(block.level, block.pieces, column);
      case "list":
        return this.#list(block, column, gap);
      case "quote":
        return this.of(block.blocks, { x: column.x + INDENT, width: column.width - 2 * INDENT }, gap);
      case "table":
        return this.#table(block.rows, column);
      case "rule":
        return [ruleRow(column)];
      case "image":
        return [imageRow(within(block.image, column.width, HIGHEST_IMAGE), column)];
      case "letterhead":
        return [this.#letterhead(block, column)];
      case "signatures":
        return this.#signatures(block.signers, column);
    }
  }

  #heading(level: number, pieces: readonly Piece[], column: Column): TextRow[] {
    const size = HEADINGS[level - 1] ?? BODY;
    const styled = pieces.map(piece => ({ ...piece, bold: level < 5, italic: piece.italic || level > 3 }));
    const rows = this.#text(styled, column, { gap: size * (level === 1 ? 1.2 : 1.1), size });
    return rows.map(row => ({ ...row, keepsNext: true }));
  }

  #text(pieces: readonly Piece[], { x, width }: Column, { gap, size }: { gap: number; size: number }): TextRow[] {
    const setter = size === BODY ? this.#body : new Typesetter(this.faces, size);
    const lines = setter.lines(pieces, width);
    return lines.map((line, index) => ({
      height: size * LEADING,
      gap: index === 0 ? gap : 0,
      // No line of a paragraph stands alone at the end of a page or at the start of one.
      keepsNext: lines.length > 1 && (index === 0 || index === lines.length - 2),
      marks: top => setter.marks(line, x, baseLine(top, size)),
    }));
  }

  #list({ start, loose, items }: Block & { kind: "list" }, column: Column, gap: number): TextRow[] {
    const marker = (index: number) => (start === null ? "•" : `${start + index}.`);
    const widest = largest(items.map((_, index) => this.#body.width(marker(index), PLAIN)));
    const indent = Math.max(INDENT, widest + BODY * 0.6);
    return items.flatMap((blocks, index) => {
      const inner = { x: column.x + indent, width: column.width - indent };
      const rows = this.of(blocks, inner, loose ? gap : gap / 3);
      const [first = blankRow(), ...rest] = rows;
      const label = { pieces: [{ ...PLAIN, text: marker(index) }] };
      const x = inner.x - BODY * 0.6 - this.#body.width(marker(index), PLAIN);
      const before = index === 0 || loose ? gap : gap / 3;
      const marks = (top: number) => [...this.#body.marks(label, x, baseLine(top, BODY)), ...first.marks(top)];
      return [{ ...first, gap: before, marks }, ...rest];
    });
  }

  #table(rows: readonly (readonly Cell[])[], { x, width }: Column): TextRow[] {
    const widths = this.#columns(rows, width);
    let head: TextRow | undefined;
    return rows.map((cells, index): TextRow => {
      const lines = cells.map((cell, column) => this.#body.lines(cell.pieces, (widths[column] ?? 0) - 2 * PADDING));
      const height = largest(lines.map(each => each.length)) * BODY * LEADING + 2 * PADDING;
      const row: TextRow = {
        height,
        gap: index === 0 ? BODY : 0,
        keepsNext: index === 0,
        ...(head ? { head } : {}),
        marks: top => [
          ...(index === 0 ? [rule(x, top, x + width, top)] : []),
          rule(x, top - height, x + width, top - height),
          ...lines.flatMap((each, column) =>
            this.#cell(each, cells[column]?.align ?? "left", column, widths, { x, top }),
          ),
        ],
      };
      head ??= row;
      return row;
    });
  }

  #cell(
    lines: readonly Line[],
    align: Cell["align"],
    column: number,
    widths: readonly number[],
    { x, top }: { x: number; top: number },
  ): Mark[] {
    const left = x + widths.slice(0, column).reduce((sum, each) => sum + each, 0) + PADDING;
    const available = (widths[column] ?? 0) - 2 * PADDING;
    return lines.flatMap((line, index) => {
      const spare = align === "right" ? available - line.width : align === "center" ? (available - line.width) / 2 : 0;
      return this.#body.marks(line, left + spare, baseLine(top - PADDING - index * BODY * LEADING, BODY));
    });
  }

  /** Columns as wide as their text where all of it fits; otherwise none gets more than it needs, and the rest is shared. */
  #columns(rows: readonly (readonly Cell[])[], width: number): number[] {
    const wanted = (rows[0] ?? []).map((_, column) =>
      largest(rows.map(row => this.#body.lines(row[column]?.pieces ?? [], Number.MAX_VALUE)[0]?.width ?? 0)),
    );
    const natural = wanted.map(each => Math.max(each, 2 * BODY) + 2 * PADDING);
    const total = natural.reduce((sum, each) => sum + each, 0);
    if (total <= width) return natural.map(each => each + (width - total) / natural.length);
    const fair = width / natural.length;
    const small = natural.filter(each => each <= fair);
    const left = width - small.reduce((sum, each) => sum + each, 0);
    return natural.map(each => (each <= fair ? each : left / (natural.length - small.length)));
  }

  /** The image on the left, and the lines on the right, with a rule below. */
  #letterhead({ image, lines }: Letterhead, { x, width }: Column): TextRow {
    const setter = new Typesetter(this.faces, SMALL);
    const logo = image && within(image, width / 2, HIGHEST_LETTERHEAD);
    const beside = logo ? width - logo.width - INDENT : width;
    const set = lines.flatMap(text => setter.lines([{ ...PLAIN, text }], beside));
    const height = Math.max(logo?.height ?? 0, set.length * SMALL * LEADING) + BODY;
    return {
      height,
      gap: 0,
      marks: top => [
        ...(logo ? [imageMark(logo, x, top)] : []),
        ...set.flatMap((line, index) =>
          setter.marks(line, x + width - line.width, baseLine(top - index * SMALL * LEADING, SMALL)),
        ),
        rule(x, top - height, x + width, top - height),
      ],
    };
  }

  /** Two to a row, never parted from each other or from the line they sign on. */
  #signatures(signers: readonly (readonly string[])[], column: Column): TextRow[] {
    const width = (column.width - SIGNATURE_GUTTER) / 2;
    const pairs = signers.flatMap((_, index) => (index % 2 === 0 ? [signers.slice(index, index + 2)] : []));
    return pairs.map((pair, at) => {
      const columns = pair.map(parts => parts.flatMap(text => this.#body.lines([{ ...PLAIN, text }], width)));
      const height = SIGNATURE_SPACE + Math.max(...columns.map(lines => lines.length)) * BODY * LEADING;
      return {
        height,
        gap: BODY,
        keepsNext: at < pairs.length - 1,
        marks: top =>
          columns.flatMap((lines, index) => {
            const x = column.x + index * (width + SIGNATURE_GUTTER);
            const y = top - SIGNATURE_SPACE + 4;
            const below = (line: Line, nth: number) =>
              this.#body.marks(line, x, baseLine(y - 4 - nth * BODY * LEADING, BODY));
            return [rule(x, y, x + width, y), ...lines.flatMap(below)];
          }),
      };
    });
  }
}

function problemsAt<T>(location: string | undefined, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (location === undefined || !(error instanceof TemplateProblemsError)) throw error;
    throw new TemplateProblemsError(error.problems.map(problem => `${location}: ${problem}`));
  }
}

/** Of any number: arguments have a limit. */
const largest = (numbers: readonly number[]): number => numbers.reduce((most, each) => Math.max(most, each), 0);

const baseLine = (top: number, size: number): number => top - size * (LEADING / 2 + 0.36);

const rule = (x: number, y: number, toX: number, toY: number): Mark => ({ kind: "rule", x, y, toX, toY });

const ruleRow = ({ x, width }: Column): TextRow => ({
  height: BODY,
  gap: BODY / 2,
  marks: top => [rule(x, top - BODY / 2, x + width, top - BODY / 2)],
});

const imageRow = (image: SizedImage, { x }: Column): TextRow => ({
  height: image.height + BODY / 2,
  gap: BODY,
  marks: top => [imageMark(image, x, top)],
});

const blankRow = (): TextRow => ({
  height: BODY * LEADING,
  gap: 0,
  marks: () => [],
});
