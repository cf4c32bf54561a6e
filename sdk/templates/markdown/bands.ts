import type { Mark } from "../drawing.js";
import { type Faces, PLAIN } from "../faces.js";
import { withoutMarks } from "../language/references.js";
import { type Images, type SizedImage, sizedImage, within } from "./images.js";
import { type Line, Typesetter } from "./lines.js";

/** A line above or below the text of every page: up to three parts, the first on the left, the last on the right. */
export type BandLine = readonly BandPart[];
type BandPart = { readonly text: string } | { readonly image: SizedImage };

/** A letterhead: an image on the left, lines on the right. */
export interface Letterhead {
  readonly image: SizedImage | undefined;
  readonly lines: readonly string[];
}

interface Reading {
  readonly images: Images;
  readonly problems: string[];
  readonly fill: (text: string, literal: (text: string) => string) => string;
}

/** In place of `{page}` and `{pages}`: no template and no value may hold them. */
const PAGE = "\ue002";
const PAGES = "\ue003";
const MOST_LINES = 10;

export function readBand(text: string, reading: Reading): BandLine[] {
  const lines = linesIn(text);
  if (lines.length > MOST_LINES) reading.problems.push(`expected at most ${MOST_LINES} lines in a header or footer`);
  return lines.slice(0, MOST_LINES).map(line => {
    const parts = line.split("|").map(part => part.trim());
    if (parts.length > 3) reading.problems.push("expected at most three parts in a line of a header or footer");
    return parts.slice(0, 3).map((part): BandPart => {
      const image = imageIn(part, reading);
      if (image !== "text") return image ? { image } : { text: "" };
      return {
        text: reading.fill(part, literal =>
          withoutMarks(literal).replaceAll("{page}", PAGE).replaceAll("{pages}", PAGES),
        ),
      };
    });
  });
}

export function readLetterhead(text: string, reading: Reading): Letterhead {
  const lines: string[] = [];
  let found: SizedImage | undefined;
  for (const line of linesIn(text)) {
    const image = imageIn(line.trim(), reading);
    if (image === "text") lines.push(reading.fill(line.trim(), withoutMarks));
    else if (found) reading.problems.push("expected one image in a letterhead, got another");
    else found = image;
  }
  if (lines.length > MOST_LINES) reading.problems.push(`expected at most ${MOST_LINES} lines in a letterhead`);
  return { image: found, lines: lines.slice(0, MOST_LINES) };
}

const linesIn = (text: string): string[] => text.split("\n").filter(line => line.trim() !== "");

function imageIn(text: string, { images, problems }: Reading): SizedImage | undefined | "text" {
  const [, address, size] = /^!\[[^\]]*\]\(\s*([^\s()]+)(?:\s+"([^"]*)")?\s*\)$/.exec(text) ?? [];
  return address === undefined ? "text" : sizedImage(images, { address, size }, problems);
}

/** What is printed of a band, with numbers in place of page numbers. */
export const bandTexts = (lines: readonly BandLine[]): string[] =>
  lines.flatMap(line => line.flatMap(part => ("text" in part ? [numbered(part.text, 0, 0)] : [])));

/** The lines of a band, with its page numbers as the template has them. */
export const bandLines = (lines: readonly BandLine[], image: (image: SizedImage) => string): string[] =>
  lines.map(line =>
    line
      .map(part =>
        "text" in part ? part.text.replaceAll(PAGE, "{page}").replaceAll(PAGES, "{pages}") : image(part.image),
      )
      .join(" | "),
  );

const numbered = (text: string, page: number, pages: number): string =>
  text.replaceAll(PAGE, String(page)).replaceAll(PAGES, String(pages));

const SIZE = 8.5;
const LEADING = 1.45;
const GUTTER = 12;
const HIGHEST_IMAGE = 80;
/** As wide as the number of any page. */
const WIDEST_NUMBER = 9_999;

/** Lines above or below the text, as they are laid out. */
export class Band {
  readonly #setter: Typesetter;
  readonly height: number;

  constructor(
    faces: Faces,
    private readonly lines: readonly BandLine[],
    private readonly column: { readonly x: number; readonly width: number },
  ) {
    this.#setter = new Typesetter(faces, SIZE);
    // As high as with the longest numbers, so that no page has less room than another.
    this.height = this.#laidOut(WIDEST_NUMBER, WIDEST_NUMBER).reduce((sum, { height }) => sum + height, 0);
  }

  marks(top: number, page: number, pages: number): Mark[] {
    let y = top;
    return this.#laidOut(page, pages).flatMap(({ height, cells }) => {
      const upper = y;
      y -= height;
      return cells.flatMap(({ left, right, share, lines, image }): Mark[] => {
        const x = (width: number) => left + (right - left - width) * share;
        if (image) return [imageMark(image, x(image.width), upper)];
        return (lines ?? []).flatMap((line, index) =>
          this.#setter.marks(line, x(line.width), upper - SIZE * (LEADING * index + LEADING / 2 + 0.36)),
        );
      });
    });
  }

  #laidOut(page: number, pages: number) {
    const { x, width } = this.column;
    return this.lines.map(line => {
      const given = line.filter(part => "image" in part || part.text !== "").length;
      const each = given > 1 ? (width - (line.length - 1) * GUTTER) / line.length : width;
      const cells = line.map((part, index): Cell => {
        const share = line.length === 1 ? 0 : index / (line.length - 1);
        const left = x + (width - each) * share;
        const cell = { left, right: left + each, share };
        if ("image" in part) return { ...cell, image: within(part.image, each, HIGHEST_IMAGE), lines: undefined };
        const text = numbered(part.text, page, pages);
        return { ...cell, image: undefined, lines: this.#setter.lines(text ? [{ ...PLAIN, text }] : [], each) };
      });
      const heights = cells.map(({ image, lines }) => image?.height ?? (lines?.length ?? 0) * SIZE * LEADING);
      return { cells, height: Math.max(SIZE * LEADING, ...heights) };
    });
  }
}

interface Cell {
  readonly left: number;
  readonly right: number;
  /** How much of the room it leaves is on its left: none, half or all. */
  readonly share: number;
  readonly image: SizedImage | undefined;
  readonly lines: readonly Line[] | undefined;
}

/** An image below a place. */
export const imageMark = ({ image, width, height }: SizedImage, x: number, top: number): Mark => ({
  ...{ kind: "image", image, x, y: top - height, width, height },
});
