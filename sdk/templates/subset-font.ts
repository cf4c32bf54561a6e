import type { Font } from "fontkit";

/** A glyph as fontkit writes it into a font of some glyphs. */
interface Glyph {
  readonly outline: Uint8Array;
  /** The glyphs it is made of, each with where its outline names it. */
  readonly parts: readonly { readonly id: number; readonly at: number }[];
  /** Its width, and the space on its left. */
  readonly metrics: Uint8Array;
}

/** A font's tables in the order of its file, by their names. */
type Tables = ReadonlyMap<string, Uint8Array>;

/**
 * Fonts of some of a font's glyphs, byte for byte as fontkit writes them. It writes each table number by number, which takes as
 * long as laying out a page: here it does so for glyphs that are new, and the rest is copied.
 */
export class SubsetFonts {
  readonly #glyphs = new Map<number, Glyph>();
  #written: Uint8Array = new Uint8Array();

  constructor(private readonly font: Font) {}

  /** The glyphs in the order of their numbers. */
  encode(ids: readonly number[]): Uint8Array {
    this.#learn(ids.filter(id => !this.#glyphs.has(id)));
    const order = new Set(ids);
    const glyphs: Glyph[] = [];
    // The glyphs that others are made of come after those that were asked for.
    for (const id of order) {
      const glyph = this.#glyphs.get(id);
      if (!glyph) throw new Error(`expected a glyph that was learned, got ${id}`);
      for (const part of glyph.parts) order.add(part.id);
      glyphs.push(glyph);
    }
    const numbers = new Map([...order].map((id, number) => [id, number]));
    const outlines = joined(glyphs.map(({ outline }) => outline));
    const places = new Uint8Array(4 * (glyphs.length + 1));
    let end = 0;
    glyphs.forEach(({ outline, parts }, index) => {
      for (const { id, at } of parts) view(outlines).setUint16(end + at, numbers.get(id) ?? 0);
      end += outline.length;
      view(places).setUint32(4 * (index + 1), end);
    });
    const tables = new Map(tablesOf(this.#written));
    const counted = (name: string, at: number) => {
      const table = new Uint8Array(tables.get(name) ?? []);
      view(table).setUint16(at, glyphs.length);
      return table;
    };
    tables.set("hhea", counted("hhea", 34)).set("maxp", counted("maxp", 4)).set("loca", places).set("glyf", outlines);
    tables.set("hmtx", joined(glyphs.map(({ metrics }) => metrics)));
    return this.#fileOf(tables);
  }

  /** From a font that fontkit writes of them. */
  #learn(ids: readonly number[]): void {
    if (ids.length === 0) return;
    const subset = this.font.createSubset();
    for (const id of ids) subset.includeGlyph(id);
    this.#written = subset.encode();
    const tables = tablesOf(this.#written);
    const table = (name: string) => tables.get(name) ?? new Uint8Array();
    const [places, outlines, metrics] = [view(table("loca")), table("glyf"), table("hmtx")];
    subset.glyphs.forEach((id, number) => {
      const outline = outlines.slice(places.getUint32(4 * number), places.getUint32(4 * number + 4));
      const parts = partsOf(outline).map(at => ({ id: subset.glyphs[view(outline).getUint16(at)] ?? 0, at }));
      this.#glyphs.set(id, { outline, parts, metrics: metrics.slice(4 * number, 4 * number + 4) });
    });
  }

  #fileOf(tables: Tables): Uint8Array {
    const head = this.#written.slice(0, HEAD + ENTRY * tables.size);
    let offset = head.length;
    [...tables.values()].forEach(({ length }, index) => {
      const entry = HEAD + ENTRY * index;
      view(head).setUint32(entry + 8, offset);
      view(head).setUint32(entry + 12, length);
      offset += length;
    });
    return joined([head, ...tables.values()]);
  }
}

/** In bytes: what a file begins with, and what it then says of each table. */
const HEAD = 12;
const ENTRY = 16;

function tablesOf(file: Uint8Array): Tables {
  const entries = Array.from({ length: view(file).getUint16(4) }, (_, index) => HEAD + ENTRY * index);
  return new Map(
    entries.map(entry => {
      const from = view(file).getUint32(entry + 8);
      const name = String.fromCharCode(...file.subarray(entry, entry + 4));
      return [name, file.subarray(from, from + view(file).getUint32(entry + 12))];
    }),
  );
}

const WORDS = 0x0001;
const SCALE = 0x0008;
const MORE = 0x0020;
const TWO_SCALES = 0x0040;
const MATRIX = 0x0080;

/** Where an outline that is made of others names them. */
function partsOf(outline: Uint8Array): number[] {
  const places: number[] = [];
  if (outline.length === 0 || view(outline).getInt16(0) >= 0) return places;
  let at = 10;
  for (let flags = MORE; flags & MORE; ) {
    flags = view(outline).getUint16(at);
    places.push(at + 2);
    at += 4 + (flags & WORDS ? 4 : 2) + (flags & SCALE ? 2 : flags & TWO_SCALES ? 4 : flags & MATRIX ? 8 : 0);
  }
  return places;
}

const view = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView => new DataView(buffer, byteOffset, byteLength);

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
