// What a DocumentSet costs, beside the requests alone: the same rows, in turn with a bare loop.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tell } from "../setup/progress.mjs";
import { measureCell } from "./cell.mjs";
import { bareLoop, head, openStack, writeProgram } from "./contenders.mjs";
import { median, sum, time } from "./report/figures.mjs";
import { cellName, INVITATIONS } from "./workload.mjs";

const SET_PHASES = ["up", "preview", "refresh", "addedPreview", "added"];

// ---- The sets: of PDFs by path, or of a table and a template ----

/** `write(program, context, count)` writes the program for so many rows. */
const setOf = write => ({
  phases: SET_PHASES,
  async open(context) {
    const { count } = context.cell;
    const program = join(context.folder, "program");
    const stack = await openStack(context, () => write(program, context, count));
    return {
      ...stack,
      command(phase) {
        if (phase === "addedPreview") write(program, context, count + 1);
        return stack.command(phase);
      },
    };
  },
});

const save = (program, { kit }, properties) => {
  const resources = { contracts: { type: "docsign:DocumentSet", properties } };
  writeProgram(program, { ...head("yaml", kit.plugin), resources });
};

/** The same program with a provider that does nothing. */
const engineAlone = contender => ({
  ...contender,
  open: context => contender.open({ ...context, kit: { ...context.kit, plugin: context.kit.idle } }),
});

/** A row that is added has the first one's PDF. */
const setOfPdfs = setOf((program, context, count) => {
  const { pdfs, cell } = context;
  const row = i => ({ name: `Contract ${i}`, file: { "fn::fileAsset": join(pdfs.folder, `${i % cell.count}.pdf`) } });
  const documents = Object.fromEntries(Array.from({ length: count }, (_, i) => [`contract-${i}`, row(i)]));
  save(program, context, { documents, defaults: { invitations: INVITATIONS } });
});

const CLAUSE =
  "The receiving party keeps what it learns to itself, uses it for the project alone, and shows it to those alone who need it for that. ";
const TEMPLATE = `# Agreement\n\nBetween **Example Inc.** and **{{name}}**.\n\n${Array.from({ length: 22 }, (_, i) => `${i + 1}. ${CLAUSE.repeat(2)}`).join("\n")}\n\n\`\`\`signatures\n{{name}}\n\`\`\`\n`;

/** A row for each person, in a table. */
const ofTable = pdf =>
  setOf((program, context, count) => {
    const lines = Array.from({ length: count }, (_, i) => `person${i}@example.com,Person ${i}\n`);
    writeFileSync(join(program, "people.csv"), `email,name\n${lines.join("")}`);
    const invitations = [{ email: "{{email}}", name: "{{name}}" }];
    save(program, context, {
      table: { "fn::fileAsset": "./people.csv" },
      key: "{{email}}",
      defaults: { name: "Agreement with {{name}}", invitations, ...pdf(program, context) },
    });
  });

const setOfTemplate = ofTable(program => {
  writeFileSync(join(program, "contract.md"), TEMPLATE);
  return { template: { "fn::fileAsset": "./contract.md" }, variables: { name: "{{name}}" } };
});

/** The same PDF for everyone. */
const setOfOnePdf = ofTable((_, { pdfs }) => ({ file: { "fn::fileAsset": join(pdfs.folder, "0.pdf") } }));

// ---- Measured ----

const PDFS = { key: "set-pdfs", title: "DocumentSet of PDFs", ...setOfPdfs };
const TABLE = { key: "set-table", title: "DocumentSet of a table and a template of two pages", ...setOfTemplate };
/** Pulumi's YAML takes minutes for a program with ten thousand rows in it; a table is read by the plugin. */
const ONE = { key: "set-one", title: "DocumentSet of a table and one PDF", ...setOfOnePdf };
const PDFS_ALONE = { key: "set-pdfs-engine", title: "engine alone, set of PDFs", ...engineAlone(setOfPdfs) };
const TABLE_ALONE = { key: "set-table-engine", title: "engine alone, set of a table", ...engineAlone(setOfTemplate) };
const LOOP = { key: "loop", title: "bare loop of requests", ...bareLoop };

const CELLS = [
  {
    cell: { count: 1000, size: 150_000, latency: 50 },
    contenders: [PDFS, TABLE, PDFS_ALONE, TABLE_ALONE, LOOP],
    repeats: 3,
  },
  { cell: { count: 1000, size: 20_000, latency: 0 }, contenders: [ONE], repeats: 1 },
  { cell: { count: 10_000, size: 20_000, latency: 0 }, contenders: [ONE], repeats: 1 },
];

export async function set({ kit, home, options, results, save }) {
  const rows = [];
  const cells = [];
  for (const { cell: full, contenders, repeats } of CELLS) {
    const cell = { ...full, count: (full.count / 1000) * options.rows };
    const { date, load, rounds } = await measureCell({
      cell,
      contenders,
      repeats: options.repeats ?? repeats,
      limitMs: options.limitMs,
      kit,
      home,
      only: SET_PHASES,
    });
    for (const { key, title } of contenders)
      rows.push({
        key,
        title,
        ...cell,
        date,
        load: load.before,
        ...figures(rounds.filter(one => one.contender === key)),
      });
    cells.push({ ...cell, date, load, rounds: rounds.map(onlyTimes) });
    results.set = { rows, cells };
    save();
    tell(
      `set, ${cellName(cell)}: up ${rows
        .slice(-contenders.length)
        .map(({ up }) => (up ? time(up) : "failed"))
        .join(", ")}`,
    );
  }
  return { rows, cells };
}

/** What tells later whether a ratio is another. */
const onlyTimes = ({ contender, round, phases }) => ({
  contender,
  round,
  phases: Object.fromEntries(
    Object.entries(phases).map(([phase, { status, wall, cpu }]) => [phase, { status, wall, cpu }]),
  ),
});

/** Medians of the rounds that went well. */
function figures(rounds) {
  const problem = rounds.flatMap(({ phases }) => Object.values(phases)).find(({ status }) => status !== "ok");
  const of = (phase, read) =>
    median(
      rounds
        .flatMap(({ phases }) => (phases[phase]?.status === "ok" ? [read(phases[phase])] : []))
        .filter(Number.isFinite),
    );
  const wall = Object.fromEntries(SET_PHASES.map(phase => [phase, of(phase, ({ wall: time }) => time)]));
  const peaks = SET_PHASES.map(phase => of(phase, ({ processes }) => processes.plugin?.peak)).filter(Number.isFinite);
  return {
    ...wall,
    cpu: of("up", ({ processes }) => (processes.plugin ?? processes["bare-loop.mjs"])?.cpu),
    requests: of("up", ({ requests }) => sum(Object.values(requests))),
    state: median(rounds.map(({ state }) => state).filter(Number.isFinite)),
    peak: peaks.length === 0 ? undefined : Math.max(...peaks),
    ...(problem ? { problem: problem.reason ?? problem.status } : {}),
  };
}
