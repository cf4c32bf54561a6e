import { ofLatest } from "../latest.js";
import { MOST_CHARACTERS } from "../markdown/limits.js";
import { refuse } from "../problems.js";
import type { MarkdownSource } from "../source.js";
import { CLOSE, type ListItem, type Marked, OPEN, type Variables } from "../variables.js";
import { type Files, filesOf, type SourceLocation } from "./files.js";
import { MOST_PARTS, Names, TOO_MANY_PARTS } from "./names.js";
import type { Node } from "./parse.js";

/** A template as one Markdown text. */
export interface Expanded extends Marked {
  /** Characters, without marks and, where names stand in place of values, without these. */
  readonly size: number;
  /** Where each line comes from. */
  readonly locations: readonly SourceLocation[];
  /** Images by path, each with where it is first. */
  readonly images: ReadonlyMap<string, SourceLocation>;
}

/** Clauses in clauses. */
const DEEPEST = 10;

/**
 * Puts a template together: its clauses, those parts that its variables ask for, as often as they do. Names without a
 * variable, and all else that is wrong with a file, is refused with its line. `unknown` are variables whose values come later.
 */
export function expand(source: MarkdownSource, variables: Variables, unknown: ReadonlySet<string>): Expanded {
  const files = filesOf(source);
  const names = new Names(files, variables, unknown);
  refuse(names.problems);
  if (names.isFlat) {
    // It is the same text for every row.
    const flat = flatOf(source);
    const values = flat.values.map(name => textOf(variables.get(name)));
    if (values.reduce((sum, value) => sum + value.length, flat.size) > MOST_CHARACTERS) refuse([TOO_LONG]);
    return { ...flat, values };
  }
  return new Builder(files, variables).made();
}

const TOO_LONG = `the template: expected at most ${MOST_CHARACTERS} characters with its variables filled in, got more`;

/** A template without conditions and lists, with names in place of values. */
const flatOf = ofLatest((source: MarkdownSource) => new Builder(filesOf(source), undefined).made());

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

interface Scope {
  readonly item: ListItem;
  readonly outer: Scope | undefined;
}

class Builder {
  readonly #parts: string[] = [];
  readonly #values: string[] = [];
  readonly #locations: SourceLocation[] = [{ file: "", line: 1 }];
  readonly #images = new Map<string, SourceLocation>();
  #atStart = true;
  #indent = "";
  #size = 0;
  #steps = 0;

  constructor(
    private readonly files: Files,
    /** Undefined where names stand in place of values. */
    private readonly variables: Variables | undefined,
  ) {}

  made(): Expanded {
    this.#file("", undefined, 0);
    return {
      ...{ text: this.#parts.join(""), values: this.#values, size: this.#size },
      ...{ locations: this.#locations, images: this.#images },
    };
  }

  #file(path: string, scope: Scope | undefined, depth: number): void {
    const file = this.files.file(path);
    if (!file || depth > DEEPEST) return;
    for (const [image, line] of file.images)
      if (!this.#images.has(image)) this.#images.set(image, { file: path, line });
    this.#nodes(file.nodes, path, scope, depth);
  }

  #nodes(nodes: readonly Node[], file: string, scope: Scope | undefined, depth: number): void {
    for (const node of nodes) {
      if (++this.#steps > MOST_PARTS) refuse([TOO_MANY_PARTS]);
      switch (node.kind) {
        case "text":
          this.#text(node.text, file, node.line);
          break;
        case "value":
          this.#value(this.#resolved(node.name, scope), { file, line: node.line });
          break;
        case "clause":
          this.#clause(node, scope, depth);
          break;
        case "if":
          this.#nodes(this.#holds(node.name, scope) ? node.holds : node.otherwise, file, scope, depth);
          break;
        case "each": {
          // Nothing is printed of its items, and nothing would count them.
          if (node.body.length === 0) break;
          const list = this.variables?.get(node.name);
          for (const item of Array.isArray(list) ? (list as readonly ListItem[]) : [])
            this.#nodes(node.body, file, { item, outer: scope }, depth);
        }
      }
    }
  }

  #clause({ path, indent }: Node & { kind: "clause" }, scope: Scope | undefined, depth: number): void {
    const before = this.#indent;
    const start = this.#parts.length;
    this.#indent += indent ?? "";
    this.#file(path, scope, depth + 1);
    this.#indent = before;
    const last = this.#parts.at(-1);
    if (indent === undefined) {
      // Within a line: the line goes on after the clause.
      if (this.#parts.length > start && last?.endsWith("\n")) {
        this.#parts[this.#parts.length - 1] = last.slice(0, -1);
        this.#locations.pop();
        this.#atStart = false;
      }
    } else if (!this.#atStart) this.#text("\n", this.#locations.at(-1)?.file ?? "", this.#locations.at(-1)?.line ?? 1);
  }

  #text(text: string, file: string, line: number): void {
    let at = line;
    let from = 0;
    while (from < text.length) {
      const end = text.indexOf("\n", from);
      const to = end < 0 ? text.length : end + 1;
      const isEmpty = end === from;
      if (this.#atStart) this.#begin({ file, line: at }, !isEmpty);
      this.#put(text.slice(from, to));
      if (end >= 0) {
        at++;
        this.#locations.push({ file, line: at });
        this.#atStart = true;
      }
      from = to;
    }
  }

  #begin(location: SourceLocation, indented: boolean): void {
    this.#locations[this.#locations.length - 1] = location;
    this.#atStart = false;
    if (indented && this.#indent !== "") this.#put(this.#indent);
  }

  #value(value: string, location: SourceLocation): void {
    if (this.#atStart) this.#begin(location, true);
    this.#parts.push(`${OPEN}${this.#values.length}${CLOSE}`);
    if (this.variables) this.#count(value.length);
    this.#values.push(value);
  }

  #put(text: string): void {
    this.#parts.push(text);
    this.#count(text.length);
  }

  #count(more: number): void {
    this.#size += more;
    if (this.#size > MOST_CHARACTERS) refuse([TOO_LONG]);
  }

  #resolved(name: string, scope: Scope | undefined): string {
    if (!this.variables) return name;
    for (let here = scope; here; here = here.outer) {
      if (typeof here.item === "string") {
        if (name === "this") return here.item;
      } else if (Object.hasOwn(here.item, name)) return here.item[name] ?? "";
    }
    return textOf(this.variables.get(name));
  }

  #holds(name: string, scope: Scope | undefined): boolean {
    const value = this.variables?.get(name);
    const inItem = this.#resolved(name, scope);
    if (scope && inItem !== "") return true;
    return Array.isArray(value) ? value.length > 0 : value === true || inItem !== "";
  }
}
