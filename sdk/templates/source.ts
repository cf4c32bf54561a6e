import { createHash } from "node:crypto";
import type { PageSize } from "./markdown/pages.js";
import type { VariableValue } from "./variables.js";

/** A template as it is rendered. */
export type Source = MarkdownSource | { readonly kind: "form"; readonly bytes: Uint8Array };

export interface MarkdownSource {
  readonly kind: "markdown";
  readonly text: string;
  /** Clauses and images, by their paths from the template's folder. */
  readonly parts: ReadonlyMap<string, Part>;
}

export type Part =
  | { readonly kind: "clause"; readonly text: string }
  | { readonly kind: "image"; readonly bytes: Uint8Array }
  | { readonly kind: "missing"; readonly reason: string };

/** One TrueType or OpenType file, by the name that messages use. */
export interface FontFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Everything that the bytes of a PDF depend on, besides the version of this package. */
export interface RenderRequest {
  readonly source: Source;
  readonly variables: Readonly<Record<string, VariableValue>>;
  readonly fonts: readonly FontFile[];
  readonly pageSize: PageSize;
  readonly pageNumbers: boolean;
  readonly title: string | undefined;
}

/** A file's content as a template: a PDF is a form, any other UTF-8 text is Markdown; undefined for anything else. */
export function sourceIn(bytes: Uint8Array): Source | undefined {
  if (Buffer.from(bytes.subarray(0, 5)).toString("latin1") === "%PDF-") return { kind: "form", bytes };
  const text = textIn(bytes);
  return text === undefined ? undefined : { kind: "markdown", text, parts: new Map() };
}

export const markdown = (text: string): MarkdownSource => ({
  kind: "markdown",
  text: normalizedText(text),
  parts: new Map(),
});

/** A file's text as templates are compared; undefined where it isn't UTF-8. */
export function textIn(bytes: Uint8Array): string | undefined {
  try {
    return normalizedText(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

const BLANK = new Set([" ", "\t", "\n"]);

/**
 * A checkout may have other line endings than the next one, and some systems take accents apart. An editor may add a line
 * break at the end, or take blank lines away.
 */
function normalizedText(given: string): string {
  const written = given
    .replace(/^\ufeff/, "")
    .replace(/\r\n?/g, "\n")
    .normalize("NFC");
  let end = written.length;
  while (end > 0 && BLANK.has(written.charAt(end - 1))) end--;
  return `${written.slice(0, end)}\n`;
}

/**
 * What tells a template from another: its own hash where it is one file, otherwise that of all its files. A file that isn't
 * there isn't one: what names it is refused, or is text that only looks like a name.
 */
export function sourceHash(source: Source): string {
  const own = hashOf(source.kind === "form" ? source.bytes : source.text);
  if (source.kind === "form") return own;
  const parts = [...source.parts]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([path, part]) =>
      part.kind === "missing" ? [] : [[path, part.kind, hashOf(part.kind === "image" ? part.bytes : part.text)]],
    );
  return parts.length === 0 ? own : hashOf(JSON.stringify([own, ...parts]));
}

const hashOf = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex");
