import { createHash } from "node:crypto";
import { type PDFDocument, type PDFFont, PDFName, PDFOperator, type PDFPage, type PDFRef } from "@cantoo/pdf-lib";
import { type Face, fontToEmbed, type Run } from "./faces.js";
import type { Image } from "./images.js";

/** What a page holds, in points from its lower left corner: runs of text on a base line, images and straight lines. */
export type Mark =
  | { readonly kind: "text"; readonly run: Run; readonly size: number; readonly x: number; readonly y: number }
  | {
      readonly kind: "image";
      readonly image: Image;
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
    }
  | { readonly kind: "rule"; readonly x: number; readonly y: number; readonly toX: number; readonly toY: number };

const RULE_WIDTH = 0.5;

export function widthOf({ face, text }: Run, size: number): number {
  const layout = face.font.layout(text);
  let advance = advances.get(layout);
  if (advance === undefined) {
    advance = layout.positions.reduce((sum, position) => sum + position.xAdvance, 0);
    advances.set(layout, advance);
  }
  return (advance * size) / face.unitsPerEm;
}

/** Layouts are remembered, and so are their widths. */
const advances = new WeakMap<object, number>();

interface Embedded {
  readonly font: PDFFont;
  readonly key: string;
  /** The glyphs' numbers in the embedded font, by their ids. */
  readonly codes: Map<number, string>;
}

/** Embeds the faces that are used, and only their used characters; then writes the marks. */
export class Pen {
  readonly #fonts = new Map<Face, Embedded>();
  readonly #images = new Map<Image, { readonly ref: PDFRef; readonly key: string }>();

  private constructor(
    private readonly document: PDFDocument,
    /** Begins the names of embedded fonts. */
    private readonly tag: string,
  ) {}

  static async for(document: PDFDocument, marks: readonly Mark[]): Promise<Pen> {
    const pen = new Pen(document, tagOf(marks));
    for (const mark of marks) {
      if (mark.kind === "text" && !pen.#fonts.has(mark.run.face)) await pen.#embed(mark.run.face);
      if (mark.kind === "image") pen.#embedImage(mark.image);
    }
    return pen;
  }

  #embedImage(image: Image): void {
    if (this.#images.has(image)) return;
    const ref = this.document.context.register(imageStream(this.document, image));
    this.#images.set(image, { ref, key: `Image${this.#images.size + 1}` });
  }

  async #embed(face: Face): Promise<void> {
    const options = { subset: true, customName: `${this.tag}+${face.name}` };
    this.document.registerFontkit({ create: () => fontToEmbed(face) } as never);
    const font = await this.document.embedFont(face.bytes, options);
    this.#fonts.set(face, { font, key: `Contract${this.#fonts.size + 1}`, codes: new Map() });
  }

  write(page: PDFPage, marks: readonly Mark[]): void {
    for (const face of new Set(marks.flatMap(mark => (mark.kind === "text" ? [mark.run.face] : [])))) {
      const { key, font } = this.#embedded(face);
      page.node.setFontDictionary(PDFName.of(key), font.ref);
    }
    for (const image of new Set(marks.flatMap(mark => (mark.kind === "image" ? [mark.image] : [])))) {
      const known = this.#images.get(image);
      if (known) page.node.setXObject(PDFName.of(known.key), known.ref);
    }
    const lines = marks.flatMap(mark =>
      mark.kind === "text" ? this.#text(mark) : mark.kind === "image" ? this.#image(mark) : ruleLines(mark),
    );
    // One operator for all: the library keeps each in objects of its own.
    page.pushOperators(...(lines.length > 0 ? [PDFOperator.of(lines.join("\n") as never)] : []));
  }

  #embedded(face: Face): Embedded {
    const known = this.#fonts.get(face);
    if (!known) throw new Error(`the face ${face.name} isn't embedded`);
    return known;
  }

  #image({ image, x, y, width, height }: Mark & { kind: "image" }): string[] {
    const matrix = `${decimal(width)} 0 0 ${decimal(height)} ${decimal(x)} ${decimal(y)} cm`;
    return ["q", matrix, `/${this.#images.get(image)?.key} Do`, "Q"];
  }

  #text({ run, size, x, y }: Mark & { kind: "text" }): string {
    const { key, font, codes } = this.#embedded(run.face);
    const { glyphs } = run.face.font.layout(run.text);
    // It gives glyphs their numbers in the order in which they are first encoded.
    if (!glyphs.every(({ id }) => codes.has(id))) {
      const given = font.encodeText(run.text).asString().match(/.{4}/g) ?? [];
      for (const [index, { id }] of glyphs.entries()) codes.set(id, given[index] ?? "");
    }
    const place = `/${key} ${decimal(size)} Tf\n${decimal(x)} ${decimal(y)} Td`;
    return ["BT", place, ...glyphLines(run, codes, size), "ET"].join("\n");
  }
}

/** Six capitals, as names of partly embedded fonts begin. By what is printed: a template's comments and line breaks may change. */
function tagOf(marks: readonly Mark[]): string {
  const hash = createHash("sha256");
  for (const mark of marks) if (mark.kind === "text") hash.update(mark.run.text).update("\0");
  return Array.from(hash.digest().subarray(0, 6), byte => String.fromCharCode(65 + (byte % 26))).join("");
}

/** Kerning and the places of combining marks, which a plain string of glyphs would lose. */
function glyphLines({ face, text }: Run, codes: ReadonlyMap<number, string>, size: number): string[] {
  const { glyphs, positions } = face.font.layout(text);
  const thousandth = 1000 / face.unitsPerEm;
  const lines: string[] = [];
  let shown = "";
  const move = (units: number) => {
    const by = Math.round(-units * thousandth);
    if (by !== 0) shown += ` ${by} `;
  };
  const flush = () => {
    if (shown !== "") lines.push(`[${shown}] TJ`);
    shown = "";
  };
  positions.forEach(({ xAdvance, xOffset, yOffset }, index) => {
    const glyph = glyphs[index];
    if (yOffset !== 0) {
      flush();
      lines.push(`${decimal((yOffset * size) / face.unitsPerEm)} Ts`);
    }
    move(xOffset);
    shown += `<${glyph && codes.get(glyph.id)}>`;
    if (yOffset !== 0) {
      flush();
      lines.push("0 Ts");
    }
    move(xAdvance - (glyph?.advanceWidth ?? 0) - xOffset);
  });
  flush();
  return lines;
}

/** An image as an object of the PDF. What isn't packed yet is packed by the library, alike on every machine. */
function imageStream({ context }: PDFDocument, { width, height, bits, colors, bytes, packed, hidden }: Image) {
  const channels = colors.kind === "rgb" ? 3 : 1;
  const about = {
    ...{ Type: "XObject", Subtype: "Image", Width: width, Height: height, BitsPerComponent: bits },
    ColorSpace:
      colors.kind === "palette"
        ? ["Indexed", "DeviceRGB", colors.entries.length / 3 - 1, context.register(context.stream(colors.entries))]
        : colors.kind === "gray"
          ? "DeviceGray"
          : "DeviceRGB",
    ...(hidden ? { Mask: [...hidden] } : {}),
  };
  if (packed === "pixels") return context.flateStream(bytes, about);
  if (packed === "jpeg") return context.stream(bytes, { ...about, Filter: "DCTDecode" });
  const DecodeParms = { Predictor: 15, Colors: channels, BitsPerComponent: bits, Columns: width };
  return context.stream(bytes, { ...about, Filter: "FlateDecode", DecodeParms });
}

const ruleLines = ({ x, y, toX, toY }: Mark & { kind: "rule" }): string[] => [
  `${decimal(RULE_WIDTH)} w`,
  `${decimal(x)} ${decimal(y)} m`,
  `${decimal(toX)} ${decimal(toY)} l`,
  "S",
];

const decimal = (value: number): string => String(Math.round(value * 100) / 100);
