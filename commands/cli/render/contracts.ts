import { createHash } from "node:crypto";
import { join } from "node:path";
import { isRecord, type Value, type Values } from "../../../kit/values.js";
import { identityOf } from "../../../provider/core/same.js";
import { atOnce } from "../../../provider/core/turns.js";
import { readTable, rowsOfTable, type SetRow, type Table } from "../../../provider/resources/document-set/rows.js";
import type { VariableValue } from "../../../sdk/templates/variables.js";
import { CommandError } from "../flags/errors.js";
import type { Flags, TableFlags } from "./flags.js";

/** One PDF to render. */
export interface Contract {
  readonly out: string;
  /** The row that it is made of, for messages. */
  readonly row: SetRow | undefined;
  readonly variables: Readonly<Record<string, VariableValue>>;
}

interface TemplateVariables {
  /** Names of the template's variables. */
  readonly names: readonly string[];
  /** Variables of a file, with columns of the table in them: `--set` comes before them. */
  readonly given: Readonly<Record<string, VariableValue>>;
}

/** What is to be rendered, as a Document or a DocumentSet would have it. */
export function contractsOf(
  { set, rows, out }: Flags,
  table: Uint8Array | undefined,
  known: TemplateVariables,
): Contract[] {
  if (rows === undefined || table === undefined)
    return [{ out, row: undefined, variables: { ...known.given, ...Object.fromEntries(set) } }];
  const chosen = chosenRows(rows, table, set, known);
  const fileOf = rows.row === undefined ? fileNames() : undefined;
  return chosen.map(row => ({
    out: fileOf ? join(out, fileOf(row.key)) : out,
    row,
    variables: isRecord(row.inputs["variables"])
      ? (row.inputs["variables"] as Record<string, VariableValue & Value>)
      : {},
  }));
}

function chosenRows(
  { table: path, key, row: wanted }: TableFlags,
  bytes: Uint8Array,
  set: ReadonlyMap<string, string>,
  { names, given }: TemplateVariables,
): readonly SetRow[] {
  const read = readTable(bytes);
  if ("mistakes" in read) throw new CommandError(read.mistakes.map(each => `${path}: ${each}`).join("\n"));
  const { table } = read;
  const variables = { ...columnsFor(table, names), ...given, ...Object.fromEntries(set) } as Values;
  const { rows, mistakes } = atOnce(rowsOfTable(table, key ?? `{{${table.columns[0]}}}`, { variables }));
  if (mistakes.length > 0)
    throw new CommandError(
      mistakes.map(each => `${path}: ${each.replace(/^defaults\.variables\./, "--set ")}`).join("\n"),
    );
  if (wanted === undefined) return rows;
  const found = rows.filter(row => identityOf(row.key) === identityOf(wanted));
  if (found.length === 0)
    throw new CommandError(
      `${path}: expected a row with the key ${JSON.stringify(wanted)}, got none among ${rows.length}`,
    );
  return found;
}

const columnsFor = ({ columns }: Table, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.filter(name => columns.includes(name)).map(name => [name, `{{${name}}}`]));

const LONGEST_NAME = 100;

/** A file's name for each key: keys are other people's text. No two are one file, on a disk that ignores case either. */
function fileNames(): (key: string) => string {
  const taken = new Set<string>();
  return key => {
    const plain = key.normalize("NFC").replace(/[^\p{L}\p{M}\p{N}@+_.-]/gu, "_");
    const short = [...plain].slice(0, LONGEST_NAME / 2).join("");
    const isSame = short === key && !/^[.-]/.test(key);
    const hash = createHash("sha256").update(identityOf(key)).digest("hex").slice(0, 8);
    const name =
      isSame && !taken.has(`${key}.pdf`.toLowerCase()) ? `${key}.pdf` : `${short.replace(/^[.-]/, "_")}-${hash}.pdf`;
    taken.add(name.toLowerCase());
    return name;
  };
}
