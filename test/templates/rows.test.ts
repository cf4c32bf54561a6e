import { expect, test } from "vitest";
import { problemsOf, render } from "../../templates/render.js";
import { markdown } from "../../templates/source.js";

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
