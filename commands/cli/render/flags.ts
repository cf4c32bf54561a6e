import { UsageError } from "../flags/errors.js";
import { parseFlags } from "../flags/parse.js";

export interface Flags {
  readonly template: string;
  readonly set: ReadonlyMap<string, string>;
  /** A file with variables. */
  readonly variables: string | undefined;
  readonly rows: TableFlags | undefined;
  /** A file; of every row, the folder. */
  readonly out: string;
  readonly fonts: readonly string[];
  readonly pageSize: "A4" | "Letter";
  readonly pageNumbers: boolean;
  readonly title: string | undefined;
  readonly watch: boolean;
}

export interface TableFlags {
  readonly table: string;
  readonly key: string | undefined;
  /** The key of one row; undefined for every row. */
  readonly row: string | undefined;
}

export const flags = {
  set: { type: "string", multiple: true },
  variables: { type: "string" },
  table: { type: "string" },
  key: { type: "string" },
  row: { type: "string" },
  all: { type: "string" },
  out: { type: "string", short: "o" },
  font: { type: "string", multiple: true },
  "page-size": { type: "string" },
  "no-page-numbers": { type: "boolean" },
  title: { type: "string" },
  watch: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

export function readFlags(argv: readonly string[]): Flags | "help" {
  const { values, positionals } = parseFlags(argv, flags);
  if (values.help) return "help";
  const [template, ...more] = positionals;
  if (template === undefined || more.length > 0)
    throw new UsageError(`render: expected one template, got ${positionals.join(" ") || "none"}`);
  const { table, key, row, all } = values;
  if (table === undefined && (key ?? row ?? all) !== undefined)
    throw new UsageError("render: expected --table beside --key, --row and --all, got none");
  if (table !== undefined && (row === undefined) === (all === undefined))
    throw new UsageError("render: expected either --row KEY or --all FOLDER with --table");
  const out = all ?? values.out;
  if (out === undefined || (all !== undefined && values.out !== undefined))
    throw new UsageError(`render: expected ${all === undefined ? "-o FILE, got none" : "--all without -o, got both"}`);
  const pageSize = values["page-size"] ?? "A4";
  if (pageSize !== "A4" && pageSize !== "Letter")
    throw new UsageError(`--page-size: expected A4 or Letter, got ${pageSize}`);
  return {
    template,
    set: settings(values.set ?? []),
    variables: values.variables,
    rows: table === undefined ? undefined : { table, key, row },
    ...{ out, fonts: values.font ?? [], pageSize, pageNumbers: values["no-page-numbers"] !== true },
    ...{ title: values.title, watch: values.watch ?? false },
  };
}

function settings(given: readonly string[]): Map<string, string> {
  const set = new Map<string, string>();
  for (const each of given) {
    const at = each.indexOf("=");
    if (at < 1) throw new UsageError(`--set: expected NAME=TEXT, got ${each}`);
    const name = each.slice(0, at);
    if (set.has(name)) throw new UsageError(`--set: expected each name once, got ${name} twice`);
    set.set(name, each.slice(at + 1));
  }
  return set;
}
