import type { Cells } from "./table.js";

/** A text of `defaults` with `{{column}}` in it. A backslash before the braces keeps them as they are. */
const COLUMN = /\\?\{\{([^{}\n]*)\}\}/g;

const nameIn = (inner: string): string => inner.trim().normalize("NFC");

/** The columns a text names, in order. */
export const columnsIn = (text: string): string[] =>
  [...text.matchAll(COLUMN)].filter(([whole]) => !whole.startsWith("\\")).map(([, inner]) => nameIn(inner ?? ""));

/** A text with the cells of a row in it. Nothing in a cell is read again. */
export const filled = (text: string, cells: Cells): string =>
  text.replace(COLUMN, (whole: string, inner: string) =>
    whole.startsWith("\\") ? whole.slice(1) : (cells.get(nameIn(inner)) ?? ""),
  );
