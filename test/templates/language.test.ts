import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { renderTemplate } from "../../sdk/templates/index.js";
import { scratchFolder } from "../support/scratch.js";
import { printed, problemsOf, textsOf } from "./support.js";

let folder: string;
beforeEach(() => {
  folder = scratchFolder("docsign-language-");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Writes files, and answers the path of the first. */
function files(contents: Readonly<Record<string, string | Uint8Array>>): string {
  for (const [name, content] of Object.entries(contents)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return join(folder, Object.keys(contents)[0] ?? "");
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
const textOf = async (template: string, variables = {}): Promise<string> => {
  const { pdf } = await renderTemplate({ template, variables, pageNumbers: false });
  return oneLine((await textsOf(pdf)).join(" "));
};
const markdown = async (text: string, variables = {}) =>
  oneLine(await printed(text, { variables, pageNumbers: false }));

describe("a clause", () => {
  test("stands where it is named, its variables filled in, with clauses of its own from its own folder", async () => {
    const template = files({
      "nda.md": "# NDA\n\n{{> shared/secrecy.md}}\n\nEnd, {{> shared/name.md}}.\n",
      "shared/secrecy.md": "\ufeffWhat {{name}} hears\r\nstays so.\r\n\r\n{{> years.md}}\r\n",
      "shared/years.md": "For {{years}} years.",
      "shared/name.md": "dear {{name}}\n",
    });
    expect(await textOf(template, { name: "Ana", years: "5" })).toBe(
      "NDA What Ana hears stays so. For 5 years. End, dear Ana.",
    );
  });

  test("in a list's item belongs to that item, each of its lines", async () => {
    const template = files({ "a.md": "1. One\n\n   {{> b.md}}\n2. Two\n", "b.md": "First\n\n- Second\n\n  Third\n" });
    expect(await textOf(template)).toBe("1. One First • Second Third 2. Two");
  });

  test.each<[string, Record<string, string | Uint8Array>, string]>([
    ["isn't there", { "a.md": "# A\n\n{{> b.md}}" }, "line 3: {{> b.md}}: can't be read (ENOENT)"],
    [
      "isn't there, of a clause",
      { "a.md": "{{> c/b.md}}", "c/b.md": "One\n{{> d.md}}" },
      "c/b.md, line 2: {{> c/d.md}}: can't be read (ENOENT)",
    ],
    [
      "holds itself",
      { "a.md": "{{> b.md}}", "b.md": "One\n\n{{> ./b.md}}" },
      "b.md, line 3: a clause can't hold itself: b.md → b.md",
    ],
    [
      "holds another that holds it",
      { "a.md": "{{> b.md}}", "b.md": "{{> c.md}}", "c.md": "\n{{> b.md}}" },
      "c.md, line 2: a clause can't hold itself: b.md → c.md → b.md",
    ],
    [
      "is a folder",
      { "a.md": "{{> b.md}}", "b.md/c.md": "" },
      "line 1: {{> b.md}}: expected a file, got something else at that path",
    ],
    [
      "isn't text",
      { "a.md": "{{> b.md}}", "b.md": Buffer.from([0xff, 0xfe, 0]) },
      "line 1: {{> b.md}}: expected a clause in UTF-8, got something else",
    ],
    [
      "is an address",
      { "a.md": "{{> https://example.com/b.md}}" },
      'line 1: expected the path of a file from this one\'s folder, with /, got "https://example.com/b.md"',
    ],
    [
      "lies elsewhere by its whole path",
      { "a.md": "{{> /etc/hosts}}" },
      'line 1: expected the path of a file from this one\'s folder, with /, got "/etc/hosts"',
    ],
    [
      "lies outside the project",
      { "p/c/a.md": "{{> ../../b.md}}", "p/Pulumi.yaml": "name: p", "b.md": "x" },
      "line 1: {{> ../../b.md}}: expected a file inside the project's folder, got one outside",
    ],
    [
      "lacks a variable",
      { "a.md": "{{> b.md}}", "b.md": "\n\n{{years}} {{years}}" },
      "b.md, line 3: {{years}} has no variable",
    ],
  ])("that %s is an error with file and line", async (_what, contents, problem) => {
    const template = files(contents);
    expect(await problemsOf({ template })).toEqual([problem]);
  });

  test("of the project, beside the template's folder, is one of its own", async () => {
    const template = files({ "p/c/a.md": "{{> ../b.md}}", "p/Pulumi.yaml": "name: p", "p/b.md": "Beside" });
    expect(await textOf(template)).toBe("Beside");
  });

  test("behind a link that leads out of the project is refused", async () => {
    const template = files({ "p/a.md": "{{> b.md}}", "secret.md": "x" });
    symlinkSync(join(folder, "secret.md"), join(folder, "p/b.md"));
    expect(await problemsOf({ template })).toEqual([
      "line 1: {{> b.md}}: expected a file inside the project's folder, got one outside",
    ]);
  });

  test("needs a template that is a file", async () => {
    expect(await problemsOf({ template: { markdown: "{{> b.md}}" } })).toEqual([
      "line 1: {{> b.md}}: expected a template that is a file, as clauses and images lie beside it; got its text",
    ]);
  });

  test("more than ten deep is refused", async () => {
    const deep = Object.fromEntries(
      Array.from({ length: 15 }, (_, index) => [`c${index}.md`, `{{> c${index + 1}.md}}`]),
    );
    const template = files({ ...deep, "c15.md": "end" });
    expect(await problemsOf({ template })).toEqual(["c10.md, line 1: expected clauses at most 10 deep, got more"]);
  });
});

describe("an optional part", () => {
  const TEXT = "A\n\n{{#if b}}\nB {{b}}\n{{else}}\nno B\n{{/if}}\n\nC{{#if d}}D{{/if}}E";
  test.each([
    [{ b: "x", d: "" }, "A B x CE"],
    [{ b: "", d: true }, "A no B CDE"],
    [{ b: "", d: false }, "A no B CE"],
    [{ b: "", d: ["y"] }, "A no B CDE"],
    [{ b: "", d: [] }, "A no B CE"],
  ])("with %j", async (variables, text) => {
    expect(await markdown(TEXT, variables)).toBe(text);
  });

  test("whose answer is the word no is refused: it would be taken for a yes", async () => {
    for (const d of ["no", "False", "0"])
      expect(await problemsOf({ template: { markdown: "{{#if d}}D{{/if}}" }, variables: { d } })).toEqual([
        'line 1: {{#if d}}: expected true, false, a text or an empty one, got "no", "false" or "0"',
      ]);
  });

  test("needs every variable that it may print", async () => {
    const template = { markdown: "{{#if a}}\n{{b}}\n{{else}}\n{{c}}\n{{/if}}" };
    expect(await problemsOf({ template, variables: { a: "" } })).toEqual([
      "line 2: {{b}} has no variable",
      "line 4: {{c}} has no variable",
    ]);
  });
});

describe("a repeated part", () => {
  test("is printed for each item, with its fields and the variables around it", async () => {
    const text =
      "| What | Price |\n|---|--:|\n{{#each items}}\n| {{what}} of {{firm}} | {{price}} |\n{{/each}}\n\n{{#each notes}}\n- {{this}}\n{{/each}}";
    const items = [
      { what: "*A* | `b`", price: "1 €" },
      { what: "{{firm}}", price: "" },
    ];
    expect(await markdown(text, { items, notes: ["x", "# y"], firm: "Acme" })).toBe(
      "What Price *A* | `b` of Acme 1 € {{firm}} of Acme • x • # y",
    );
  });

  test("of an empty list is nothing", async () => {
    expect(await markdown("a\n{{#each b}}\n{{this}} {{c}}\n{{/each}}\nd", { b: [], c: "" })).toBe("a d");
  });

  test("in another sees both items, and a condition sees an item's field", async () => {
    const text = "{{#each a}}{{#each b}}{{x}}{{this}}{{#if y}}!{{/if}} {{/each}}{{/each}}";
    const a = [
      { x: "1", y: "" },
      { x: "2", y: "z" },
    ];
    expect(await markdown(text, { a, b: ["p", "q"] })).toBe("1p 1q 2p! 2q!");
  });

  test.each<[string, string, Record<string, unknown>, string[]]>([
    ["a list that isn't given", "\n{{#each a}}{{/each}}", {}, ["line 2: {{#each a}} has no variable"]],
    [
      "a field of another list's items",
      "{{#each a}}\n{{#each b}}{{b}}{{/each}}{{/each}}",
      { a: [{ b: "x" }] },
      ["line 2: {{#each b}}: expected a variable with a list, got a field of a's items, which are texts"],
    ],
    ["a text", "{{#each a}}{{/each}}", { a: "x" }, ["line 1: {{#each a}}: expected a list, got a text"]],
    [
      "a list printed as text",
      "{{a}}",
      { a: ["x"] },
      ["line 1: {{a}}: expected text, got a list; repeat it with {{#each a}}"],
    ],
    [
      "yes printed as text",
      "{{a}}",
      { a: true },
      ["line 1: {{a}}: expected text, got true or false; ask for it with {{#if a}}"],
    ],
    [
      "a field that one item lacks",
      "{{#each a}}{{b}}{{/each}}",
      { a: [{ b: "1" }, { c: "2" }] },
      ["line 1: {{b}} has no value in a[1]", "variable a: the field c isn't used by the template"],
    ],
    [
      "a field that no item has",
      "{{#each a}}{{this}}{{b}}{{/each}}",
      { a: ["1"] },
      ["line 1: {{b}} has no variable, and a has no such field"],
    ],
    ["an end without a start", "{{/each}}", {}, ["line 1: {{/each}} closes nothing"]],
    ["a start without an end", "x\n{{#if a}}", { a: "" }, ["line 2: {{#if a}} isn't closed by {{/if}}"]],
    ["another's end", "{{#if a}}\n{{/each}}{{/if}}", { a: "" }, ["line 2: expected {{/if}} for line 1, got {{/each}}"]],
    ["an else alone", "{{else}}", {}, ["line 1: {{else}} stands in no {{#if}}, or is its second"]],
    [
      "an unknown word",
      "{{#unless a}}",
      {},
      ["line 1: {{#unless a}} isn't known; there are {{#if name}}, {{else}}, {{/if}}, {{#each name}} and {{/each}}"],
    ],
  ])("%s is refused", async (_what, text, variables, problems) => {
    expect(await problemsOf({ template: { markdown: text }, variables: variables as never })).toEqual(problems);
  });
});

test("a mistake of Markdown behind a clause and a repeated part is said with its own line", async () => {
  const template = files({
    "a.md": "{{#each a}}\n{{this}}\n{{/each}}\n\n{{> b.md}}\n\n> a\n",
    "b.md": `x\n\n${">".repeat(30)} deep\n`,
  });
  expect(await problemsOf({ template, variables: { a: ["1", "2", "3"] } })).toEqual([
    "b.md, line 3: expected lists and quotes at most 20 deep, got 30",
  ]);
});
