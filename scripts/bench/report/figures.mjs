// What one contender did in one cell, over all its rounds; and how figures are said.
import { KEY_CELL, sameCell } from "../workload.mjs";

/** Undefined where the contender took no part. */
export function figuresOf(cell, key) {
  const rounds = cell.rounds.filter(({ contender }) => contender === key);
  if (rounds.length === 0) return undefined;
  const runs = phase => rounds.flatMap(({ phases }) => (phases[phase]?.status === "ok" ? [phases[phase]] : []));
  const all = rounds.flatMap(({ phases }) => Object.values(phases)).filter(({ status }) => status === "ok");
  return {
    wall: phase => spread(runs(phase).map(({ wall }) => wall)),
    cpu: phase => median(runs(phase).flatMap(({ cpu }) => (cpu === undefined ? [] : [cpu]))),
    /** Of what happened to a phase that has no figure: why. */
    problem: phase => {
      const bad = rounds.map(({ phases }) => phases[phase]).find(one => one && one.status !== "ok");
      return bad && words(bad);
    },
    requests: phase => median(runs(phase).map(({ requests }) => sum(Object.values(requests)))),
    bytesIn: phase => median(runs(phase).map(({ bytesIn }) => bytesIn)),
    bytesOut: phase => median(runs(phase).map(({ bytesOut }) => bytesOut)),
    state: median(rounds.flatMap(({ state }) => (state === undefined ? [] : [state]))),
    /** The largest peak of each kind of process, in any phase. */
    processes: peaksOf(all),
    largest: largestOf(all),
  };
}

function words({ status, after, reason }) {
  if (status === "timed out") return `over ${after} s`;
  return reason === undefined ? status : `${status}: ${reason}`;
}

function peaksOf(runs) {
  const peaks = {};
  for (const { processes } of runs)
    for (const [name, { peak }] of Object.entries(processes)) peaks[name] = Math.max(peaks[name] ?? 0, peak);
  return peaks;
}

function largestOf(runs) {
  const all = Object.values(peaksOf(runs));
  return all.length === 0 ? undefined : Math.max(...all);
}

/** The cell that the targets are about, where it was measured. */
export const keyCellOf = ({ cells }) => cells.find(one => sameCell(one, KEY_CELL));

// ---- Statistics ----

export const sum = values => values.reduce((all, value) => all + value, 0);

/** The middle one; of an even number, the mean of the two in the middle. */
export function median(values) {
  if (values.length === 0) return undefined;
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

export function spread(values) {
  if (values.length === 0) return undefined;
  return { median: median(values), min: Math.min(...values), max: Math.max(...values), runs: values.length };
}

// ---- As people read them ----

export function time(seconds) {
  if (seconds === undefined) return "–";
  if (seconds < 10) return `${seconds.toFixed(2)} s`;
  return `${seconds.toFixed(seconds < 100 ? 1 : 0)} s`;
}

export function bytes(value) {
  if (value === undefined) return "–";
  if (value < 1000) return `${Math.round(value)} B`;
  const [size, unit] = value < 1e6 ? [value / 1e3, "KB"] : value < 1e9 ? [value / 1e6, "MB"] : [value / 1e9, "GB"];
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}

/** `0.42`, or `1/207` where that says more. */
export function ratio(value) {
  if (value === undefined) return "–";
  return value < 0.05 ? `1/${Math.round(1 / value)}` : value.toFixed(2);
}

/** `2.66 s (2.61–2.80)` */
export function range(spread) {
  if (!spread) return undefined;
  const { median, min, max, runs } = spread;
  const bare = value => time(value).replace(" s", "");
  return runs === 1 ? time(median) : `${time(median)} (${bare(min)}–${bare(max)})`;
}

/** When it was measured, and how much else the machine had to do. */
export const measuredText = ({ date, load }) =>
  `Measured ${date.slice(0, 10)}; load average ${load.before.toFixed(1)} before, ${load.after.toFixed(1)} after.`;

export const verdict = met => (met ? "yes" : "**no**");

export const milliseconds = value => `${Math.round(value)} ms`;

/** Rows of text as a Markdown table; what stands in cells can't break it. */
export function table(head, rows) {
  const line = cells =>
    `| ${cells.map(cell => String(cell).replaceAll("|", "\\|").replace(/\s+/g, " ")).join(" | ")} |`;
  return [line(head), `|${head.map((_, i) => (i === 0 ? "---" : "---:")).join("|")}|`, ...rows.map(line)].join("\n");
}

/** Figures as JSON that can be read and compared: a line for each thing without a list of things in it. Milliseconds are enough. */
export const figuresJson = figures => `${inLines(JSON.parse(JSON.stringify(figures, brief)))}\n`;

const brief = (_, value) => (typeof value === "number" ? Math.round(value * 1000) / 1000 : value);

function inLines(value, indent = "") {
  const line = JSON.stringify(value);
  if (!line.includes("[{")) return line;
  const isList = Array.isArray(value);
  const parts = Object.entries(value).map(([key, each]) => {
    const text = inLines(each, `${indent} `);
    return `${indent} ${isList ? text : `"${key}": ${text}`}`;
  });
  const [open, close] = isList ? "[]" : "{}";
  return `${open}\n${parts.join(",\n")}\n${indent}${close}`;
}
