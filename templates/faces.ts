import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Font } from "fontkit";
import type { Libraries } from "./libraries.js";
import { shown, TemplateError } from "./trouble.js";

/** One font file, to measure with now and to embed when the pages are known. */
export interface Face {
  readonly name: string;
  readonly font: Font;
  readonly bytes: Uint8Array;
}

/** Text in one face. */
export interface Run {
  readonly face: Face;
  readonly text: string;
}

export interface Style {
  readonly bold: boolean;
  readonly italic: boolean;
}

export const PLAIN: Style = { bold: false, italic: false };

const SERIF = [
  "DejaVuSerifCondensed",
  "DejaVuSerifCondensed-Bold",
  "DejaVuSerifCondensed-Italic",
  "DejaVuSerifCondensed-BoldItalic",
];

/** Of the characters these styles lack, the plain one has some, and the one without serifs more. */
const SHIPPED_FOR_THE_REST = ["DejaVuSerifCondensed", "DejaVuSansCondensed"];

const nameOf = ({ bold, italic }: Style): string => SERIF[(bold ? 1 : 0) + (italic ? 2 : 0)] ?? "";

/** The fonts that ship, and after them those the program adds, asked in that order for each character. */
export class Faces {
  readonly #libraries: Libraries;
  readonly #shipped = new Map<string, Face>();
  readonly #added: Face[];

  constructor(libraries: Libraries, added: readonly (string | Uint8Array)[]) {
    this.#libraries = libraries;
    this.#added = added.map((given, index) => this.#open(bytesOf(given, index), `fonts[${index}]`));
  }

  /** Splits text where the face changes. A mark stays with the letter it stands on. */
  runs(text: string, style: Style): Run[] {
    const shipped = this.#face(nameOf(style));
    const runs: { face: Face; text: string }[] = [];
    for (const char of text) {
      const last = runs.at(-1);
      const face = last && /\p{M}/u.test(char) && has(last.face, char) ? last.face : this.#faceWith(char, shipped);
      if (!face) throw new Error(`no font has ${shown(char)}`);
      if (last?.face === face) last.text += char;
      else runs.push({ face, text: char });
    }
    return runs;
  }

  /** Characters that no font has. */
  missingFrom(text: string): string[] {
    return [...new Set(text)].filter(char => !this.#faceWith(char, this.#face(nameOf(PLAIN))));
  }

  #faceWith(char: string, shipped: Face): Face | undefined {
    if (has(shipped, char)) return shipped;
    return SHIPPED_FOR_THE_REST.map(name => this.#face(name))
      .concat(this.#added)
      .find(face => has(face, char));
  }

  #face(name: string): Face {
    const known = this.#shipped.get(name);
    if (known) return known;
    const face = this.#open(readFileSync(join(this.#libraries.fontFolder, `${name}.ttf`)), name);
    this.#shipped.set(name, face);
    return face;
  }

  #open(bytes: Uint8Array, what: string): Face {
    let font: Font;
    try {
      font = this.#libraries.fontkit.create(bytes);
    } catch {
      throw new TemplateError([`${what} isn't a font that can be read; wanted a TrueType or OpenType file`]);
    }
    if (typeof font.layout !== "function") {
      throw new TemplateError([`${what} is a collection of fonts; wanted a file with a single one`]);
    }
    return { name: (font.postscriptName ?? "Font").replace(/[^\w-]/g, ""), font, bytes };
  }
}

const has = ({ font }: Face, char: string): boolean => font.hasGlyphForCodePoint(char.codePointAt(0) ?? 0);

function bytesOf(given: string | Uint8Array, index: number): Uint8Array {
  if (typeof given !== "string") return given;
  try {
    return readFileSync(given);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new TemplateError([`fonts[${index}] can't be read (${code}): ${given}`]);
  }
}
