// chart.svg: the key cell as bars. No colour of its own for the ground; every ink stands out on white and on black.
import { cellName, KEY_CELL } from "../workload.mjs";
import { bytes, figuresOf, keyCellOf, time } from "./figures.mjs";

export const INK = { text: "#737b86", ours: "#2f81d0", rival: "#b7701f" };

const BARS = [
  { key: "plugin-yaml", label: "docsign plugin, YAML", ink: INK.ours },
  { key: "plugin-ts", label: "docsign plugin, TypeScript", ink: INK.ours },
  { key: "sdk-ts", label: "docsign SDK, TypeScript", ink: INK.ours },
  { key: "tofu", label: "OpenTofu + restapi", ink: INK.rival },
  { key: "naive", label: "naive dynamic provider", ink: INK.rival },
];
const PANELS = [
  { title: "pulumi up", of: figures => figures.wall("up")?.median, write: time },
  { title: "preview, nothing changed", of: figures => figures.wall("preview")?.median, write: time },
  { title: "refresh", of: figures => figures.wall("refresh")?.median, write: time },
  { title: "state", of: figures => figures.state, write: bytes },
];
const [WIDTH, LABELS, BAR, ROW, GAP, TOP] = [860, 200, 400, 22, 42, 74];

/** Undefined while the key cell hasn't been measured. */
export function chartOf(results) {
  const cell = keyCellOf(results);
  const bars = cell && BARS.map(bar => ({ ...bar, figures: figuresOf(cell, bar.key) })).filter(bar => bar.figures);
  if (!bars || bars.length === 0) return undefined;
  const height = TOP + PANELS.length * (bars.length * ROW + GAP);
  const panels = PANELS.map((panel, i) => drawPanel(panel, bars, TOP + i * (bars.length * ROW + GAP)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title"`,
    ` font-family="system-ui, sans-serif" font-size="13" fill="${INK.text}">`,
    `<title id="title">${quoted(`${cellName(KEY_CELL)}: time and state, beside peers`)}</title>`,
    `<text x="0" y="18" font-size="16" font-weight="600">${KEY_CELL.count} documents of 150 KB, a service that answers in ${KEY_CELL.latency} ms</text>`,
    `<text x="0" y="40">Shorter is better; the bars of each group have one scale. All from one run on one machine.</text>`,
    ...panels,
    "</svg>",
    "",
  ].join("\n");
}

function drawPanel({ title, of, write }, bars, y) {
  const values = bars.map(({ figures }) => of(figures));
  const full = Math.max(...values.filter(value => value !== undefined));
  const rows = bars.map(({ label, ink }, i) =>
    drawBar({ label, ink, value: values[i], full, write }, y + 10 + i * ROW),
  );
  return [`<text x="0" y="${y}" font-weight="600">${quoted(title)}</text>`, ...rows].join("\n");
}

function drawBar({ label, ink, value, full, write }, y) {
  const middle = y + ROW / 2 + 4;
  const name = `<text x="${LABELS - 10}" y="${middle}" text-anchor="end">${quoted(label)}</text>`;
  if (value === undefined) return `${name}<text x="${LABELS}" y="${middle}">not measured</text>`;
  const length = Math.max(2, Math.round((value / full) * BAR));
  const bar = `<rect x="${LABELS}" y="${y + 3}" width="${length}" height="${ROW - 7}" rx="2" fill="${ink}"/>`;
  return `${name}${bar}<text x="${LABELS + length + 8}" y="${middle}">${quoted(write(value))}</text>`;
}

const quoted = text => text.replace(/[&<>"]/g, char => `&#${char.charCodeAt(0)};`);
