import { textProblems } from "../variables.js";
import { IMAGE_MARK, imagesIn, isMarkdown, pathFrom } from "./references.js";

/** A part of a template's file, with the line it begins on. */
export type Node =
  | { readonly kind: "text"; readonly text: string; readonly line: number }
  | { readonly kind: "value"; readonly name: string; readonly line: number }
  | { readonly kind: "clause"; readonly path: string; readonly line: number; readonly indent: string | undefined }
  | {
      readonly kind: "if";
      readonly name: string;
      readonly line: number;
      readonly holds: readonly Node[];
      readonly otherwise: readonly Node[];
    }
  | { readonly kind: "each"; readonly name: string; readonly line: number; readonly body: readonly Node[] };

export interface Problem {
  readonly line: number;
  readonly reason: string;
}

export interface ParsedFile {
  readonly nodes: readonly Node[];
  readonly problems: readonly Problem[];
  /** Paths of its images, each with the first line that has it. */
  readonly images: ReadonlyMap<string, number>;
}

const NAME = /^[\p{L}_][\p{L}\p{M}\p{N}_.-]*$/u;
/** `{{#if}}` and `{{#each}}` in one another. */
const DEEPEST = 10;

type Tag =
  | { readonly kind: "value" | "if" | "each"; readonly name: string }
  | { readonly kind: "clause"; readonly path: string }
  | { readonly kind: "else" | "end-if" | "end-each" };

interface Open {
  readonly kind: "file" | "if" | "each";
  readonly name: string;
  readonly line: number;
  readonly nodes: Node[];
  otherwise: Node[] | undefined;
}

/** Reads one file of a template: `path` is where it lies, seen from the template itself. */
export function parseFile(text: string, path: string): ParsedFile {
  const reader = new Reader(path);
  reader.read(text);
  return reader;
}

class Reader implements ParsedFile {
  readonly problems: Problem[] = [];
  readonly images = new Map<string, number>();
  /** Conditions and lists that were opened deeper than they may be. */
  #tooDeep = 0;
  readonly #open: Open[] = [{ kind: "file", name: "", line: 1, nodes: [], otherwise: undefined }];

  constructor(private readonly path: string) {}

  get nodes(): readonly Node[] {
    return this.#open[0]?.nodes ?? [];
  }

  read(text: string): void {
    for (const [index, line] of text.split("\n").entries())
      for (const reason of textProblems(line.replaceAll("\t", " "), "")) this.#problem(index + 1, reason.slice(2));
    const lineAt = lineCounter(text);
    let done = 0;
    for (const found of text.matchAll(/\\?\{\{([^{}\n]*)(\}\})?/g)) {
      const [whole, inner = "", closed] = found;
      if (whole.startsWith("\\")) continue;
      const line = lineAt(found.index);
      const tag = this.#tag(inner, closed !== undefined, line);
      const own = tag && tag.kind !== "value" ? ownLine(text, found.index, found.index + whole.length) : undefined;
      this.#text(text.slice(done, own?.from ?? found.index), lineAt(done));
      done = own?.to ?? found.index + whole.length;
      if (tag) this.#take(tag, line, own?.indent);
    }
    this.#text(text.slice(done), lineAt(done));
    for (const open of this.#open.slice(1).reverse()) {
      this.#problem(open.line, `{{#${open.kind} ${open.name}}} isn't closed by {{/${open.kind}}}`);
      this.#close(open);
    }
  }

  #problem(line: number, reason: string): void {
    this.problems.push({ line, reason });
  }

  #tag(inner: string, closed: boolean, line: number): Tag | undefined {
    const text = inner.trim().normalize("NFC");
    const shown = inner.slice(0, 40);
    if (!closed) {
      this.#problem(line, `{{${shown} isn't closed by }}; write \\{{ for the braces themselves`);
      return undefined;
    }
    if (text === "else") return { kind: "else" };
    if (/^\/\s*(if|each)$/.test(text)) return { kind: text.endsWith("if") ? "end-if" : "end-each" };
    if (text.startsWith(">")) return this.#clause(text.slice(1).trim(), line);
    const [, kind, named = ""] = /^#\s*(if|each)\s+(\S.*)$/.exec(text) ?? [];
    const name = kind === undefined ? text : named;
    if (!NAME.test(name)) {
      this.#problem(
        line,
        /^[#/]/.test(text) && kind === undefined
          ? `{{${shown}}} isn't known; there are {{#if name}}, {{else}}, {{/if}}, {{#each name}} and {{/each}}`
          : `{{${shown}}} isn't a variable's name: a letter first, then letters, digits, _ . -`,
      );
      return undefined;
    }
    return { kind: kind === "if" || kind === "each" ? kind : "value", name };
  }

  #clause(given: string, line: number): Tag | undefined {
    const found = pathFrom(this.path, given);
    if ("path" in found && isMarkdown(found.path)) return { kind: "clause", path: found.path };
    this.#problem(
      line,
      "wrong" in found ? found.wrong : `{{> ${found.path}}}: expected a clause in Markdown, got something else`,
    );
    return undefined;
  }

  #take(tag: Tag, line: number, indent: string | undefined): void {
    const top = this.#open.at(-1);
    if (!top) return;
    switch (tag.kind) {
      case "value":
        this.#add({ kind: "value", name: tag.name, line });
        break;
      case "clause":
        this.#add({ kind: "clause", path: tag.path, line, indent });
        break;
      case "if":
      case "each": {
        const open: Open = { kind: tag.kind, name: tag.name, line, nodes: [], otherwise: undefined };
        if (this.#open.length <= DEEPEST) this.#open.push(open);
        else {
          this.#problem(line, `expected {{#if}} and {{#each}} at most ${DEEPEST} deep, got more`);
          // Whoever goes through the parts goes into each: what is in this one is read as if it stood around it.
          this.#tooDeep++;
          this.#add(partOf(open));
        }
        break;
      }
      case "else":
        if (this.#tooDeep > 0) break;
        if (top.kind === "if" && top.otherwise === undefined) top.otherwise = [];
        else this.#problem(line, "{{else}} stands in no {{#if}}, or is its second");
        break;
      case "end-if":
      case "end-each": {
        const kind = tag.kind === "end-if" ? "if" : "each";
        if (this.#tooDeep > 0) {
          this.#tooDeep--;
          break;
        }
        if (top.kind === kind) this.#close(top);
        else
          this.#problem(
            line,
            top.kind === "file"
              ? `{{/${kind}}} closes nothing`
              : `expected {{/${top.kind}}} for line ${top.line}, got {{/${kind}}}`,
          );
      }
    }
  }

  #close(open: Open): void {
    this.#open.pop();
    if (open.kind !== "file") this.#add(partOf(open));
  }

  #add(node: Node): void {
    const top = this.#open.at(-1);
    (top?.otherwise ?? top?.nodes)?.push(node);
  }

  /** Text between tags, its images' paths as marks that mean the same in every file. */
  #text(text: string, line: number): void {
    if (text === "") return;
    const at = text.includes("![") ? lineCounter(text) : undefined;
    const marked = at
      ? imagesIn(text, (path, offset) => {
          const found = pathFrom(this.path, path);
          const here = line + at(offset) - 1;
          if ("wrong" in found) {
            this.#problem(here, found.wrong);
            return path;
          }
          if (!this.images.has(found.path)) this.images.set(found.path, here);
          return `${IMAGE_MARK}${encoded(found.path)}`;
        })
      : text;
    this.#add({ kind: "text", text: marked, line });
  }
}

const partOf = ({ kind, name, line, nodes, otherwise }: Open): Node =>
  kind === "each"
    ? { kind, name, line, body: nodes }
    : { kind: "if", name, line, holds: nodes, otherwise: otherwise ?? [] };

/** As an address that Markdown takes whole. */
const encoded = (path: string): string =>
  encodeURIComponent(path.toWellFormed()).replace(
    /[!'()*_~]/g,
    char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** The whole line of a tag that has it to itself. */
function ownLine(
  text: string,
  start: number,
  end: number,
): { readonly from: number; readonly to: number; readonly indent: string } | undefined {
  let from = start;
  while (text[from - 1] === " " || text[from - 1] === "\t") from--;
  let to = end;
  while (text[to] === " " || text[to] === "\t") to++;
  const begins = from === 0 || text[from - 1] === "\n";
  if (!begins || (to < text.length && text[to] !== "\n")) return undefined;
  return { from, to: Math.min(to + 1, text.length), indent: text.slice(from, start) };
}

/** The line at an offset. */
function lineCounter(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return offset => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
