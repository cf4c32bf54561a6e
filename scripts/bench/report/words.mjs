// Figures as people read them.

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

/** Rows of text as a Markdown table; what stands in cells can't break it. */
export function table(head, rows) {
  const line = cells =>
    `| ${cells.map(cell => String(cell).replaceAll("|", "\\|").replace(/\s+/g, " ")).join(" | ")} |`;
  return [line(head), `|${head.map((_, i) => (i === 0 ? "---" : "---:")).join("|")}|`, ...rows.map(line)].join("\n");
}
