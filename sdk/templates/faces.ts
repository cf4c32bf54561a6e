import { create, type Font, type Glyph } from "fontkit";
import { Recent } from "./latest.js";
import { printableChar, TemplateProblemsError } from "./problems.js";
import { shippedFont } from "./shipped-font.js";
import type { FontFile } from "./source.js";
import { SubsetFonts } from "./subset-font.js";

/** One font file, to measure with now and to embed when the pages are known. */
export interface Face {
  readonly name: string;
  readonly font: Font;
  readonly bytes: Uint8Array;
  /** Of the font: asking it takes longer than a word's layout. */
  readonly unitsPerEm: number;
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
  readonly #added: Face[];

  constructor(added: readonly FontFile[]) {
    this.#added = added.map(({ name, bytes }) => this.#open(bytes, name));
  }

  /** Splits text where the face changes. A mark stays with the letter it stands on. */
  runs(text: string, style: Style): readonly Run[] {
    if (!this.areShipped || text.length > LONGEST_REMEMBERED) return this.#split(text, style);
    const key = `${nameOf(style)} ${text}`;
    const known = splits.get(key);
    if (known) return known;
    if (splits.size > REMEMBERED_TEXTS) splits.clear();
    const runs = this.#split(text, style);
    splits.set(key, runs);
    return runs;
  }

  #split(text: string, style: Style): Run[] {
    const shipped = this.#face(nameOf(style));
    const runs: { face: Face; text: string }[] = [];
    for (const char of text) {
      const last = runs.at(-1);
      const face = last && /\p{M}/u.test(char) && has(last.face, char) ? last.face : this.#faceWith(char, shipped);
      if (!face) throw new Error(`no font has ${printableChar(char)}`);
      if (last?.face === face) last.text += char;
      else runs.push({ face, text: char });
    }
    return runs;
  }

  /** Whether all of them ship with this package, so that what was found out about them holds for other contracts. */
  get areShipped(): boolean {
    return this.#added.length === 0;
  }

  /** Whether nothing was wrong with this text before. */
  canPrint(text: string): boolean {
    return this.areShipped && printable.has(text);
  }

  rememberPrintable(texts: readonly string[]): void {
    if (!this.areShipped) return;
    if (printable.size > REMEMBERED_TEXTS) printable.clear();
    for (const text of texts) printable.add(text);
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
    const known = shipped.get(name);
    if (known) return known;
    const face = this.#open(shippedFont(name), name);
    shipped.set(name, face);
    return face;
  }

  #open(bytes: Uint8Array, what: string): Face {
    let font: Font;
    try {
      font = fontIn(bytes);
    } catch {
      throw new TemplateProblemsError([
        `${what}: expected a TrueType or OpenType file, got one that can't be read as a font`,
      ]);
    }
    if (typeof font.layout !== "function") {
      throw new TemplateProblemsError([`${what}: expected a file with a single font, got a collection of fonts`]);
    }
    return { name: (font.postscriptName ?? "Font").replace(/[^\w-]/g, ""), font, bytes, unitsPerEm: font.unitsPerEm };
  }
}

/** Faces of the fonts that ship, for the life of the process: parsing one takes longer than printing a contract. */
const shipped = new Map<string, Face>();
const opened = new WeakMap<Uint8Array, Font>();
/** By style and text, with the fonts that ship: most words are the same in every row's contract. */
const splits = new Map<string, readonly Run[]>();
const printable = new Set<string>();
const REMEMBERED_TEXTS = 2_000;
const LONGEST_REMEMBERED = 20_000;

function fontIn(bytes: Uint8Array): Font {
  const known = opened.get(bytes);
  if (known) return known;
  const font = create(bytes);
  if (typeof font.layout === "function") rememberLayouts(font);
  opened.set(bytes, font);
  return font;
}

/** In characters, which comes to some tens of bytes each. */
const REMEMBERED = 40_000;

/** Most lines of a contract are the same for everybody, and every word is laid out to measure it and again to print it. */
function rememberLayouts(font: Font): void {
  const layOut = font.layout.bind(font);
  const getGlyph = font.getGlyph.bind(font);
  const metrics = new Map<number, object | undefined>();
  // The library reads a glyph's outline for its width, and has other glyphs in each layout.
  font.getGlyph = (id, codePoints) => {
    const glyph = getGlyph(id, codePoints);
    glyph._metrics ??= metrics.get(id);
    return glyph;
  };
  const plain = (glyph: Glyph): Glyph => {
    const { id, codePoints, advanceWidth } = glyph;
    metrics.set(id, glyph._metrics);
    return { id, codePoints, advanceWidth };
  };
  const known = new Map<string, ReturnType<Font["layout"]>>();
  let characters = 0;
  font.layout = text => {
    const before = known.get(text);
    if (before) return before;
    if (characters > REMEMBERED) {
      known.clear();
      characters = 0;
    }
    // A glyph remembers the first character it was used for, and must not remember another contract's.
    font._glyphs = {};
    const { glyphs, positions } = layOut(text);
    const layout = { glyphs: glyphs.map(plain), positions };
    characters += text.length;
    known.set(text, layout);
    return layout;
  };
}

/**
 * A face's font as one document embeds it: what was parsed is shared, what the library notes about used glyphs is not, or
 * the bytes of a document would depend on those before it.
 */
export function fontToEmbed({ font, bytes }: Face): Font {
  if (![...shipped.values()].some(face => face.bytes === bytes)) return create(bytes);
  const own: Font = Object.create(font);
  // As the library's `getGlyph` remembers them. Its glyphs would read their outlines anew, for their widths alone.
  const used = new Map<number, Glyph>();
  const usedAs = (glyph: Glyph): Glyph => {
    const known = used.get(glyph.id) ?? glyph;
    used.set(glyph.id, known);
    return known;
  };
  own.layout = text => {
    const { glyphs, positions } = font.layout(text);
    return { glyphs: glyphs.map(usedAs), positions };
  };
  own.createSubset = () => {
    const subset = font.createSubset.call(own);
    // Nothing else is in it: the names that other contents have stand beside it.
    subset.encode = () => encodedOf(font, subset.glyphs);
    return subset;
  };
  return own;
}

/** Partly embedded fonts, and the latest of each by its glyphs in their order. */
const encoded = new WeakMap<Font, { readonly fonts: SubsetFonts; readonly latest: Recent<Uint8Array> }>();
const SUBSETS = 16;

function encodedOf(font: Font, glyphs: readonly number[]): Uint8Array {
  const known = encoded.get(font) ?? { fonts: new SubsetFonts(font), latest: new Recent<Uint8Array>(SUBSETS) };
  encoded.set(font, known);
  return known.latest.get(glyphs.join(), () => known.fonts.encode(glyphs));
}

const has = ({ font }: Face, char: string): boolean => font.hasGlyphForCodePoint(char.codePointAt(0) ?? 0);
