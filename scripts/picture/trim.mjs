// From a whole recording to what fits a page. What a terminal would have overwritten goes without a trace; whatever
// else is left out leaves an ellipsis where it was.
import { cut, dropped, plain } from "./ansi.mjs";

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

/** @param {ReturnType<typeof import("./ansi.mjs").parseAnsi>} lines */
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
  if (text.length <= columns) return [cut(spans, text.length)];
  const indent = text.length - text.trimStart().length + 2;
  const space = text.lastIndexOf(" ", columns);
  const end = space > indent ? space : columns;
  const rest = dropped(cut(spans, text.length), space > indent ? end + 1 : end);
  return [cut(spans, end), ...wrapped([{ text: " ".repeat(indent) }, ...rest], columns)];
}
