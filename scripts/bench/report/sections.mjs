// The parts of results.md beside the cells.
import { bytes, ratio, table, time } from "./words.mjs";

/** At most so many times Node and gRPC alone. */
const START_TARGET = 1.6;
const MEMORY_TARGET = 40_000_000;
const MEASURED_AGAINST = ["one", "eight"];

const verdict = met => (met ? "yes" : "**no**");

export function startupText(startup) {
  if (!startup) return [];
  const { rounds, rows } = startup;
  const of = key => rows.find(row => row.key === key)?.median;
  const floor = of("grpc");
  const measured = of("launcher") / floor;
  const ms = value => `${Math.round(value)} ms`;
  return [
    "## Start-up",
    "",
    `From the start of the process to the answer to the engine's handshake (for Node alone: to its end); medians of ${rounds} rounds, interleaved.`,
    `Target: at most ${START_TARGET} times Node loading gRPC. Measured: ${ratio(measured)}, met: ${verdict(measured <= START_TARGET)}.`,
    "",
    table(
      ["", "median", "lowest", "highest", "× Node with gRPC"],
      rows.map(({ title, median, min, max }) => [title, ms(median), ms(min), ms(max), ratio(median / floor)]),
    ),
    "",
  ];
}

export function memoryText(memory) {
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

export function scaleText(scale) {
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

export function profileText(profile) {
  if (!profile) return [];
  const { documents, rows } = profile;
  const phases = ["up", "preview", "refresh"];
  const sum = phase => rows.reduce((all, row) => all + row[phase], 0);
  const ms = value => `${Math.round(value)} ms`;
  const lines = rows.map(row => [row.title, ...phases.map(phase => ms(row[phase]))]);
  return [
    "## Where the plugin's time goes",
    "",
    `V8's profile of the plugin's main thread, without an engine around it, for ${documents} documents of 150 KB: what an up, a preview with nothing changed and a refresh ask of it. Waiting isn't counted.`,
    "",
    table(["", "up", "no-op preview", "refresh"], [...lines, ["altogether", ...phases.map(phase => ms(sum(phase)))]]),
    "",
  ];
}
