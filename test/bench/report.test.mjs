import { expect, it } from "vitest";
import { chartOf, INK } from "../../scripts/bench/report/chart.mjs";
import { bytes, figuresOf, median, range, ratio, spread, table, time } from "../../scripts/bench/report/figures.mjs";
import { resultsText, targetsOf } from "../../scripts/bench/report/results.mjs";
import { recorded } from "./fixtures/recorded.mjs";

const [cell] = recorded.cells;

it("a median is the middle value, the mean of the middle two, or undefined", () => {
  expect([[3, 1, 2], [4, 1, 2, 3], [7], []].map(median)).toEqual([2, 2.5, 7, undefined]);
  expect(spread([3, 1, 2])).toEqual({ median: 2, min: 1, max: 3, runs: 3 });
});

it("figures are formatted for reading", () => {
  expect([0.5, 2.345, 12.34, 123.4, undefined].map(time)).toEqual(["0.50 s", "2.35 s", "12.3 s", "123 s", "–"]);
  expect([12, 1500, 20_900_000, 2e9, undefined].map(bytes)).toEqual(["12 B", "1.5 KB", "21 MB", "2.0 GB", "–"]);
  expect([0.423, 1 / 60, 1 / 40, undefined].map(ratio)).toEqual(["0.42", "1/60", "1/40", "–"]);
  expect(range({ median: 2.2, min: 2, max: 2.4, runs: 3 })).toBe("2.20 s (2.00–2.40)");
  expect(range({ median: 2.2, min: 2.2, max: 2.2, runs: 1 })).toBe("2.20 s");
});

it("no text in a cell breaks the table", () => {
  expect(table(["", "a|b"], [["x\ny", 1]])).toBe("|  | a\\|b |\n|---|---:|\n| x y | 1 |");
});

it("targets are ratios of medians against OpenTofu in the same cell; what wasn't measured is not called met", () => {
  const targets = targetsOf(recorded);
  const of = (figure, contender) => targets.find(one => one.figure === figure && one.contender === contender);
  expect(of("up", "plugin-yaml")).toMatchObject({ target: 0.6, measured: 2.2 / 4, met: true });
  expect(of("no-op preview", "plugin-yaml")).toMatchObject({ target: 0.25, measured: 0.25, met: true });
  expect(of("state", "plugin-yaml")).toMatchObject({ target: 1 / 60, measured: 1 / 100, met: true });
  expect(of("peak memory, largest process", "plugin-yaml")).toMatchObject({ measured: 0.2, met: true });
  expect(of("refresh", "sdk-ts")).toMatchObject({ target: 0.5, measured: undefined, met: undefined });
  expect(targetsOf({ cells: [] })).toEqual([]);
});

it("a ratio above its target is called missed, in bold", () => {
  const slow = structuredClone(recorded);
  for (const { contender, phases } of slow.cells[0].rounds) if (contender === "plugin-yaml") phases.up.wall = 4;
  expect(targetsOf(slow)[0]).toMatchObject({ measured: 1, met: false });
  expect(resultsText(slow)).toContain("| up | ≤ 0.60 / 1.00 / **no** |");
});

it("a tool over its limit is reported, never left out", () => {
  expect(figuresOf(cell, "naive").problem("up")).toBe("over 300 s");
  expect(resultsText(recorded)).toContain("| naive dynamic provider | over 300 s | – | – | – | – |");
});

it("the table says the machine, the day and how busy it was", () => {
  const text = resultsText(recorded);
  expect(text).toContain("Machine: 2 cores (a | b), 8 GB, linux x64. Versions: node 24.0.0.");
  expect(text).toContain("Measured 2026-01-02; load average 0.5 before, 1.3 after.");
  expect(text).toContain("| our plugin, YAML | 2.20 s (2.00–2.40) | 2.00 s (1.00–3.00) |");
});

it("the chart has a bar for each figure, to scale, and names what is missing", () => {
  const chart = chartOf(recorded);
  expect(chart.match(/<rect /g)).toHaveLength(2 * 4);
  expect(chart).toContain(">not measured<");
  expect(chart).toContain(">2.20 s<");
  expect(chart).toContain(">20 MB<");
  const slow = structuredClone(recorded);
  slow.cells[0].rounds[2] = { ...slow.cells[0].rounds[1], contender: "naive" };
  slow.cells[0].rounds[2].phases = { up: { ...slow.cells[0].rounds[1].phases.up, wall: 96 } };
  const bars = [...chartOf(slow).matchAll(/width="(\d+)" height="15"[^>]*\/><text [^>]*>([^<]*)</g)].map(
    ([, length, label]) => [label, Number(length)],
  );
  expect(bars.slice(0, 3)).toEqual([
    ["2.20 s", 9],
    [expect.any(String), expect.any(Number)],
    ["96.0 s", 400],
  ]);
  expect(chartOf({ cells: [] })).toBe(undefined);
});

it("every colour of the chart has contrast on a light and on a dark background", () => {
  const light = hex => {
    const [r, g, b] = [1, 3, 5].map(at => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
    const linear = value => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  };
  const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  for (const ink of Object.values(INK)) {
    for (const ground of ["#ffffff", "#0d1117"]) expect(contrast(ink, ground)).toBeGreaterThan(3);
  }
  expect(contrast(INK.text, "#ffffff")).toBeGreaterThan(4);
  expect(contrast(INK.text, "#0d1117")).toBeGreaterThan(4);
});

it("kills are counted for each way of running, with what the service's books say after them", () => {
  const many = {
    ...{ count: 10, size: 20_000, latency: 50, date: "2026-01-02", load: { before: 1, after: 2 }, rounds: [] },
    kills: [
      { contender: "default", before: 5, documents: 10, names: 10 },
      { contender: "without-10", before: 6, documents: 11, names: 9 },
      { contender: "default", before: 7, documents: 10, names: 10 },
    ],
  };
  expect(resultsText({ cells: [], many }).split("\n").slice(-5)).toEqual([
    "|  | kills | after so many creates | sent twice | missing |",
    "|---|---:|---:|---:|---:|",
    "| our plugin, as it is | 2 | 5, 7 | 0 | 0 |",
    "| our plugin, without checkpoints, 10 at a time | 1 | 6 | 2 | 1 |",
    "",
  ]);
});

it("a set's targets are ratios of the bare loop's time, and milliseconds of a processor for a row beyond the loop's", () => {
  const cell = { count: 1000, size: 150_000, latency: 50, date: "2026-01-02", load: 1 };
  const row = (key, up, cpu) => ({ ...cell, key, title: key, up, cpu });
  const set = { rows: [row("set-pdfs", 9.1, 4.2), row("set-table", 9.8, 15.2), row("loop", 7, 2.2)] };
  const lines = resultsText({ cells: [], set }).split("\n");
  expect(lines.filter(line => /^\| (up|processor)/.test(line))).toEqual([
    "| up, × the bare loop | 1.30 | 1.30 | yes | – |",
    "| up, a table and a template, × the bare loop | 1.30 | 1.40 | **no** | – |",
    "| processor time for a row, beyond the bare request | 3 ms | 2 ms | yes | – |",
    "| processor time for a row rendered, beyond one that isn't | 10 ms | 11 ms | **no** | – |",
  ]);
});
