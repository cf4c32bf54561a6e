import { Marked as Markdown, type Token, type Tokens } from "marked";
import type { Style } from "../faces.js";
import type { Expanded } from "../language/expand.js";
import { locationText } from "../language/files.js";
import { withoutMarks } from "../language/references.js";
import { ofLatest } from "../latest.js";
import { refuse } from "../problems.js";
import { fill, type Marked, OPEN } from "../variables.js";
import { type BandLine, type Letterhead, readBand, readLetterhead } from "./bands.js";
import { type Images, type SizedImage, sizedImage } from "./images.js";

const REFUSED = new Map([
  ["image", "an image within a text (it takes a paragraph of its own)"],
  ["del", "struck-out text"],
  ["checkbox", "a box to tick"],
]);

/** Text in one style; a line feed is a line break the author asked for. */
export interface Piece extends Style {
  readonly text: string;
}

/** `location` is where a block begins in the template, of those that aren't in another. */
export type Block = { readonly location?: string } & (
  | { readonly kind: "heading"; readonly level: number; readonly pieces: readonly Piece[] }
  | { readonly kind: "paragraph"; readonly pieces: readonly Piece[] }
  | {
      readonly kind: "list";
      readonly start: number | null;
      readonly loose: boolean;
      readonly items: readonly (readonly Block[])[];
    }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] }
  | { readonly kind: "table"; readonly rows: readonly (readonly Cell[])[] }
  | { readonly kind: "rule" }
  | { readonly kind: "page-break" }
  | { readonly kind: "image"; readonly image: SizedImage }
  | ({ readonly kind: "letterhead" } & Letterhead)
  | { readonly kind: "signatures"; readonly signers: readonly (readonly string[])[] }
);

/** What a contract prints: its text, and what stands above and below it on every page. */
export interface Content {
  readonly blocks: readonly Block[];
  readonly header: readonly BandLine[] | undefined;
  readonly footer: readonly BandLine[] | undefined;
}

export interface Cell {
  readonly pieces: readonly Piece[];
  readonly align: "left" | "center" | "right";
}

/** Reads Markdown into what a contract is made of. Whatever else Markdown can say is refused, all at once. */
export function readContent(template: Expanded, images: Images): Content {
  const reader = new Reader(template, images);
  let line = 1;
  const blocks = tokensOf(template.text).flatMap(token => {
    const location = locationText(template.locations, line);
    line += token.raw.split("\n").length - 1;
    return reader.blocks([token]).map(block => withLocation(block, location));
  });
  refuse(reader.problems);
  return { blocks, header: reader.bands.get("header"), footer: reader.bands.get("footer") };
}

const tokensOf = ofLatest((text: string) => new Markdown({ gfm: true }).lexer(text));

const located = new WeakMap<Block, Block>();

/** The same object for the same block: what is laid out is remembered by it. */
function withLocation(block: Block, location: string): Block {
  const known = located.get(block);
  if (known?.location === location) return known;
  const made = { ...block, location };
  located.set(block, made);
  return made;
}

/** Blocks without values, images and problems: they are the same in every row's contract. */
const shared = new WeakMap<Token, Block[]>();

class Reader {
  readonly problems: string[] = [];
  readonly bands = new Map<string, readonly BandLine[]>();
  /** How often something was read that may be other in another row. */
  #varying = 0;

  constructor(
    private readonly template: Marked,
    private readonly images: Images,
  ) {}

  blocks(tokens: readonly Token[]): Block[] {
    return tokens.flatMap(token => {
      const known = shared.get(token);
      if (known) return known;
      const before = this.#varying + this.problems.length;
      const blocks = this.#block(token as Tokens.Generic);
      if (this.#varying + this.problems.length === before) shared.set(token, blocks);
      return blocks;
    });
  }

  #block(token: Tokens.Generic): Block[] {
    switch (token.type) {
      case "space":
      case "def":
        return [];
      case "heading":
        return [{ kind: "heading", level: token["depth"], pieces: this.#pieces(token.tokens ?? []) }];
      case "paragraph":
        return this.#paragraph(token);
      case "text":
        return [{ kind: "paragraph", pieces: this.#pieces(token.tokens ?? [token]) }];
      case "list":
        return [this.#list(token as Tokens.List)];
      case "blockquote":
        return [{ kind: "quote", blocks: this.blocks(token.tokens ?? []) }];
      case "table":
        return [this.#table(token as Tokens.Table)];
      case "hr":
        return [{ kind: "rule" }];
      case "code":
        return this.#code(token as Tokens.Code);
      case "html":
        return this.#html(token.raw);
      default:
        return this.#refuse(token);
    }
  }

  /** An image has a paragraph to itself. */
  #paragraph(token: Tokens.Generic): Block[] {
    const [only, ...more] = token.tokens ?? [];
    if (only?.type !== "image" || more.length > 0)
      return [{ kind: "paragraph", pieces: this.#pieces(token.tokens ?? [token]) }];
    const { href, title } = only as Tokens.Image;
    this.#varying++;
    const image = sizedImage(this.images, { address: href, size: title ?? undefined }, this.problems);
    return image ? [{ kind: "image", image }] : [];
  }

  #list({ ordered, start, loose, items }: Tokens.List): Block {
    if (items.some(item => item.task)) this.problems.push("a list of tasks ([ ]) can't be printed; use a plain list");
    const blocks = items.map(item => this.blocks(item.tokens));
    return { kind: "list", start: ordered ? Number(start) : null, loose, items: blocks };
  }

  #table({ header, rows }: Tokens.Table): Block {
    const cell = (bold: boolean) => (one: Tokens.TableCell) => ({
      pieces: this.#pieces(one.tokens, { bold, italic: false }),
      align: one.align ?? ("left" as const),
    });
    return { kind: "table", rows: [header.map(cell(true)), ...rows.map(row => row.map(cell(false)))] };
  }

  #code({ lang = "", text }: Tokens.Code): Block[] {
    this.#varying++;
    const fill = (part: string, literal: (text: string) => string) => this.#fill(part, literal);
    const reading = { images: this.images, fill, problems: this.problems };
    if (lang === "header" || lang === "footer") {
      if (this.bands.has(lang)) this.problems.push(`expected one \`\`\`${lang}, got another`);
      this.bands.set(lang, readBand(text, reading));
      return [];
    }
    if (lang === "letterhead") return [{ kind: "letterhead", ...readLetterhead(text, reading) }];
    if (lang !== "signatures") {
      this.problems.push(
        "a code block can't be printed; those that a contract has are ```signatures, ```letterhead, ```header and ```footer",
      );
      return [];
    }
    const lines = text.split("\n").filter(line => line.trim() !== "");
    const signers = lines.map(line => line.split("|").map(part => this.#fill(part.trim(), withoutMarks)));
    return signers.length > 0 ? [{ kind: "signatures", signers }] : [];
  }

  #html(raw: string): Block[] {
    const comments = commentsIn(raw);
    if (!comments) {
      this.problems.push(`HTML can't be printed: ${firstLine(raw)}`);
      return [];
    }
    const breaks = comments.filter(comment => /^page-?break$/i.test(comment.trim()));
    return breaks.map(() => ({ kind: "page-break" as const }));
  }

  #pieces(tokens: readonly Token[], style: Style = { bold: false, italic: false }): Piece[] {
    return tokens.flatMap(token => this.#inline(token as Tokens.Generic, style));
  }

  #inline(token: Tokens.Generic, style: Style): Piece[] {
    const literal = (text: string) => [{ ...style, text }];
    switch (token.type) {
      case "text":
        if (token.tokens) return this.#pieces(token.tokens, style);
        return literal(this.#fill(onOneLine(token["text"]), unescaped));
      case "escape":
      case "codespan":
        return literal(this.#fill(onOneLine(token["text"]), withoutMarks));
      case "br":
        return literal("\n");
      case "strong":
        return this.#pieces(token.tokens ?? [], { ...style, bold: true });
      case "em":
        return this.#pieces(token.tokens ?? [], { ...style, italic: true });
      case "link":
        return this.#link(token as Tokens.Link, style);
      case "html":
        if (/^<br\s*\/?>$/i.test(token.raw)) return literal("\n");
        if (/^<!--[\s\S]*-->$/.test(token.raw)) return [];
        this.problems.push(`HTML can't be printed: ${firstLine(token.raw)}`);
        return [];
      default:
        return this.#refuse(token);
    }
  }

  /** On paper a link is its address. */
  #link({ href, text, tokens, raw }: Tokens.Link, style: Style): Piece[] {
    const pieces = this.#pieces(tokens, style);
    const isBare = !raw.startsWith("[") || text === href;
    return isBare ? pieces : [...pieces, { ...style, text: ` (${this.#fill(href, unescaped)})` }];
  }

  #refuse(token: Tokens.Generic): never[] {
    const what = REFUSED.get(token.type) ?? `Markdown's "${token.type}"`;
    this.problems.push(`${what} can't be printed: ${firstLine(token.raw)}`);
    return [];
  }

  #fill(text: string, literal: (text: string) => string): string {
    if (text.includes(OPEN)) this.#varying++;
    return fill(text, this.template, literal).normalize("NFC");
  }
}

/** What stands in the comments of HTML that is nothing else; undefined where it is. */
function commentsIn(raw: string): string[] | undefined {
  const text = raw.trim();
  const comments: string[] = [];
  let at = 0;
  do {
    const end = text.indexOf("-->", at + 4);
    if (!text.startsWith("<!--", at) || end < 0) return undefined;
    comments.push(text.slice(at + 4, end));
    at = end + 3;
    while (at < text.length && (text[at] ?? "").trim() === "") at++;
  } while (at < text.length);
  return comments;
}

const onOneLine = (text: string): string => (text.includes("\n") ? text.replace(/(?<!\s)\s*\n\s*/g, " ") : text);

const firstLine = (raw: string): string =>
  JSON.stringify((withoutMarks(raw).trim().split("\n")[0] ?? "").replace(/[\ue000\ue001]/g, "").slice(0, 60));

const NAMED = new Map(
  Object.entries({
    ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" },
    ...{ copy: "©", reg: "®", trade: "™", sect: "§", para: "¶", deg: "°", euro: "€", pound: "£" },
    ...{ ndash: "–", mdash: "—", hellip: "…", laquo: "«", raquo: "»", bull: "•", middot: "·" },
  }),
);

/** Character references as Markdown allows them. One that isn't known stays as it is written. */
export function unescaped(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED.get(name) ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    const printable = code >= 0x20 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    return printable ? String.fromCodePoint(code) : whole;
  });
}
