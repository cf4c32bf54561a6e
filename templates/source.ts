/** A template as it is rendered. */
export type Source =
  | {
      readonly kind: "markdown";
      readonly text: string;
      /** The same with the blank end that it was written with, where that is another. */
      readonly written?: string;
    }
  | { readonly kind: "form"; readonly bytes: Uint8Array };

/** A file's content as a template: a PDF is a form, any other UTF-8 text is Markdown; undefined for anything else. */
export function sourceIn(bytes: Uint8Array): Source | undefined {
  if (Buffer.from(bytes.subarray(0, 5)).toString("latin1") === "%PDF-") return { kind: "form", bytes };
  try {
    return markdown(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

const BLANK = new Set([" ", "\t", "\n"]);

/**
 * A checkout may have other line endings than the next one, some systems take accents apart, and an editor may add a line
 * break at the end, or take blank lines away.
 */
export function markdown(given: string): Source {
  const written = given
    .replace(/^\ufeff/, "")
    .replace(/\r\n?/g, "\n")
    .normalize("NFC");
  let end = written.length;
  while (end > 0 && BLANK.has(written.charAt(end - 1))) end--;
  const text = `${written.slice(0, end)}\n`;
  return { kind: "markdown", text, ...(text === written ? {} : { written }) };
}
