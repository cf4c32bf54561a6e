// Lines of spans as an SVG of a terminal: a dark card, so that it reads the same on light and dark pages. It embeds no
// font: every span says how wide it is, which keeps the columns whatever monospaced font there is.
import { plain } from "./ansi.mjs";

const SIZE = 13;
const CELL = 7.8;
const LINE = 17;
const PADDING = 18;
const BAR = 34;

const PAPER = "#161b22";
const INK = "#d1d9e0";
const FAINT = "#9198a1";
const EDGE = "#3d444d";
/** The sixteen colours of a terminal, each readable on the card. */
const COLOURS = [
  ...["#9198a1", "#ff7b72", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#76e3ea", "#d1d9e0"],
  ...["#b1bac4", "#ffa198", "#7ee787", "#f2cc60", "#a5d6ff", "#e2c5ff", "#b3f0ff", "#ffffff"],
];

/** @param {{ lines: object[][], columns: number, title: string, description: string }} picture */
export function renderSvg({ lines, columns, title, description }) {
  const width = Math.ceil(columns * CELL + 2 * PADDING);
  const height = BAR + lines.length * LINE + 2 * PADDING - (LINE - SIZE);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title description">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="description">${escaped(description)}</desc>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${PAPER}" stroke="${EDGE}"/>`,
    `<path d="M1 ${BAR}H${width - 1}" stroke="${EDGE}"/>`,
    ...[0, 1, 2].map(nth => `<circle cx="${PADDING + 6 + nth * 18}" cy="${BAR / 2}" r="5.5" fill="${EDGE}"/>`),
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${SIZE}" fill="${INK}" xml:space="preserve">`,
    ...lines.flatMap((spans, row) => line(spans, BAR + PADDING + SIZE - 2 + row * LINE)),
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

function line(spans, y) {
  if (plain(spans) === "") return [];
  let column = 0;
  const texts = spans.flatMap(span => {
    const start = column;
    column += span.text.length;
    // One text for each group of words with single spaces between: a renderer may collapse longer gaps, and would then
    // stretch the letters to fill the width.
    return [...span.text.matchAll(/\S+(?: \S+)*/g)].map(found => word(span, found[0], start + found.index, y));
  });
  return [`<g>${texts.join("")}</g>`];
}

function word({ bold, dim, colour }, text, column, y) {
  const fill = dim ? FAINT : COLOURS[colour];
  const looks = `${fill ? ` fill="${fill}"` : ""}${bold ? ` font-weight="bold"` : ""}`;
  const length = [...text].length > 1 ? ` textLength="${units(text.length * CELL)}"` : "";
  return `<text x="${units(PADDING + column * CELL)}" y="${y}"${length}${looks}>${escaped(text)}</text>`;
}

const units = number => String(Math.round(number * 10) / 10);

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
