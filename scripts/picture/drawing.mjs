// The picture of a recorded terminal: which one, of which recording, and with which words for those who don't see it.

const COLUMNS = 106;

export const FILES = { recording: "docs/images/terminal.ansi", picture: "docs/images/terminal.svg" };

export function pictureOf(recording) {
  return renderSvg({
    lines: trim(parseAnsi(recording.trimEnd()), COLUMNS),
    columns: COLUMNS,
    title: "A contract in a terminal: who will be mailed, two signatures, a change that is refused",
    description:
      "pulumi preview says who will be mailed. pulumi up creates a folder and a contract for two people; the service mails " +
      "the first signer. Both sign. pulumi up with a refresh brings the new status and the addresses of the Bitcoin and " +
      "Ethereum certificates. The PDF is edited, and pulumi preview refuses to replace the signed contract, saying who " +
      "signed and what can be done. Everything shown was printed by a real run; an ellipsis marks what was left out.",
  });
}

// ---- What fits a page ----

// What a terminal would have overwritten goes without a trace; whatever
// else is left out leaves an ellipsis where it was.

const ELLIPSIS = "…";
const LONG_HEX = /[0-9a-f]{24,}/g;

/** Rows of work in progress: on a terminal, the row of the finished work replaces them. */
const OVERWRITTEN = [
  /^@ /,
  / (creating|refreshing|updating) \(\d+s\)/,
  / running\s*$/,
  /^ \+ {2}docsign:\S+ \S+ create /,
];

const LEFT_OUT = [
  // The stack, unchanged resources, and what the service can't say about folders.
  /^ {4}\S+:\S+:\S+ /,
  /^ \+ {2}pulumi:pulumi:Stack /,
  /^ ~ {2}docsign:index:Folder /,
  /^ {2}docsign:index:Folder \(contracts\):/,
  /^ {4}folder \d+:/,
  /^Diagnostics:/,
  // Outputs the picture can do without, and the engine's sums.
  /^( {4}| {2}\+ )(documentId|signedPdf|nom151) /,
  /^ {4}\w+ *: \[unknown\]/,
  /^(Resources|Duration):/,
  /^ {4}(\+ )?\d+ (created|to create|unchanged|errored)/,
];

/** @param {ReturnType<typeof parseAnsi>} lines */
export function trim(lines, columns) {
  const shown = lines.filter(spans => !OVERWRITTEN.some(pattern => pattern.test(plain(spans))));
  const kept = [];
  let leftOut = [];
  const endGap = () => {
    // In the place of a single line, the line itself says more than an ellipsis, if it fits.
    const fits = leftOut.length === 1 && plain(leftOut[0]).length <= columns;
    if (fits) kept.push(...leftOut);
    else if (leftOut.length > 0) kept.push([{ text: `    ${ELLIPSIS}`, dim: true }]);
    leftOut = [];
  };
  for (const [row, spans] of shown.entries()) {
    const text = plain(spans);
    if (LEFT_OUT.some(pattern => pattern.test(text))) leftOut.push(spans);
    else if (text !== "") {
      endGap();
      kept.push(...wrapped(shortened(spans), columns));
    } else if (startsPart(shown[row + 1])) {
      endGap();
      kept.push([]);
    }
  }
  endGap();
  return kept;
}

const startsPart = spans => spans !== undefined && /^[$#] /.test(plain(spans));

function shortened(spans) {
  return spans.map(span => ({
    ...span,
    text: span.text.replace(LONG_HEX, hex => `${hex.slice(0, 8)}${ELLIPSIS}${hex.slice(-4)}`),
  }));
}

/** Lines of at most `columns`, broken between words; what follows a break is indented by two more. */
function wrapped(spans, columns) {
  const text = plain(spans).trimEnd();
  if (text.length <= columns) return [cut(spans, 0, text.length)];
  const indent = text.length - text.trimStart().length + 2;
  const space = text.lastIndexOf(" ", columns);
  const end = space > indent ? space : columns;
  const rest = cut(spans, space > indent ? end + 1 : end, text.length);
  return [cut(spans, 0, end), ...wrapped([{ text: " ".repeat(indent) }, ...rest], columns)];
}

// ---- As an SVG ----

// Lines of spans as a terminal: a dark card, so that it reads the same on light and dark pages. It embeds no
// font: every span says how wide it is, which keeps the columns whatever monospaced font there is.

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

// ---- A terminal's output ----

// As lines of spans: `{ text, bold, dim, colour }`, colour being 0 to 15 or undefined.

const ESCAPE = "\x1b";
const SEQUENCE = new RegExp(`${ESCAPE}\\[([\\d;]*)([A-Za-z])`);

/** What was written to a terminal, line by line. A style goes on over the ends of lines, as it does there. */
export function parseAnsi(text) {
  let style = {};
  return text.split("\n").map(line => {
    const spans = [];
    let rest = line;
    for (let found = SEQUENCE.exec(rest); found; found = SEQUENCE.exec(rest)) {
      push(spans, rest.slice(0, found.index), style);
      const [sequence, codes, command] = found;
      if (command !== "m") throw new Error(`only colours are known, not the sequence ${JSON.stringify(sequence)}`);
      style = restyle(style, codes === "" ? [0] : codes.split(";").map(Number));
      rest = rest.slice(found.index + sequence.length);
    }
    push(spans, rest, style);
    return spans;
  });
}

export function plain(spans) {
  return spans.map(({ text }) => text).join("");
}

/** The characters from one place to another. */
function cut(spans, from, to) {
  let at = 0;
  return spans.flatMap(span => {
    const text = span.text.slice(Math.max(0, from - at), Math.max(0, to - at));
    at += span.text.length;
    return text === "" ? [] : [{ ...span, text }];
  });
}

function push(spans, text, style) {
  if (text === "") return;
  const last = spans.at(-1);
  if (last && last.bold === style.bold && last.dim === style.dim && last.colour === style.colour) last.text += text;
  else spans.push({ text, ...style });
}

function restyle(style, codes) {
  const [code, ...rest] = codes;
  if (code === undefined) return style;
  if (code === 38 && rest[0] === 5 && rest[1] < 16) return restyle({ ...style, colour: rest[1] }, rest.slice(2));
  return restyle(simple(style, code), rest);
}

const STYLES = {
  1: { bold: true },
  2: { dim: true },
  22: { bold: undefined, dim: undefined },
  39: { colour: undefined },
};

function simple(style, code) {
  if (code === 0) return {};
  if (STYLES[code]) return { ...style, ...STYLES[code] };
  if (code >= 30 && code <= 37) return { ...style, colour: code - 30 };
  if (code >= 90 && code <= 97) return { ...style, colour: code - 90 + 8 };
  throw new Error(`a style that isn't known: ${code}`);
}
