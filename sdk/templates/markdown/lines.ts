import { type Mark, widthOf } from "../drawing.js";
import type { Faces, Style } from "../faces.js";
import { TemplateProblemsError } from "../problems.js";
import type { Piece } from "./blocks.js";

/** One line of text, without a place yet. */
export interface Line {
  readonly pieces: readonly Piece[];
  readonly width: number;
}

interface Word {
  readonly pieces: Piece[];
  readonly width: number;
  /** Whether a space came before it. */
  readonly spaced: boolean;
}

/** Ideographs and kana: a line may end after any of them. */
const IDEOGRAPH = /[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef\u{20000}-\u{3ffff}]/u;
/** These never begin a line. */
const CLOSING = /^[、。，．・：；？！）」』】〕〉》々ー]/u;

export class Typesetter {
  constructor(
    private readonly faces: Faces,
    private readonly size: number,
  ) {}

  width(text: string, style: Style): number {
    return this.faces.runs(text, style).reduce((sum, run) => sum + widthOf(run, this.size), 0);
  }

  /** Breaks text into lines of this width at most. A word that is longer than a line is broken where the line ends. */
  lines(pieces: readonly Piece[], width: number): readonly Line[] {
    if (width < 2 * this.size)
      throw new TemplateProblemsError(["a table has too many columns, or a list is nested too deep, for the page"]);
    return paragraphs(pieces).flatMap(part => this.#fold(this.#words(part, width), width));
  }

  /** The line's marks, its base line at `y`. */
  marks({ pieces }: Pick<Line, "pieces">, x: number, y: number): Mark[] {
    let at = x;
    return pieces.flatMap(piece =>
      this.faces.runs(piece.text, piece).map((run): Mark => {
        const mark = { kind: "text" as const, run, size: this.size, x: at, y };
        at += widthOf(run, this.size);
        return mark;
      }),
    );
  }

  #fold(words: readonly Word[], width: number): Line[] {
    const lines: { pieces: Piece[]; width: number }[] = [];
    for (const word of words) {
      const line = lines.at(-1);
      const space = line && word.spaced && word.pieces[0] ? this.width(" ", word.pieces[0]) : 0;
      if (line && line.width + space + word.width <= width) {
        const [first, ...rest] = word.pieces;
        if (first) join(line.pieces, [{ ...first, text: `${space > 0 ? " " : ""}${first.text}` }, ...rest]);
        line.width += space + word.width;
      } else lines.push({ pieces: join([], word.pieces), width: word.width });
    }
    return lines.length > 0 ? lines : [{ pieces: [], width: 0 }];
  }

  #words(pieces: readonly Piece[], width: number): Word[] {
    const words: { pieces: Piece[]; spaced: boolean }[] = [];
    let spaced = false;
    let apart = true;
    for (const piece of pieces) {
      for (const text of piece.text.match(/ +|[^ ]+/g) ?? []) {
        if (text.startsWith(" ")) {
          spaced = true;
          apart = true;
          continue;
        }
        for (const part of breakable(text)) {
          const last = words.at(-1);
          const before = last?.pieces.at(-1)?.text ?? "";
          const ideograph = IDEOGRAPH.test(firstOf(part)) || IDEOGRAPH.test(lastOf(before));
          if (!last || apart || (ideograph && !CLOSING.test(part)))
            words.push({ pieces: [{ ...piece, text: part }], spaced });
          else last.pieces.push({ ...piece, text: part });
          spaced = false;
          apart = false;
        }
      }
    }
    return words.flatMap(word => this.#fitting(word, width));
  }

  #fitting({ pieces, spaced }: { pieces: Piece[]; spaced: boolean }, width: number): Word[] {
    // A longer one doesn't fit a line, and isn't laid out to see by how much.
    const isLong = pieces.reduce((sum, { text }) => sum + text.length, 0) > LONGEST_WORD;
    const whole = isLong
      ? Number.POSITIVE_INFINITY
      : pieces.reduce((sum, piece) => sum + this.width(piece.text, piece), 0);
    if (whole <= width) return [{ pieces, spaced, width: whole }];
    const parts: { pieces: Piece[]; spaced: boolean; width: number }[] = [];
    for (const piece of pieces) {
      for (const cluster of piece.text.match(/\P{M}\p{M}*|\p{M}+/gu) ?? []) {
        const wide = this.width(cluster, piece);
        const last = parts.at(-1);
        if (last && last.width + wide <= width) {
          join(last.pieces, [{ ...piece, text: cluster }]);
          last.width += wide;
        } else parts.push({ pieces: [{ ...piece, text: cluster }], spaced: parts.length === 0 && spaced, width: wide });
      }
    }
    return parts;
  }
}

const LONGEST_WORD = 2_000;

const firstOf = (text: string): string => String.fromCodePoint(text.codePointAt(0) ?? 0);

/** A text's last character, of one unit or two. */
const lastOf = (text: string): string => [...text.slice(-2)].at(-1) ?? "";

/** Splits at the breaks the author asked for. */
function paragraphs(pieces: readonly Piece[]): Piece[][] {
  const parts: Piece[][] = [[]];
  for (const piece of pieces) {
    const [first = "", ...rest] = piece.text.split("\n");
    if (first !== "") parts.at(-1)?.push({ ...piece, text: first });
    for (const text of rest) parts.push(text === "" ? [] : [{ ...piece, text }]);
  }
  return parts;
}

/** Splits before and after ideographs; anything else stays together. */
const breakable = (text: string): string[] => {
  const parts: string[] = [];
  let start = 0;
  let at = 0;
  let before = "";
  for (const char of text) {
    const alone = before !== "" && (IDEOGRAPH.test(char) || IDEOGRAPH.test(before));
    if (alone && !/\p{M}/u.test(char)) {
      parts.push(text.slice(start, at));
      start = at;
    }
    at += char.length;
    before = char;
  }
  if (start < at) parts.push(text.slice(start));
  return parts;
};

/** Adds pieces; neighbours of one style become one. */
function join(to: Piece[], pieces: readonly Piece[]): Piece[] {
  for (const piece of pieces) {
    const last = to.at(-1);
    if (last && last.bold === piece.bold && last.italic === piece.italic)
      to[to.length - 1] = { ...last, text: last.text + piece.text };
    else to.push({ ...piece });
  }
  return to;
}
