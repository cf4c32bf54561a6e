import type { Mark } from "./drawing.js";
import { type Faces, PLAIN } from "./faces.js";
import { Typesetter } from "./markdown/lines.js";
import { TemplateProblemsError } from "./problems.js";

/** The place of a form's field. */
export interface Box {
  readonly name: string;
  readonly rectangle: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  readonly border: number;
  readonly size: number | undefined;
  readonly align: "left" | "center" | "right" | undefined;
  readonly multiline: boolean;
  /** One character in each of so many cells. */
  readonly cells: number | undefined;
}

const LARGEST = 12;
const SMALLEST = 6;
const LEADING = 1.25;
const PADDING = 2;
/** More than a page holds, and isn't laid out to see that. */
const LONGEST = 20_000;

/** Places text in a box. It shrinks where it must, down to what can still be read; what doesn't fit then is an error. */
export function placeText(faces: Faces, text: string, box: Box): Mark[] {
  const tooLong = () =>
    new TemplateProblemsError([
      `field ${box.name}: the text (${[...text].length} characters) doesn't fit; make the field larger or the text shorter`,
    ]);
  if (text.length > LONGEST) throw tooLong();
  const highest = (box.rectangle.height - 2 * box.border) * 0.8;
  const start = Math.min(box.size ?? LARGEST, Math.max(SMALLEST, highest));
  for (let size = start; size >= Math.min(start, SMALLEST); size -= 0.5) {
    const marks = placedAt(size, faces, text, box);
    if (marks) return marks;
  }
  throw tooLong();
}

function placedAt(size: number, faces: Faces, text: string, box: Box): Mark[] | undefined {
  const { rectangle, border, align, multiline, cells } = box;
  const setter = new Typesetter(faces, size);
  const inset = border + PADDING;
  const available = rectangle.width - 2 * inset;
  const middle = rectangle.y + rectangle.height / 2 - size * 0.36;
  const wide = (text: string) => setter.width(text, PLAIN);
  const pieces = [{ ...PLAIN, text }];
  if (cells !== undefined) {
    const cell = rectangle.width / cells;
    const chars = text.match(/\P{M}\p{M}*|\p{M}+/gu) ?? [];
    if (chars.length > cells || chars.some(char => wide(char) > cell)) return undefined;
    return chars.flatMap((char, index) =>
      setter.marks({ pieces: [{ ...PLAIN, text: char }] }, rectangle.x + (index + 0.5) * cell - wide(char) / 2, middle),
    );
  }
  const x = (width: number) =>
    rectangle.x + inset + (align === "right" ? available - width : align === "center" ? (available - width) / 2 : 0);
  if (!multiline) return wide(text) > available ? undefined : setter.marks({ pieces }, x(wide(text)), middle);
  if (available < 2 * size) return undefined;
  const lines = setter.lines(pieces, available);
  if (lines.length * size * LEADING > rectangle.height - 2 * border) return undefined;
  const top = rectangle.y + rectangle.height - inset;
  return lines.flatMap((line, index) => setter.marks(line, x(line.width), top - size - index * size * LEADING));
}
