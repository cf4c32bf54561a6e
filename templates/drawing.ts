import type { PDFDocument, PDFFont, PDFOperator, PDFPage } from "@cantoo/pdf-lib";
import { type Face, fontToEmbed, type Run } from "./faces.js";
import type { Libraries } from "./libraries.js";

/** What a page holds, in points from its lower left corner: runs of text on a base line, and straight lines. */
export type Mark =
  | { readonly kind: "text"; readonly run: Run; readonly size: number; readonly x: number; readonly y: number }
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

/** Embeds the faces that are used, and only their used characters; then writes the marks. */
export class Pen {
  readonly #fonts = new Map<Face, { font: PDFFont; key: string }>();

  private constructor(
    private readonly libraries: Libraries,
    private readonly document: PDFDocument,
    private readonly tag: string,
  ) {}

  /** `tag` begins the names of embedded fonts: six capitals, others for other contents. */
  static async for(libraries: Libraries, document: PDFDocument, tag: string, marks: Iterable<Mark>): Promise<Pen> {
    const pen = new Pen(libraries, document, tag);
    for (const mark of marks) if (mark.kind === "text") await pen.#embed(mark.run.face);
    return pen;
  }

  async #embed(face: Face): Promise<void> {
    if (this.#fonts.has(face)) return;
    const options = { subset: true, customName: `${this.tag}+${face.name}` };
    this.document.registerFontkit({ create: () => fontToEmbed(this.libraries, face) } as never);
    const font = await this.document.embedFont(face.bytes, options);
    this.#fonts.set(face, { font, key: `Contract${this.#fonts.size + 1}` });
  }

  write(page: PDFPage, marks: readonly Mark[]): void {
    for (const face of new Set(marks.flatMap(mark => (mark.kind === "text" ? [mark.run.face] : [])))) {
      const { key, font } = this.#embedded(face);
      page.node.setFontDictionary(this.libraries.pdfLib.PDFName.of(key), font.ref);
    }
    page.pushOperators(...marks.flatMap(mark => (mark.kind === "text" ? this.#text(mark) : this.#rule(mark))));
  }

  #embedded(face: Face): { font: PDFFont; key: string } {
    const known = this.#fonts.get(face);
    if (!known) throw new Error(`the face ${face.name} isn't embedded`);
    return known;
  }

  #text({ run, size, x, y }: Mark & { kind: "text" }): PDFOperator[] {
    const known = this.#embedded(run.face);
    return [
      this.#operator("BT"),
      this.#operator("Tf", `/${known.key}`, decimal(size)),
      this.#operator("Td", decimal(x), decimal(y)),
      ...this.#glyphs(run, known.font, size),
      this.#operator("ET"),
    ];
  }

  /** Kerning and the places of combining marks, which a plain string of glyphs would lose. */
  #glyphs({ face, text }: Run, font: PDFFont, size: number): PDFOperator[] {
    const { glyphs, positions } = face.font.layout(text);
    const ids = font.encodeText(text).asString().match(/.{4}/g) ?? [];
    const thousandth = 1000 / face.unitsPerEm;
    const operators: PDFOperator[] = [];
    let shown = "";
    const move = (units: number) => {
      const by = Math.round(-units * thousandth);
      if (by !== 0) shown += ` ${by} `;
    };
    const flush = () => {
      if (shown !== "") operators.push(this.#operator("TJ", `[${shown}]`));
      shown = "";
    };
    positions.forEach(({ xAdvance, xOffset, yOffset }, index) => {
      const ownAdvance = glyphs[index]?.advanceWidth ?? 0;
      if (yOffset !== 0) {
        flush();
        operators.push(this.#operator("Ts", decimal((yOffset * size) / face.unitsPerEm)));
      }
      move(xOffset);
      shown += `<${ids[index]}>`;
      if (yOffset !== 0) {
        flush();
        operators.push(this.#operator("Ts", "0"));
      }
      move(xAdvance - ownAdvance - xOffset);
    });
    flush();
    return operators;
  }

  #rule({ x, y, toX, toY }: Mark & { kind: "rule" }): PDFOperator[] {
    return [
      this.#operator("w", decimal(RULE_WIDTH)),
      this.#operator("m", decimal(x), decimal(y)),
      this.#operator("l", decimal(toX), decimal(toY)),
      this.#operator("S"),
    ];
  }

  #operator(name: string, ...args: string[]): PDFOperator {
    return this.libraries.pdfLib.PDFOperator.of(name as never, args);
  }
}

const decimal = (value: number): string => String(Math.round(value * 100) / 100);
