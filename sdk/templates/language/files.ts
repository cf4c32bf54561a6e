import { ofLatest } from "../latest.js";
import type { MarkdownSource } from "../source.js";
import { type ParsedFile, parseFile } from "./parse.js";

/** A line of one of a template's files; the template itself has no name. */
export interface SourceLocation {
  readonly file: string;
  readonly line: number;
}

export const placeText = ({ file, line }: SourceLocation): string =>
  file === "" ? `line ${line}` : `${file}, line ${line}`;

/** Where a line of a template that was put together comes from. */
export const locationText = (locations: readonly SourceLocation[], line: number): string =>
  placeText(locations[line - 1] ?? { file: "", line });

/** The files of one template, read. */
export class Files {
  readonly #parsed = new Map<string, ParsedFile>();

  constructor(private readonly source: MarkdownSource) {}

  /** A clause, or the template itself; undefined for one that isn't there. */
  file(path: string): ParsedFile | undefined {
    const known = this.#parsed.get(path);
    if (known) return known;
    const part = this.source.parts.get(path);
    const text = path === "" ? this.source.text : part?.kind === "clause" ? part.text : undefined;
    if (text === undefined) return undefined;
    const file = parseFile(text, path);
    this.#parsed.set(path, file);
    return file;
  }

  wrongWith(path: string): string {
    const part = this.source.parts.get(path);
    if (part === undefined) return "expected fewer clauses and images, got more than a template may have";
    return part.kind === "missing" ? part.reason : "expected a clause in Markdown, got something else";
  }

  /** Every file that was read, the template first. */
  get all(): ReadonlyMap<string, ParsedFile> {
    return this.#parsed;
  }
}

export const filesOf = ofLatest((source: MarkdownSource) => new Files(source));
