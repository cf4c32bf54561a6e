// results.md: every figure, from results.json alone.
import { CONTENDERS, contender } from "../contenders/index.mjs";
import { cellName, KEY_CELL, matrix, sameCell } from "../workload.mjs";
import { figuresOf } from "./figures.mjs";
import { manyText } from "./many.mjs";
import { memoryText, profileText, scaleText, startupText } from "./sections.mjs";
import { setText } from "./set.mjs";
import { targetsOf } from "./targets.mjs";
import { bytes, range, ratio, table, time } from "./words.mjs";

const PHASES = { up: "up", preview: "no-op preview", refresh: "refresh", changed: "changed preview" };

export function resultsText(results) {
  const parts = [
    "# Measured",
    "",
    "Written by `npm run bench`; what the figures mean is in [performance](README.md). Medians, with the lowest and the highest",
    "where there was more than one round. A dash is a figure that doesn't exist, such as a preview of a bare loop.",
    "",
    machineText(results.machine),
    ...targetsText(results),
    ...cellsIn(results).flatMap(cellText),
    ...startupText(results.startup),
    ...memoryText(results.memory),
    ...scaleText(results.scale),
    ...profileText(results.profile),
    ...setText(results),
    ...manyText(results.many),
  ];
  return `${parts.join("\n").trimEnd()}\n`;
}

function machineText(machine) {
  if (!machine) return "";
  const { system, processor, cores, memoryGB, versions } = machine;
  const names = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `Machine: ${cores} cores (${processor}), ${memoryGB} GB, ${system}. Versions: ${names.join(", ")}.\n`;
}

function targetsText(results) {
  const targets = targetsOf(results);
  if (targets.length === 0) return [];
  const figures = [...new Set(targets.map(({ figure }) => figure))];
  const keys = [...new Set(targets.map(({ contender: key }) => key))];
  const met = ({ target, measured, floor, met: is }) =>
    `≤ ${ratio(target)} / ${ratio(measured)} / ${is === undefined ? "–" : is ? "yes" : "**no**"}${floor === undefined ? "" : ` (${ratio(floor)})`}`;
  const rows = figures.map(figure => [
    figure,
    ...keys.map(key => met(targets.find(one => one.figure === figure && one.contender === key))),
  ]);
  return [
    "## Targets",
    "",
    `Ratios against OpenTofu + restapi, ${cellName(KEY_CELL)}: target / measured / met, and in brackets the same program with a provider that does nothing but wait as long as the service takes, and answer with a document: what the engine, the language and the service take by themselves.`,
    "",
    table(["", ...keys.map(key => contender(key).title)], rows),
    "",
    ...processorText(results),
  ];
}

/** Less moved than time by what else the machine has to do; and how much of it is the engine's own. */
function processorText(results) {
  const cell = results.cells.find(one => sameCell(one, KEY_CELL));
  const rival = figuresOf(cell, "tofu");
  const phases = ["up", "preview", "refresh"];
  if (phases.some(phase => rival.cpu(phase) === undefined)) return [];
  const rows = CONTENDERS.flatMap(({ key, title }) => {
    const figures = figuresOf(cell, key);
    return figures ? [[title, ...phases.map(phase => share(figures.cpu(phase), rival.cpu(phase)))]] : [];
  });
  return [
    "The same cell by processor time, which moves less with what else a machine has to do, as a share of OpenTofu + restapi's:",
    "",
    table(["", "up", "no-op preview", "refresh"], rows),
    "",
  ];
}

const share = (mine, theirs) => (mine === undefined ? "–" : ratio(mine / theirs));

const cellsIn = ({ cells }) => matrix().flatMap(cell => cells.filter(one => sameCell(one, cell)));

function cellText(cell) {
  const present = CONTENDERS.map(({ key, title }) => ({ title, figures: figuresOf(cell, key) })).filter(
    ({ figures }) => figures,
  );
  const walls = present.map(({ title, figures }) => [
    title,
    ...Object.keys(PHASES).map(phase => range(figures.wall(phase)) ?? figures.problem(phase) ?? "–"),
    bytes(figures.state),
  ]);
  const costs = present.map(({ title, figures }) => [
    title,
    ...["up", "preview", "refresh"].map(phase => time(figures.cpu(phase))),
    ...["up", "preview", "refresh", "changed"].map(phase => figures.requests(phase) ?? "–"),
    bytes(figures.bytesIn("up")),
    bytes(figures.bytesOut("refresh")),
    Object.entries(figures.processes)
      .sort((a, b) => b[1] - a[1])
      .map(([name, peak]) => `${name} ${bytes(peak)}`)
      .join(", ") || "–",
  ]);
  const { before, after } = cell.load;
  return [
    `## ${cellName(cell)}`,
    "",
    `Measured ${cell.date.slice(0, 10)}; load average ${before.toFixed(1)} before, ${after.toFixed(1)} after.`,
    "",
    table(["", ...Object.values(PHASES), "state"], walls),
    "",
    table(
      [
        "",
        "CPU: up",
        "preview",
        "refresh",
        "requests: up",
        "preview",
        "refresh",
        "changed",
        "bytes in, up",
        "bytes out, refresh",
        "peak memory",
      ],
      costs,
    ),
    "",
  ];
}
