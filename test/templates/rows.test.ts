import { PDFContext } from "@cantoo/pdf-lib";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { problemsOf, type RenderRequest, render } from "../../sdk/templates/render.js";
import { markdown } from "../../sdk/templates/source.js";

const request = (text: string, variables: RenderRequest["variables"]) => ({
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

const PAGES = ": expected at most 2000 pages, got more from here on";

test.each([
  ["page breaks", "Page\n\n<!-- pagebreak -->\n\n".repeat(2_001), {}, `line 8001${PAGES}`],
  ["short paragraphs", "a\n\n".repeat(100_000), {}, `line 120001${PAGES}`],
  [
    "a list, in a row that isn't the first",
    "{{#each a}}\n{{this}}\n\n<!-- pagebreak -->\n\n{{/each}}\n",
    { a: Array.from({ length: 2_001 }, () => "b") },
    `line 2${PAGES}`,
  ],
  [
    "a table's row",
    `a\n\n|a|b|\n|-|-|\n|${"x ".repeat(9_000)}|y|`,
    {},
    "line 3: a row of a table is higher than a page; split it",
  ],
  [
    "columns",
    `a\n\n|${"a|".repeat(60)}\n|${"-|".repeat(60)}`,
    {},
    "line 3: a table has too many columns, or a list is nested too deep, for the page",
  ],
])(
  "what has no room on its pages is refused by line before it is printed, and then: %s",
  async (_, text, variables, says) => {
    const first = Object.fromEntries(Object.keys(variables).map(name => [name, ["Ana"]]));
    const fits = await problemsOf(request(text, first), []);
    expect(fits).toEqual(Object.keys(variables).length > 0 ? [] : [says]);
    expect(await problemsOf(request(text, variables), [])).toEqual([says]);
    expect(await render(request(text, variables))).toEqual({ problems: [says] });
  },
);

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
  const pack = vi.spyOn(PDFContext.prototype, "flateStream");
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

const BLOCKS = [
  "# Agreement\n",
  "## With {{name}}\n",
  `${CLAUSE.repeat(3)}\n`,
  `**${CLAUSE}** *Between* ${CLAUSE}and **{{name}}**, ${CLAUSE}\n`,
  `1. ${CLAUSE}\n2. {{name}} pays.\n3. ${CLAUSE}\n   - ${CLAUSE}\n`,
  `- one\n- two\n\n  ${CLAUSE}\n`,
  `> ${CLAUSE}\n> *{{name}}*\n`,
  "|Who|What|\n|:-|-:|\n|{{name}}|pays|\n|Example Inc.|works|\n",
  "|a|b|\n|-|-|\n|1|2|\n",
  "See [the page][page].\n\n[page]: https://example.com/{{name}}\n",
  `{{#if long}}\n${CLAUSE.repeat(4)}\n{{/if}}\n`,
  "<!-- pagebreak -->\n",
  "---\n",
  "```signatures\n{{name}}\nExample Inc. | seller\n```\n",
  "```footer\n{{name}} | {page} of {pages}\n```\n",
];

test("a row's bytes don't depend on the rows and templates before it, whatever they hold", async () => {
  const name = fc.oneof(
    fc.constantFrom("Ana", "Zoë Kovač", "Łukasz ﬁ Ñandú", "山田 太郎", "A".repeat(120)),
    fc.string({ unit: fc.constantFrom(..."aeiou bcdfg 0123"), minLength: 1, maxLength: 12 }),
  );
  const row = fc.record({ name, long: fc.boolean() });
  const blocks = fc.uniqueArray(fc.constantFrom(...BLOCKS), { minLength: 1, maxLength: 9 });
  const rows = fc.tuple(row, row, row);
  const pageSize = fc.constantFrom("A4" as const, "Letter" as const);
  await fc.assert(
    fc.asyncProperty(blocks, rows, pageSize, async (blocks, rows, pageSize) => {
      const text = [...blocks, "{{name}}", "{{#if long}}{{/if}}\n"].join("\n");
      const source = markdown(text);
      const requestFor = (variables: RenderRequest["variables"]) => ({ ...request(text, variables), source, pageSize });
      for (const variables of rows) await render(requestFor(variables));
      const [one] = rows;
      const again = await render(requestFor(one));
      vi.resetModules();
      const fresh = (await import("../../sdk/templates/render.js")).render;
      expect(bytesOf(again)).toEqual(bytesOf(await fresh(requestFor(one))));
    }),
    { numRuns: 30 },
  );
});

const bytesOf = (answer: Awaited<ReturnType<typeof render>>) =>
  "pdf" in answer ? Buffer.from(answer.pdf).toString("latin1") : answer;
