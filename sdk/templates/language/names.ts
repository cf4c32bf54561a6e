import { refuse } from "../problems.js";
import type { MarkdownSource } from "../source.js";
import type { ListItem, Variables } from "../variables.js";
import { type Files, filesOf, placeText, type SourceLocation } from "./files.js";
import type { Node } from "./parse.js";

const MOST_CLAUSES = 1_000;
/** Parts that are put together: clauses, repeated ones and what stands between them. */
export const MOST_PARTS = 200_000;
export const TOO_MANY_PARTS = `the template: expected at most ${MOST_PARTS} parts, clauses and repeated ones counted, got more`;
const DEEPEST = 10;

/** A list that is repeated: its items, or undefined while they aren't known. */
interface Repeated {
  readonly name: string;
  readonly items: readonly ListItem[] | undefined;
  readonly outer: Repeated | undefined;
}

/** A field of a list's items. */
interface Field {
  /** The first item without it, or -1. */
  readonly lacks: number;
  readonly some: boolean;
  /** A value of it that somebody may mean for a no. */
  readonly negative: string | undefined;
}

const isNegative = (value: unknown): boolean => typeof value === "string" && /^(no|false|0)$/i.test(value.trim());

/**
 * Goes through all that a template may print, whatever its variables are, and compares the names it uses with those that
 * have a value.
 */
export class Names {
  readonly problems: string[] = [];
  readonly #used = new Set<string>();
  readonly #usedFields = new Map<string, Set<string>>();
  readonly #reported = new Set<string>();
  /** By list and name. */
  readonly #fields = new Map<string, Map<string, Field>>();
  #clauses = 0;
  #parts = 0;
  /** Whether it has neither conditions nor lists, so that its Markdown is the same whatever the values are. */
  isFlat = true;

  constructor(
    private readonly files: Files,
    private readonly variables: Variables,
    private readonly unknown: ReadonlySet<string>,
  ) {
    this.#file("", undefined, []);
    for (const [path, file] of files.all)
      for (const { line, reason } of file.problems) this.problems.push(`${placeText({ file: path, line })}: ${reason}`);
    for (const [name, value] of variables) {
      if (!this.#used.has(name)) this.problems.push(`variable ${name} isn't used by the template`);
      else if (Array.isArray(value)) this.#unusedFields(name, value);
    }
  }

  #unusedFields(list: string, items: readonly ListItem[]): void {
    const used = this.#usedFields.get(list);
    if (used === undefined) return;
    const fields = new Set(items.flatMap(item => (typeof item === "string" ? [] : Object.keys(item))));
    for (const field of fields)
      if (!used.has(field)) this.problems.push(`variable ${list}: the field ${field} isn't used by the template`);
  }

  #say(location: SourceLocation, reason: string): void {
    if (this.#reported.has(reason)) return;
    this.#reported.add(reason);
    this.problems.push(`${placeText(location)}: ${reason}`);
  }

  /** A clause is gone through each time that it is named, and a list for each of its fields. */
  #count(more: number): void {
    this.#parts += more;
    if (this.#parts > MOST_PARTS) refuse([TOO_MANY_PARTS]);
  }

  #file(path: string, list: Repeated | undefined, from: readonly string[]): void {
    const file = this.files.file(path);
    if (file) this.#nodes(file.nodes, path, list, [...from, path]);
  }

  #nodes(nodes: readonly Node[], file: string, list: Repeated | undefined, from: readonly string[]): void {
    for (const node of nodes) {
      this.#count(1);
      if (node.kind === "text") continue;
      const location = { file, line: node.line };
      if (node.kind === "value") this.#value(node.name, location, list);
      else if (node.kind === "clause") this.#clause(node.path, location, list, from);
      else {
        this.isFlat = false;
        if (node.kind === "if") {
          this.#condition(node.name, location, list);
          this.#nodes(node.holds, file, list, from);
          this.#nodes(node.otherwise, file, list, from);
        } else this.#nodes(node.body, file, this.#list(node.name, location, list), from);
      }
    }
  }

  #clause(path: string, location: SourceLocation, list: Repeated | undefined, from: readonly string[]): void {
    if (from.includes(path)) {
      const circle = [...from.slice(from.indexOf(path)), path].map(each => each || "the template");
      this.#say(location, `a clause can't hold itself: ${circle.join(" → ")}`);
    } else if (from.length > DEEPEST) this.#say(location, `expected clauses at most ${DEEPEST} deep, got more`);
    else if (++this.#clauses > MOST_CLAUSES)
      this.#say(location, `expected clauses at most ${MOST_CLAUSES} times, got more`);
    else if (!this.files.file(path)) this.#say(location, `{{> ${path}}}: ${this.files.wrongWith(path)}`);
    else this.#file(path, list, from);
  }

  /** Where a name in a list is looked for: its items, and then what is around it. */
  #inItems(name: string, list: Repeated | undefined): "unknown" | "all" | "none" | { readonly missing: string } {
    for (let here = list; here; here = here.outer) {
      if (here.items === undefined || here.items.length === 0) return "unknown";
      const { lacks, some } = this.#fieldOf(here.name, here.items, name);
      if (lacks < 0) return "all";
      if (some) return { missing: `${here.name}[${lacks}]` };
    }
    return "none";
  }

  /** Which items have a field. A template may name it thousands of times, and a list has thousands of items. */
  #fieldOf(list: string, items: readonly ListItem[], name: string): Field {
    const fields = this.#fields.get(list) ?? new Map<string, Field>();
    this.#fields.set(list, fields);
    const known = fields.get(name);
    if (known) return known;
    this.#count(items.length);
    const valueIn = (item: ListItem) =>
      typeof item === "string"
        ? name === "this"
          ? item
          : undefined
        : Object.hasOwn(item, name)
          ? item[name]
          : undefined;
    const values = items.map(valueIn);
    const field = {
      lacks: values.indexOf(undefined),
      some: values.some(value => value !== undefined),
      negative: values.find(isNegative),
    };
    fields.set(name, field);
    if (field.some) this.#usedFields.set(list, (this.#usedFields.get(list) ?? new Set()).add(name));
    return field;
  }

  #value(name: string, location: SourceLocation, list: Repeated | undefined): void {
    const found = this.#inItems(name, list);
    if (found === "all") return;
    if (typeof found === "object") {
      this.#say(location, `{{${name}}} has no value in ${found.missing}`);
      return;
    }
    this.#used.add(name);
    const value = this.variables.get(name);
    if (found === "unknown" || this.unknown.has(name) || typeof value === "string") return;
    if (value === undefined)
      this.#say(location, `{{${name}}} has no variable${list ? `, and ${list.name} has no such field` : ""}`);
    else
      this.#say(
        location,
        typeof value === "boolean"
          ? `{{${name}}}: expected text, got true or false; ask for it with {{#if ${name}}}`
          : `{{${name}}}: expected text, got a list; repeat it with {{#each ${name}}}`,
      );
  }

  #condition(name: string, location: SourceLocation, list: Repeated | undefined): void {
    const found = this.#inItems(name, list);
    if (found === "all") {
      if (list?.items) this.#plainAnswer(name, location, this.#fieldOf(list.name, list.items, name).negative);
      return;
    }
    if (typeof found === "object") {
      this.#say(location, `{{#if ${name}}} has no value in ${found.missing}`);
      return;
    }
    this.#used.add(name);
    if (found === "unknown" || this.unknown.has(name)) return;
    const value = this.variables.get(name);
    if (value === undefined) this.#say(location, `{{#if ${name}}} has no variable`);
    else this.#plainAnswer(name, location, value);
  }

  /** Any text counts as given, and somebody who writes "no" means something else. */
  #plainAnswer(name: string, location: SourceLocation, value: unknown): void {
    if (isNegative(value))
      this.#say(location, `{{#if ${name}}}: expected true, false, a text or an empty one, got "no", "false" or "0"`);
  }

  #list(name: string, location: SourceLocation, outer: Repeated | undefined): Repeated {
    this.#used.add(name);
    const value = this.variables.get(name);
    if (this.unknown.has(name)) return { name, items: undefined, outer };
    const used = this.#usedFields.get(name);
    if (!used) this.#usedFields.set(name, new Set());
    if (value === undefined) {
      const isField = outer !== undefined && !["none", "unknown"].includes(this.#inItems(name, outer) as string);
      this.#say(
        location,
        isField
          ? `{{#each ${name}}}: expected a variable with a list, got a field of ${outer.name}'s items, which are texts`
          : `{{#each ${name}}} has no variable`,
      );
    }
    if (value !== undefined && !Array.isArray(value))
      this.#say(
        location,
        `{{#each ${name}}}: expected a list, got ${typeof value === "string" ? "a text" : "true or false"}`,
      );
    return { name, items: Array.isArray(value) ? (value as readonly ListItem[]) : undefined, outer };
  }
}

/** The names that a template asks for: of texts and of conditions, those in repeated parts included. */
export function namesIn(source: MarkdownSource): readonly string[] {
  const files = filesOf(source);
  const names = new Set<string>();
  const seen = new Set<string>();
  const waiting = [""];
  const inNodes = (nodes: readonly Node[]): void => {
    for (const node of nodes) {
      if (node.kind === "clause") waiting.push(node.path);
      if (node.kind === "value" || node.kind === "if") names.add(node.name);
      if (node.kind === "if") inNodes([...node.holds, ...node.otherwise]);
      if (node.kind === "each") inNodes(node.body);
    }
  };
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    inNodes(files.file(path)?.nodes ?? []);
  }
  names.delete("this");
  return [...names];
}
