import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isRecord } from "../../../kit/values.js";
import { escapeText, oneLine } from "../../../provider/core/text.js";
import { readBeside, readRegularFile, withParts } from "../../../sdk/templates/parts.js";
import { type Source, sourceIn } from "../../../sdk/templates/source.js";
import { A_VARIABLE, isVariable, type VariableValue } from "../../../sdk/templates/variables.js";
import type { CommandIo } from "../commands.js";
import { CommandError, messageOf } from "../flags/errors.js";
import { readGiven } from "../flags/given-file.js";
import { loadRenderer } from "../renderer.js";
import { writeWhole } from "../whole-file.js";
import { type Contract, contractsOf } from "./contracts.js";
import { type Flags, readFlags } from "./flags.js";
import { help } from "./help.js";
import { eachChange } from "./watch.js";

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

interface Files {
  readonly source: Source;
  readonly table: Uint8Array | undefined;
  readonly fonts: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  /** Those of a file. */
  readonly variables: Readonly<Record<string, VariableValue>>;
}

function readAll({ template, rows, fonts, variables }: Flags): Files {
  const source = sourceIn(read(template));
  if (source === undefined)
    throw new CommandError(`${template}: expected Markdown in UTF-8 or a PDF form, got something else`);
  return {
    source: withParts(source, readBeside(template)),
    table: rows && read(rows.table),
    fonts: fonts.map(path => ({ name: path, bytes: read(path) })),
    variables: variables === undefined ? {} : variablesIn(variables),
  };
}

const LARGEST = 64 * 1024 * 1024;

function read(path: string): Uint8Array {
  try {
    return readGiven(path);
  } catch (error) {
    const reason = error instanceof CommandError ? error.message : undefined;
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(`${path}: ${reason ?? `expected a file that can be read, got ${code}`}`);
  }
}

function variablesIn(path: string): Readonly<Record<string, VariableValue>> {
  const wrong = (what: string) => new CommandError(`${path}: expected ${what}`);
  let given: unknown;
  try {
    given = JSON.parse(Buffer.from(read(path)).toString("utf8"));
  } catch (error) {
    throw error instanceof CommandError ? error : wrong("JSON, got something else");
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
  { source, table, fonts, variables: given }: Files,
  io: Pick<CommandIo, "out" | "err">,
): Promise<number> {
  const { render: renderPdf, variableNames } = await loadRenderer();
  const { template, pageSize, pageNumbers, title } = flags;
  const names = await variableNames(source);
  if ("problems" in names) throw new CommandError(names.problems.map(problem => `${template}: ${problem}`).join("\n"));
  const contracts = contractsOf(flags, table, { names: names.names, given });
  if (flags.rows !== undefined && flags.rows.row === undefined)
    await written(flags.out, () => mkdir(flags.out, { recursive: true }));
  let code = 0;
  for (const { out, row, variables } of contracts) {
    const answer = await renderPdf({ source, variables, fonts, pageSize, pageNumbers, title });
    if ("problems" in answer) {
      code = 1;
      for (const problem of answer.problems) io.err(`docsign: ${whereOf(template, flags, row)}: ${problem}\n`);
      continue;
    }
    await written(out, () => writeWhole(out, answer.pdf));
    const sha256 = createHash("sha256").update(answer.pdf).digest("hex");
    io.out(`${out}  ${answer.pages} ${answer.pages === 1 ? "page" : "pages"}  sha256:${sha256}\n`);
  }
  return code;
}

const whereOf = (template: string, { rows }: Flags, row: Contract["row"]): string =>
  row === undefined || rows === undefined
    ? template
    : `${template} with ${rows.table}, ${row.location} (${oneLine(escapeText(row.key))})`;

async function written(path: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw new CommandError(`${path}: can't be written: ${messageOf(error)}`);
  }
}
