import { isRecord } from "../../../kit/values.js";
import { identityOf } from "../../../provider/core/same.js";
import { atOnce } from "../../../provider/core/turns.js";
import { readTable, rowsOfDocuments, rowsOfTable, type SetRow } from "../../../provider/resources/document-set/rows.js";
import { assetIn, type Inputs, isHidden } from "./contents.js";
import type { Finder } from "./finder.js";

/** A row of a set, before and after. */
export interface Pair {
  readonly key: string;
  readonly before: Inputs | undefined;
  readonly after: Inputs;
}

interface Sides {
  readonly before: Finder;
  readonly after: Finder;
  readonly base: string;
}

type RowsResult = { readonly rows: readonly SetRow[] } | { readonly wrong: string };

/** The rows that a set would have, each with what it was. `withoutOld`: also where that can't be told. */
export function rowsOf(
  before: Inputs | undefined,
  after: Inputs,
  sides: Sides,
  withoutOld: boolean,
): { readonly pairs: readonly Pair[]; readonly wrongBefore?: string } | { readonly wrong: string } {
  const fresh = rowsIn(after, sides.after, "this folder");
  if ("wrong" in fresh) return fresh;
  const old: RowsResult = before ? rowsIn(before, sides.before, sides.base) : { rows: [] };
  const wrongBefore = "wrong" in old ? old.wrong : undefined;
  if (wrongBefore !== undefined && !withoutOld) return { wrong: wrongBefore };
  const rows = "rows" in old ? old.rows : [];
  const known = new Map(rows.map(({ key, inputs }) => [identityOf(key), inputs]));
  const pairs = fresh.rows.map(({ key, inputs }) => ({ key, before: known.get(identityOf(key)), after: inputs }));
  return { pairs, ...(wrongBefore === undefined ? {} : { wrongBefore }) };
}

function rowsIn({ documents, table, key, defaults = {} }: Inputs, finder: Finder, where: string): RowsResult {
  if (!isRecord(defaults) || isHidden(defaults)) return { wrong: "its defaults aren't known yet, or are secret" };
  if (isRecord(documents) && !isHidden(documents)) return rowsOfDocuments(documents, defaults);
  const asset = assetIn(table);
  if (asset === undefined || typeof key !== "string") return { wrong: "its rows aren't known yet, or are secret" };
  const bytes = finder.file(asset);
  const read = bytes && readTable(bytes);
  if (!read || "mistakes" in read) return { wrong: `its table is no file of ${where}` };
  return atOnce(rowsOfTable(read.table, key, defaults));
}
