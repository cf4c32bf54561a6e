/** A template as it is rendered. */
export type Source =
  | { readonly kind: "markdown"; readonly text: string }
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

/** A checkout may have other line endings than the next one, and some systems take accents apart. */
export const markdown = (text: string): Source => ({
  kind: "markdown",
  text: text
    .replace(/^\ufeff/, "")
    .replace(/\r\n?/g, "\n")
    .normalize("NFC"),
});
