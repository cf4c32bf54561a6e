import { PDFDocument, StandardFonts } from "@cantoo/pdf-lib";
import { describe, expect, test } from "vitest";
import { readPdf } from "../../commands/redline/pdf.js";
import { renderTemplate } from "../../sdk/templates/index.js";

type Line = readonly [text: string, y: number, size?: number];

/** A PDF of lines at heights, page by page. */
async function drawnOn(width: number, ...pages: Line[][]): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (const lines of pages) {
    const page = document.addPage([width, 800]);
    for (const [text, y, size = 10] of lines) page.drawText(text, { x: 50, y, size, font });
  }
  return document.save();
}

const drawn = (...pages: Line[][]) => drawnOn(600, ...pages);

const clause = (title: string, ...lines: string[]) => ({ title, lines });

describe("the text of a PDF", () => {
  test("of a template is its clauses, with paragraphs whole and without page numbers", async () => {
    const long = "The parties keep what they learn to themselves and return all documents. ".repeat(60).trim();
    const markdown = `# Lease\n\nBetween {{a}} and Bob.\n\n## 1. Term\n\n${long}\n\n- keys\n- a garage\n`;
    const { pdf } = await renderTemplate({ template: { markdown }, variables: { a: "Ana" } });
    expect(await readPdf(pdf)).toEqual({
      pages: 2,
      clauses: [clause("Lease", "Between Ana and Bob."), clause("1. Term", long, "• keys", "• a garage")],
      silent: [],
    });
  });

  test("has what stands on every page once, and lines of a paragraph together", async () => {
    const header = ["Contract 7", 780] as const;
    const pdf = await drawn(
      [header, ["Title", 740, 16], ["The rent is 900 euros", 700], ["a month.", 686], ["1 of 2", 20]],
      [header, ["It ends in May.", 740], ["2 of 2", 20]],
    );
    expect(await readPdf(pdf)).toEqual({
      pages: 2,
      clauses: [clause("", "Contract 7"), clause("Title", "The rent is 900 euros a month.", "It ends in May.")],
      silent: [],
    });
  });

  test("names pages without any", async () => {
    expect(await readPdf(await drawn([["One line", 700]], []))).toMatchObject({ pages: 2, silent: [2] });
  });
});

describe("what can't be read is said, with the pages where they are known", () => {
  test.each<[string, () => Promise<Uint8Array> | Uint8Array, { wrong: string; pages: number | undefined }]>([
    ["a PDF without text", () => drawn([], []), { wrong: "there is none in it, as in a scan", pages: 2 }],
    ["no PDF", () => Buffer.from("A letter"), { wrong: "it is no PDF, or damaged", pages: undefined }],
    ["an empty file", () => new Uint8Array(), { wrong: "it is no PDF, or damaged", pages: undefined }],
    [
      "too many pages",
      () => drawn(...Array.from({ length: 501 }, () => [])),
      { wrong: "expected at most 500 pages, got 501", pages: 501 },
    ],
    [
      "too many bytes",
      () => new Uint8Array(64 * 1024 * 1024 + 1),
      { wrong: "expected at most 67108864 bytes, got 67108865", pages: undefined },
    ],
  ])("%s", async (_, made, expected) => {
    expect(await readPdf(await made())).toEqual(expected);
  });

  test("a page with more text than anybody reads", async () => {
    const pdf = await drawnOn(
      400_000,
      Array.from({ length: 50 }, (_, n) => ["word ".repeat(10_000), 790 - n * 15] as const),
    );
    const found = await readPdf(pdf);
    expect("wrong" in found ? found : "clauses").toEqual({
      wrong: "expected at most 2000000 characters, got more",
      pages: 1,
    });
  });

  test("one that takes too long: the thread ends", async () => {
    const found = await readPdf(await drawn([["Text", 700]]), AbortSignal.abort());
    expect(found).toEqual({ wrong: "reading it takes too long", pages: undefined });
  });
});
