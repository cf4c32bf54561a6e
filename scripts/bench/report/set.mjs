// What a DocumentSet costs, and whether that is what it may cost.
import { cellName, sameCell } from "../workload.mjs";
import { bytes, figuresOf, milliseconds, ratio, table, time, verdict } from "./figures.mjs";

const KEY = { count: 1000, size: 150_000, latency: 50 };
const GROWTH = [
  { count: 1000, size: 20_000, latency: 0 },
  { count: 10_000, size: 20_000, latency: 0 },
];

export function setText({ set, cells }) {
  if (!set) return [];
  const key = set.rows.filter(row => sameCell(row, KEY));
  const small = set.rows.filter(row => !sameCell(row, KEY));
  const { date, load } = set.rows[0];
  return [
    "## DocumentSet",
    "",
    "One resource of many documents, from YAML through our plugin; its memory and processor time are the plugin's own, or the",
    "loop's. The row added is another document in the same set: a preview of it, then the up. Engine alone is the same program with a provider",
    "that does nothing: no provider takes less.",
    "",
    `Measured ${date.slice(0, 10)}; load average ${load.toFixed(1)} before.`,
    "",
    rowsTable(key),
    "",
    ...targetsText(key, cells),
    ...(small.length > 0 ? [rowsTable(small), "", ...growthText(small)] : []),
  ];
}

const rowsTable = rows =>
  table(
    [
      "",
      "",
      "up",
      "no-op preview",
      "refresh",
      "row added: preview",
      "then up",
      "CPU, up",
      "requests, up",
      "state",
      "peak memory",
    ],
    rows.map(row => [
      cellName(row),
      row.problem ? `${row.title} (${row.problem})` : row.title,
      ...["up", "preview", "refresh", "addedPreview", "added", "cpu"].map(name => time(row[name])),
      row.requests ?? "–",
      bytes(row.state),
      bytes(row.peak),
    ]),
  );

/** Against the loop of the same rounds; against OpenTofu as the cell of that size has it, from its own day. */
function targetsText(rows, cells) {
  const of = key => rows.find(row => row.key === key) ?? {};
  const [pdfs, made, loop] = [of("set-pdfs"), of("set-table"), of("loop")];
  const alone = of("set-pdfs-engine");
  const cell = cells.find(one => sameCell(one, KEY));
  const rival = cell && figuresOf(cell, "tofu");
  const rivalTime = phase => rival?.wall(phase)?.median;
  const limits = [
    ["up, × the bare loop", pdfs.up / loop.up, 1.3, ratio],
    ["up, a table and a template, × the bare loop", made.up / loop.up, 1.3, ratio],
    ["up, × OpenTofu + restapi", pdfs.up / rivalTime("up"), 1, ratio],
    ["no-op preview", pdfs.preview, 1.5, time, alone.preview],
    ["no-op preview, a table and a template", made.preview, 1.5, time, of("set-table-engine").preview],
    ["no-op preview, × OpenTofu + restapi", pdfs.preview / rivalTime("preview"), 1 / 20, ratio],
    ["refresh, × the bare loop", pdfs.refresh / loop.refresh, 1.3, ratio],
    ["one row added, preview", pdfs.addedPreview, 2, time, alone.addedPreview],
    ["one row added, up", pdfs.added, 2, time, alone.added],
    ["one row added to a table, preview", made.addedPreview, 2, time, of("set-table-engine").addedPreview],
    ["one row added to a table, up", made.added, 2, time, of("set-table-engine").added],
    ["state", pdfs.state, 700_000, bytes],
    ["peak memory of the plugin", pdfs.peak, 200_000_000, bytes],
    ["peak memory of the plugin, rendering", made.peak, 200_000_000, bytes],
    ["processor time for a row, beyond the bare request", pdfs.cpu - loop.cpu, 3, milliseconds],
    ["processor time for a row rendered, beyond one that isn't", made.cpu - pdfs.cpu, 10, milliseconds],
  ];
  const known = limits.filter(([, measured]) => Number.isFinite(measured));
  if (known.length === 0) return [];
  return [
    `Targets, of ${cellName(KEY)}. OpenTofu's figures are those of that cell above, measured on another day.`,
    "",
    table(
      ["", "at most", "measured", "met", "engine alone"],
      known.map(([what, measured, limit, say, floor]) => [
        what,
        say(limit),
        say(measured),
        verdict(measured <= limit),
        floor === undefined ? "–" : say(floor),
      ]),
    ),
    "",
  ];
}

function growthText(rows) {
  const [few, many] = GROWTH.map(cell => rows.filter(row => sameCell(row, cell)));
  const lines = few.flatMap(row => {
    const other = many.find(({ key }) => key === row.key);
    if (!other) return [];
    const times = ["up", "preview", "refresh"].map(phase => ratio(other[phase] / row[phase]));
    return [[row.title, ...times, ratio(other.state / row.state), ratio(other.peak / row.peak)]];
  });
  if (lines.length === 0) return [];
  return [
    "What ten times as many rows cost, × the smaller set:",
    "",
    table(["", "up", "no-op preview", "refresh", "state", "peak memory"], lines),
    "",
  ];
}
