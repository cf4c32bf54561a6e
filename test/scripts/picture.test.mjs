import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FILES, parseAnsi, pictureOf, plain, renderSvg, trim } from "../../scripts/picture/drawing.mjs";

const root = join(import.meta.dirname, "..", "..");
const read = path => readFileSync(join(root, path), "utf8");
const svgOf = text =>
  renderSvg({ lines: parseAnsi(text), columns: 40, title: `A "title" & more`, description: "what is shown" });
const trimmed = (text, columns = 60) => trim(parseAnsi(text), columns).map(plain);

/** Whether every tag that is opened is closed, in order, and nothing in between is left unescaped. */
function unclosed(svg) {
  const open = [];
  for (const [, close, name, self] of svg.matchAll(/<(\/?)([a-z]+)(?:\s[\w:-]+="[^"<]*")*\s*(\/?)>/g)) {
    if (close) expect(open.pop()).toBe(name);
    else if (!self) open.push(name);
  }
  const text = svg.replaceAll(/<\/?[a-z]+(?:\s[\w:-]+="[^"<]*")*\s*\/?>/g, "");
  expect(text).not.toMatch(/[<>]|&(?!(amp|lt|gt);)/);
  return open;
}

/** The words of each line, as they are read. */
function linesIn(svg) {
  return [...svg.matchAll(/<g>(.*?)<\/g>/g)].map(([, line]) =>
    [...line.matchAll(/>([^<]*)<\/text>/g)]
      .map(([, text]) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"))
      .join(" "),
  );
}

it("colours and weight become spans, and a style goes on into the next line until it is reset", () => {
  expect(parseAnsi("a\x1b[1mb\x1b[38;5;2mc\nd\x1b[0me")).toEqual([
    [{ text: "a" }, { text: "b", bold: true }, { text: "c", bold: true, colour: 2 }],
    [{ text: "d", bold: true, colour: 2 }, { text: "e" }],
  ]);
});

it.each(["\x1b[2J", "\x1b[38;5;208m", "\x1b[4m"])(
  "what the picture couldn't show the same is refused: %j",
  sequence => {
    expect(() => parseAnsi(`${sequence}x`)).toThrow();
  },
);

it("every span stands in its column, as wide as its characters, with its text escaped", () => {
  const svg = svgOf(`if \x1b[38;5;1ma<b && "c">d\x1b[0m`);
  expect(unclosed(svg)).toEqual([]);
  expect(svg).toContain(`<text x="18" y="63" textLength="15.6">if</text>`);
  expect(svg).toContain(`x="41.4" y="63" textLength="93.6" fill="#ff7b72">a&lt;b &amp;&amp; "c"&gt;d</text>`);
  expect(svg).toContain(`<title id="title">A "title" &amp; more</title>`);
});

it("words with a longer gap between them are texts of their own, so that no renderer stretches their letters", () => {
  const svg = svgOf("    OUTPUT          VALUE of it");
  expect([...svg.matchAll(/x="([\d.]+)" y="63" textLength="([\d.]+)">([^<]*)</g)].map(([, ...found]) => found)).toEqual(
    [
      ["49.2", "46.8", "OUTPUT"],
      ["174", "85.8", "VALUE of it"],
    ],
  );
});

it("rows a terminal overwrites are gone; what else is left out leaves one ellipsis", () => {
  const row = "docsign:index:Document nda";
  expect(trimmed(` +  ${row} creating (0s)\n@ updating....\n +  ${row} created (0.1s)`)).toEqual([
    ` +  ${row} created (0.1s)`,
  ]);
  expect(trimmed("Outputs:\nResources:\n    + 3 created\n\nDuration: 1s\n\n$ next")).toEqual([
    "Outputs:",
    "    …",
    "",
    "$ next",
  ]);
});

it("a long line is broken between words, what follows indented by two; a word without a space is broken at the edge", () => {
  expect(trimmed("  one two three", 10)).toEqual(["  one two", "    three"]);
  expect(trimmed("abcdefghij", 8)).toEqual(["abcdefgh", "  ij"]);
});

it("an ellipsis stands where a long digest is cut, and not where one short line was left out", () => {
  expect(trimmed(`at ${"0123456789ab".repeat(5)}.pdf`)).toEqual(["at 01234567…89ab.pdf"]);
  expect(trimmed("Outputs:\n    documentId : 5001")).toEqual(["Outputs:", "    documentId : 5001"]);
});

it("the committed picture is what the committed recording gives (npm run picture)", () => {
  expect(read(FILES.picture)).toBe(pictureOf(read(FILES.recording)));
});

it("every line of the committed picture was printed by the recorded run, in its order", () => {
  const spaced = text => text.replaceAll(/\s+/g, "");
  const recorded = spaced(parseAnsi(read(FILES.recording)).map(plain).join("\n"));
  const lines = linesIn(read(FILES.picture)).filter(line => line !== "…");
  let at = 0;
  for (const part of lines.flatMap(line => spaced(line).split("…"))) {
    const found = recorded.indexOf(part, at);
    expect(found, part).toBeGreaterThanOrEqual(at);
    at = found + part.length;
  }
  for (const shown of [
    /^\$ pulumi up/,
    /mails ana@example\.com/,
    /"unsigned" => "signed"|un signed/,
    /btcCertificate/,
    /will mail ana@example\.com/,
    /\[docsign\/replace-signed\]/,
  ])
    expect(lines.filter(line => shown.test(line)).length, String(shown)).toBeGreaterThan(0);
});

it("the committed picture is self-contained: no script, no font, nothing fetched, with a text alternative", () => {
  const svg = read(FILES.picture);
  expect(unclosed(svg)).toEqual([]);
  expect(svg).not.toMatch(/<script|<style|@font-face|<image|<use|href=|url\(|foreignObject| on\w+=/);
  expect([...svg.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)).toEqual(["title", "description"]);
  expect(svg).toContain(`role="img" aria-labelledby="title description"`);
});
