import { expect, test, vi } from "vitest";
import { libraries } from "../../sdk/templates/libraries.js";
import { problemsOf, render } from "../../sdk/templates/render.js";
import { markdown } from "../../sdk/templates/source.js";

const request = (text: string, variables: Record<string, string>) => ({
  source: markdown(text),
  variables,
  fonts: [],
  pageSize: "A4" as const,
  pageNumbers: true,
  title: undefined,
});

const MARKDOWN = "# NDA\n\nBetween {{name}} and {{other}}e.\n";
const ROWS: Record<string, string>[] = [
  { name: "Ana", other: "Bob" },
  { name: "Łukasz", other: "Ñandú" },
  { name: "山", other: "Bob" },
  { name: "a\u202eb", other: "Bob" },
  { name: "Ana" },
  { name: "Ana", other: "Bob", third: "Eve" },
  { name: "Ana", third: "Bob" },
  { name: "Ana", other: "" },
  // Joined to the letter before them: one is in the fonts, and one isn't.
  { name: "Ana", other: "\u0301" },
  { name: "\u0323", other: "\u20dd" },
  { name: "Bob", other: "Ana" },
];

test.each([
  ["a template", MARKDOWN],
  ["one whose own text joins a value", "{{name}}\u0301 {{other}}\n"],
  ["one that holds what can't be printed", "{{name}} {{other}} <b>x</b>\n"],
])("%s is checked for each row as rendering it finds, whatever rows were checked before", async (_, text) => {
  for (const variables of [...ROWS, ...ROWS.toReversed()]) {
    const rendered = await render(request(text, variables));
    const problems = "problems" in rendered ? rendered.problems : [];
    expect([variables, await problemsOf(request(text, variables), [])]).toEqual([variables, problems]);
  }
});

const CLAUSE = "The quick brown fox jumps over the lazy dog, 0123456789 times. ";
const CONTRACT = `Between Example Inc. and **{{name}}**. ${CLAUSE.repeat(9)}\n\n{{name}}\n`;
const PEOPLE = ["rob", "bor", "orb", "Zoë", "rob"];

async function pdfOf(name: string): Promise<Uint8Array> {
  const rendered = await render(request(CONTRACT, { name }));
  if ("problems" in rendered) throw new Error(rendered.problems.join("\n"));
  return rendered.pdf;
}

test("what rows have in common is packed and encoded for the first of them", async () => {
  await pdfOf("bro");
  const pack = vi.spyOn(libraries.pdfLib.PDFContext.prototype, "flateStream");
  const packed = async (name: string) => {
    pack.mockClear();
    await pdfOf(name);
    return pack.mock.calls.length;
  };
  // A font, and what its glyphs stand for: of the bold one, as its glyphs come in another order.
  expect(await packed("rob")).toBe(2);
  expect(await packed("bro")).toBe(0);
  pack.mockRestore();
});

test("a row's bytes don't depend on those before it", async () => {
  const alone = new Map<string, Uint8Array>();
  for (const name of new Set(PEOPLE)) {
    vi.resetModules();
    const fresh = (await import("../../sdk/templates/render.js")).render;
    const rendered = await fresh(request(CONTRACT, { name }));
    if ("pdf" in rendered) alone.set(name, rendered.pdf);
  }
  for (const name of [...PEOPLE, ...PEOPLE.toReversed()])
    expect(Buffer.from(await pdfOf(name)).equals(Buffer.from(alone.get(name) ?? [])), name).toBe(true);
});
