// results.md: every figure, from results.json alone.
import { CONTENDERS, contender } from "../contenders.mjs";
import { cellName, KEY_CELL, matrix, sameCell } from "../workload.mjs";
import {
  bytes,
  figuresOf,
  keyCellOf,
  measuredText,
  milliseconds,
  range,
  ratio,
  sum,
  table,
  time,
  verdict,
} from "./figures.mjs";
import { manyText } from "./many.mjs";
import { setText } from "./set.mjs";

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
    `≤ ${ratio(target)} / ${ratio(measured)} / ${is === undefined ? "–" : verdict(is)}${floor === undefined ? "" : ` (${ratio(floor)})`}`;
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
  const cell = keyCellOf(results);
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
  return [
    `## ${cellName(cell)}`,
    "",
    measuredText(cell),
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

// ---- Targets ----

// What we set out to reach, as ratios of OpenTofu + restapi in the same run of the key cell.

const RIVAL = "tofu";
const OURS = ["plugin-yaml", "plugin-ts", "sdk-ts"];
/** The same program with a provider that only waits for the service: none of its time is the provider's own. */
const FLOORS = ["waiting-yaml", "waiting-ts", "waiting-dynamic"];

const TARGETS = [
  { figure: "up", most: [0.6, 1.2, 1.6], of: figures => figures.wall("up")?.median },
  { figure: "no-op preview", most: [0.25, 0.5, 0.7], of: figures => figures.wall("preview")?.median },
  { figure: "refresh", most: [0.35, 0.4, 0.5], of: figures => figures.wall("refresh")?.median },
  { figure: "state", most: [1 / 60, 1 / 60, 1 / 40], of: figures => figures.state },
  { figure: "peak memory, largest process", most: [0.6, 0.6, 0.7], of: figures => figures.largest },
];

/** `[{ figure, contender, target, measured, floor, met }]`; undefined is what wasn't measured. */
export function targetsOf(results) {
  const cell = keyCellOf(results);
  const rival = cell && figuresOf(cell, RIVAL);
  if (!rival) return [];
  return TARGETS.flatMap(({ figure, most, of }) =>
    OURS.map((contender, i) => {
      const ours = figuresOf(cell, contender);
      const alone = figuresOf(cell, FLOORS[i]);
      const [mine, floor, theirs] = [ours && of(ours), alone && of(alone), of(rival)];
      const against = value => (value === undefined || theirs === undefined ? undefined : value / theirs);
      const measured = against(mine);
      return {
        figure,
        contender,
        target: most[i],
        measured,
        floor: against(floor),
        met: measured === undefined ? undefined : measured <= most[i],
      };
    }),
  );
}

// ---- Beside the cells ----

/** At most so many times Node and gRPC alone. */
const START_TARGET = 1.6;
const MEMORY_TARGET = 40_000_000;
const MEASURED_AGAINST = ["one", "eight"];

function startupText(startup) {
  if (!startup) return [];
  const { rounds, rows } = startup;
  const of = key => rows.find(row => row.key === key)?.median;
  const floor = of("grpc");
  const measured = of("launcher") / floor;
  return [
    "## Start-up",
    "",
    `From the start of the process to the answer to the engine's handshake (for Node alone: to its end); medians of ${rounds} rounds, interleaved.`,
    `Target: at most ${START_TARGET} times Node loading gRPC. Measured: ${ratio(measured)}, met: ${verdict(measured <= START_TARGET)}.`,
    "",
    table(
      ["", "median", "lowest", "highest", "× Node with gRPC"],
      rows.map(({ title, median, min, max }) => [
        title,
        ...[median, min, max].map(milliseconds),
        ratio(median / floor),
      ]),
    ),
    "",
  ];
}

function memoryText(memory) {
  if (!memory) return [];
  if (memory.missing) return ["## Memory", "", `Not measured: ${memory.missing}.`, ""];
  const rows = memory.rows.map(({ key, title, peak, over }) => [
    title,
    bytes(peak),
    key === "idle" ? "–" : bytes(over),
    MEASURED_AGAINST.includes(key) ? verdict(over < MEMORY_TARGET) : "–",
  ]);
  const note = `Target: what a \`file\` asset adds to the idle plugin's peak, alone or eight at once, stays under ${bytes(MEMORY_TARGET)}.`;
  return [
    "## Memory of the plugin",
    "",
    "Peaks of the process (VmHWM), each in a process of its own that creates these documents and nothing else.",
    note,
    "",
    table(["", "peak", "over idle", "met"], rows),
    "",
  ];
}

function scaleText(scale) {
  if (!scale) return [];
  const rows = scale.rows.map(({ title, documents, problem, up, preview, cpu, state, peak }) =>
    problem
      ? [title, problem, "–", "–", "–", "–", "–"]
      : [
          title,
          time(up),
          `${((1000 * up) / documents).toFixed(0)} ms`,
          time(preview),
          time(cpu),
          bytes(state),
          bytes(peak),
        ],
  );
  return [
    "## Scale",
    "",
    "PDFs of 20 KB unless said otherwise, through our plugin from YAML unless said otherwise, service at 50 ms.",
    "",
    table(["", "up", "up, for each document", "no-op preview", "CPU, up", "state", "engine's peak"], rows),
    "",
  ];
}

function profileText(profile) {
  if (!profile) return [];
  const { documents, rows } = profile;
  const phases = ["up", "preview", "refresh"];
  const lines = rows.map(row => [row.title, ...phases.map(phase => milliseconds(row[phase]))]);
  const sums = phases.map(phase => milliseconds(sum(rows.map(row => row[phase]))));
  return [
    "## Where the plugin's time goes",
    "",
    `V8's profile of the plugin's main thread, without an engine around it, for ${documents} documents of 150 KB: what an up, a preview with nothing changed and a refresh ask of it. Waiting isn't counted.`,
    "",
    table(["", "up", "no-op preview", "refresh"], [...lines, ["altogether", ...sums]]),
    "",
  ];
}
