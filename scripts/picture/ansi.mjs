// A terminal's output as lines of spans: `{ text, bold, dim, colour }`, colour being 0 to 15 or undefined.

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

/** The first `length` characters. */
export function cut(spans, length) {
  let left = length;
  return spans.flatMap(span => {
    const text = span.text.slice(0, left);
    left -= text.length;
    return text === "" ? [] : [{ ...span, text }];
  });
}

/** All but the first `length` characters. */
export function dropped(spans, length) {
  let left = length;
  return spans.flatMap(span => {
    const text = span.text.slice(left);
    left = Math.max(0, left - span.text.length);
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

function simple(style, code) {
  if (code === 0) return {};
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 22) return { ...style, bold: undefined, dim: undefined };
  if (code === 39) return { ...style, colour: undefined };
  if (code >= 30 && code <= 37) return { ...style, colour: code - 30 };
  if (code >= 90 && code <= 97) return { ...style, colour: code - 90 + 8 };
  throw new Error(`a style that isn't known: ${code}`);
}
