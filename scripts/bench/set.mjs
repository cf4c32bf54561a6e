// What a DocumentSet costs, beside the requests alone: the same rows, in turn with a bare loop.
import { measureCell } from "./cell.mjs";
import { bareLoop } from "./contenders/bare-loop.mjs";
import { engineAlone, setOfOnePdf, setOfPdfs, setOfTemplate } from "./contenders/set.mjs";
import { seconds, tell } from "./progress.mjs";
import { median } from "./report/statistics.mjs";
import { cellName } from "./workload.mjs";

export const SET_PHASES = ["up", "preview", "refresh", "addedPreview", "added"];

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
        .map(({ up }) => (up ? seconds(up) : "failed"))
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
  const middle = values => (values.length === 0 ? undefined : median(values));
  const of = (phase, read) =>
    middle(
      rounds
        .flatMap(({ phases }) => (phases[phase]?.status === "ok" ? [read(phases[phase])] : []))
        .filter(Number.isFinite),
    );
  const wall = Object.fromEntries(SET_PHASES.map(phase => [phase, of(phase, ({ wall: time }) => time)]));
  const peaks = SET_PHASES.map(phase => of(phase, ({ processes }) => processes.plugin?.peak)).filter(Number.isFinite);
  return {
    ...wall,
    cpu: of("up", ({ processes }) => (processes.plugin ?? processes["bare-loop.mjs"])?.cpu),
    requests: of("up", ({ requests }) => Object.values(requests).reduce((sum, count) => sum + count, 0)),
    state: middle(rounds.map(({ state }) => state).filter(Number.isFinite)),
    peak: peaks.length === 0 ? undefined : Math.max(...peaks),
    ...(problem ? { problem: problem.reason ?? problem.status } : {}),
  };
}
