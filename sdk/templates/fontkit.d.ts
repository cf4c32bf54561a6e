/** As much of fontkit as templates use. */
declare module "fontkit" {
  export interface Glyph {
    readonly id: number;
    readonly codePoints: number[];
    readonly advanceWidth: number;
    /** Where the width is kept, once it was asked for. */
    _metrics?: object | undefined;
  }
  export interface GlyphPosition {
    readonly xAdvance: number;
    readonly xOffset: number;
    readonly yOffset: number;
  }
  export interface Font {
    readonly postscriptName: string | null;
    readonly unitsPerEm: number;
    readonly characterSet: number[];
    hasGlyphForCodePoint(codePoint: number): boolean;
    getGlyph: (id: number, codePoints?: number[]) => Glyph;
    /** The glyphs made so far, by id. */
    _glyphs: Record<number, Glyph>;
    glyphForCodePoint(codePoint: number): Glyph;
    layout: (text: string) => { readonly glyphs: Glyph[]; readonly positions: GlyphPosition[] };
    createSubset: () => Subset;
  }
  export interface Subset {
    readonly glyphs: number[];
    includeGlyph(glyph: number | Glyph): number;
    encode: () => Uint8Array;
  }
  export function create(bytes: Uint8Array, postscriptName?: string): Font;
}
