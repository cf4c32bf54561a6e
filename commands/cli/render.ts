import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { isRecord, type Values } from "../../kit/values.js";
import { identityOf } from "../../provider/core/same.js";
import { escapeText, oneLine } from "../../provider/core/text.js";
import { atOnce } from "../../provider/core/turns.js";
import { rowsOfTable, type SetRow } from "../../provider/resources/document-set/rows.js";
import { readTable } from "../../provider/resources/document-set/table.js";
import { readBeside, readRegularFile, withParts } from "../../sdk/templates/parts.js";
import { sourceIn } from "../../sdk/templates/source.js";
import { A_VARIABLE, isVariable, type VariableValue } from "../../sdk/templates/variables.js";
import type { CommandIo } from "./command.js";
import { eachChange } from "./each-change.js";
import { CommandError, parseFlags, readGiven, UsageError, writeWhole } from "./flags.js";
import { makeFolder } from "./folder.js";

export async function render(
  argv: readonly string[],
  io: Pick<CommandIo, "out" | "err" | "interrupted">,
): Promise<number> {
  const flags = readFlags(argv);
  if (flags === "help") {
    io.out(help);
    return 0;
  }
  if (!flags.watch) return renderAll(flags, readAll(flags), io);
  await eachChange(
    () => filesOf(flags),
    io.interrupted(),
    async () => {
      try {
        await renderAll(flags, readAll(flags), io);
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        io.err(`docsign: ${error.message}\n`);
      }
    },
  );
  return 0;
}

/** Every file that is read, those that the template names included. */
function filesOf({ template, rows, fonts, variables }: Flags): string[] {
  const read = readRegularFile(template, LARGEST);
  const own = "wrong" in read ? undefined : sourceIn(read.bytes);
  const source = own && withParts(own, readBeside(template));
  const parts = source?.kind === "markdown" ? [...source.parts.keys()] : [];
  return [
    template,
    ...parts.map(path => join(dirname(template), path)),
    ...(rows ? [rows.table] : []),
    ...(variables === undefined ? [] : [variables]),
    ...fonts,
  ];
}

function readAll({ template, rows, fonts, variables }: Flags) {
  const source = sourceIn(read(template));
  if (source === undefined)
    throw new CommandError(`${template}: expected Markdown in UTF-8 or a PDF form, got something else`);
  return {
    source: withParts(source, readBeside(template)),
    table: rows && read(rows.table),
    fonts: fonts.map(path => ({ name: path, bytes: read(path) })),
    /** Those of a file. */
    variables: variables === undefined ? {} : variablesIn(variables),
  };
}

const LARGEST = 64 * 1024 * 1024;

function read(path: string): Uint8Array {
  try {
    return readGiven(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = error instanceof CommandError ? error.message : `expected a file that can be read, got ${code}`;
    throw new CommandError(`${path}: ${why}`);
  }
}

function variablesIn(path: string): Readonly<Record<string, VariableValue>> {
  const wrong = (what: string) => new CommandError(`${path}: expected ${what}`);
  const text = Buffer.from(read(path)).toString("utf8");
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw wrong("JSON, got something else");
  }
  if (!isRecord(given)) throw wrong("an object with a member for each variable, got something else");
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (isVariable(value)) return [name, value];
      throw wrong(`${A_VARIABLE} for ${JSON.stringify(name)}, got something else`);
    }),
  );
}

/** Renders each contract; what is wrong with one doesn't stop the others. Answers the exit code. */
async function renderAll(
  flags: Flags,
  { source, table, fonts, variables: given }: ReturnType<typeof readAll>,
  io: Pick<CommandIo, "out" | "err">,
): Promise<number> {
  // A bundle of its own, with its libraries and fonts: other commands never load it.
  const { render: renderPdf, variableNames } = await import("../../sdk/templates/render.js");
  const { template, pageSize, pageNumbers, title } = flags;
  const names = await variableNames(source);
  if ("problems" in names) throw new CommandError(names.problems.map(problem => `${template}: ${problem}`).join("\n"));
  const contracts = contractsOf(flags, table, { names: names.names, given });
  if (flags.rows !== undefined && flags.rows.row === undefined) makeFolder(flags.out);
  let code = 0;
  for (const { out, row, variables } of contracts) {
    const answer = await renderPdf({ source, variables, fonts, pageSize, pageNumbers, title });
    if ("problems" in answer) {
      code = 1;
      for (const problem of answer.problems) io.err(`docsign: ${whereOf(template, flags, row)}: ${problem}\n`);
      continue;
    }
    await writeWhole(out, answer.pdf);
    const sha256 = createHash("sha256").update(answer.pdf).digest("hex");
    io.out(`${out}  ${answer.pages} ${answer.pages === 1 ? "page" : "pages"}  sha256:${sha256}\n`);
  }
  return code;
}

const whereOf = (template: string, { rows }: Flags, row: SetRow | undefined): string =>
  row === undefined || rows === undefined
    ? template
    : `${template} with ${rows.table}, ${row.location} (${oneLine(escapeText(row.key))})`;

// ---- The contracts of a table ----

interface TemplateVariables {
  /** Names of the template's variables. */
  readonly names: readonly string[];
  /** Variables of a file, with columns of the table in them: `--set` comes before them. */
  readonly given: Readonly<Record<string, VariableValue>>;
}

/** What is to be rendered, as a Document or a DocumentSet would have it; with the row that it is made of, for messages. */
function contractsOf({ set, rows, out }: Flags, table: Uint8Array | undefined, known: TemplateVariables) {
  if (rows === undefined || table === undefined)
    return [{ out, row: undefined, variables: { ...known.given, ...Object.fromEntries(set) } }];
  const chosen = chosenRows(rows, table, set, known);
  const fileOf = rows.row === undefined ? fileNames() : undefined;
  return chosen.map(row => ({
    out: fileOf ? join(out, fileOf(row.key)) : out,
    row,
    variables: (row.inputs["variables"] ?? {}) as Record<string, VariableValue>,
  }));
}

function chosenRows(
  { table: path, key, row: wanted }: NonNullable<Flags["rows"]>,
  bytes: Uint8Array,
  set: ReadonlyMap<string, string>,
  { names, given }: TemplateVariables,
): readonly SetRow[] {
  const read = readTable(bytes);
  if ("mistakes" in read) throw new CommandError(read.mistakes.map(each => `${path}: ${each}`).join("\n"));
  const { table } = read;
  const columns = names.filter(name => table.columns.includes(name)).map(name => [name, `{{${name}}}`]);
  const variables = { ...Object.fromEntries(columns), ...given, ...Object.fromEntries(set) } as Values;
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

// ---- Flags and help ----

type Flags = Readonly<Exclude<ReturnType<typeof readFlags>, "help">>;

export const renderFlags = {
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

export function readFlags(argv: readonly string[]) {
  const { values, positionals } = parseFlags(argv, renderFlags);
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
  const { "page-size": size = "A4" } = values;
  const pageSize = (["A4", "Letter"] as const).find(one => one === size);
  if (pageSize === undefined) throw new UsageError(`--page-size: expected A4 or Letter, got ${size}`);
  return {
    template,
    set: settings(values.set ?? []),
    /** A file with variables. */
    variables: values.variables,
    /** Without `row`, every row. */
    rows: table === undefined ? undefined : { table, key, row },
    /** A file; of every row, the folder. */
    out,
    fonts: values.font ?? [],
    pageSize,
    pageNumbers: values["no-page-numbers"] !== true,
    title: values.title,
    watch: values.watch ?? false,
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

const help = `Renders a contract from its template: the bytes that would be sent. The service isn't asked.

Usage: docsign render TEMPLATE --set NAME=TEXT … -o FILE
       docsign render TEMPLATE --table CSV --row KEY [--set …] -o FILE
       docsign render TEMPLATE --table CSV --all FOLDER [--set …]

TEMPLATE is Markdown or a PDF form, as \`template\` of a Document. From a table each variable is the column of its name;
--set gives it another text, with {{column}} in it.

Options
  --set NAME=TEXT   a variable; repeat it for each
  --variables FILE  variables as JSON, with lists for {{#each}}, and true or false for {{#if}}
  --table CSV       rows, as \`table\` of a DocumentSet
  --key TEXT        what tells the rows apart, such as {{email}} (default: the first column)
  --row KEY         the row with this key
  --all FOLDER      every row, into a file named after its key
  -o, --out FILE    the PDF
  --font FILE       a font for characters that the built-in ones lack; repeat it in order of preference
  --page-size SIZE  A4 (default) or Letter
  --no-page-numbers
  --title TEXT      title in the PDF's properties (default: the first heading)
  --watch           render again whenever one of the files changes, until Ctrl-C
  --help, -h        this page

For each PDF a line: its file, its pages and its SHA-256, which is \`sha256\` of the Document.

Exit codes
  0  it's done
  1  a file can't be read or written, or a contract can't be rendered; the message says why, by line
  2  a flag is wrong
`;
