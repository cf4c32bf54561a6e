import { createHash } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { escapeText, oneLine } from "../../provider/core/text.js";
import { type Source, sourceIn } from "../../templates/source.js";
import type { CommandIo } from "../command.js";
import { CommandError, messageOf } from "../flags/errors.js";
import { loadRenderer } from "../renderer.js";
import { writeWhole } from "../whole-file.js";
import { type Contract, contractsOf } from "./contracts.js";
import { type Asked, readFlags } from "./flags.js";
import { help } from "./help.js";
import { eachChange } from "./watch.js";

export async function render(
  argv: readonly string[],
  io: Pick<CommandIo, "out" | "err" | "interrupted">,
): Promise<number> {
  const asked = readFlags(argv);
  if (asked === "help") {
    io.out(help);
    return 0;
  }
  if (!asked.watch) return renderAll(asked, await readAll(asked), io);
  const { template, rows, fonts } = asked;
  await eachChange([template, ...(rows ? [rows.table] : []), ...fonts], io.interrupted(), async () => {
    try {
      await renderAll(asked, await readAll(asked), io);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      io.err(`docsign: ${error.message}\n`);
    }
  });
  return 0;
}

interface Files {
  readonly source: Source;
  readonly table: Uint8Array | undefined;
  readonly fonts: readonly { readonly name: string; readonly bytes: Uint8Array }[];
}

async function readAll({ template, rows, fonts }: Asked): Promise<Files> {
  const source = sourceIn(await read(template));
  if (source === undefined)
    throw new CommandError(`${template}: expected Markdown in UTF-8 or a PDF form, got something else`);
  return {
    source,
    table: rows && (await read(rows.table)),
    fonts: await Promise.all(fonts.map(async path => ({ name: path, bytes: await read(path) }))),
  };
}

async function read(path: string): Promise<Uint8Array> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${path}: expected a file that can be read, got ${error.code}`);
  });
}

/** Renders each contract; what is wrong with one doesn't stop the others. Answers the exit code. */
async function renderAll(
  asked: Asked,
  { source, table, fonts }: Files,
  io: Pick<CommandIo, "out" | "err">,
): Promise<number> {
  const { render: renderPdf, variableNames } = await loadRenderer();
  const { template, pageSize, pageNumbers, title } = asked;
  const names = await variableNames(source);
  if ("problems" in names) throw new CommandError(names.problems.map(problem => `${template}: ${problem}`).join("\n"));
  const contracts = contractsOf(asked, table, names.names);
  if (asked.rows !== undefined && asked.rows.row === undefined)
    await written(asked.out, () => mkdir(asked.out, { recursive: true }));
  let code = 0;
  for (const { out, row, variables } of contracts) {
    const answer = await renderPdf({ source, variables, fonts, pageSize, pageNumbers, title });
    if ("problems" in answer) {
      code = 1;
      for (const problem of answer.problems) io.err(`docsign: ${whereOf(template, asked, row)}: ${problem}\n`);
      continue;
    }
    await written(out, () => writeWhole(out, answer.pdf));
    const sha256 = createHash("sha256").update(answer.pdf).digest("hex");
    io.out(`${out}  ${answer.pages} ${answer.pages === 1 ? "page" : "pages"}  sha256:${sha256}\n`);
  }
  return code;
}

const whereOf = (template: string, { rows }: Asked, row: Contract["row"]): string =>
  row === undefined || rows === undefined
    ? template
    : `${template} with ${rows.table}, ${row.place} (${oneLine(escapeText(row.key))})`;

async function written(path: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw new CommandError(`${path}: can't be written: ${messageOf(error)}`);
  }
}
