import type { Values } from "../../schema/values.js";
import { changesOf } from "../document/comparison.js";
import { describeChanges } from "../document/messages.js";
import { type Field, fieldsOf } from "./row-diff.js";
import { documentOutputsOf, packed, type RowState } from "./set-state.js";

interface ChangedRow {
  readonly row: RowState;
  /** The row's inputs in state, where state has them. */
  readonly before: Values | undefined;
  readonly news: Values;
  readonly fields: readonly Field[];
  readonly secrets: ReadonlySet<string>;
}

/**
 * What changed of a row, from what to what, where the document was made of the inputs in state: an update may have been
 * refused for this row. Otherwise state has hashes, and the names are all there is.
 */
export function describeRowChanges({ row, before, news, fields, secrets }: ChangedRow): string[] {
  const isSecret = ["documents", "table", "defaults"].some(name => secrets.has(name));
  if (isSecret || !before || packed(fieldsOf(before)) !== row.content)
    return fields.map(field => (field === "pdf" ? pdfInput(news) : field));
  const certain = changesOf(before, news, documentOutputsOf(row, "")).filter(change => !change.unknown);
  return describeChanges(certain, before, news, secrets);
}

const pdfInput = ({ file, template }: Values): string =>
  template !== undefined ? "template or variables" : file !== undefined ? "file" : "base64File";
