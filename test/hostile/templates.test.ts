import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { readImage } from "../../sdk/templates/images.js";
import {
  type RenderTemplateArgs,
  renderTemplate,
  TemplateError,
  type TemplateVariable,
} from "../../sdk/templates/index.js";
import { scratchFolder } from "../support/scratch.js";
import { png } from "../templates/images.js";
import { printed, problemsOf } from "../templates/support.js";
import { NASTY_TEXTS } from "./values.js";

const lines = (count: number, line: (index: number) => string, between = "\n"): string =>
  Array.from({ length: count }, (_, index) => line(index)).join(between);

describe("a template that takes more work than a contract is refused before it is read, by its line", () => {
  test.each([
    [
      "brackets",
      `A\n\n${"[".repeat(40_000)}`,
      "line 3: expected at most 4000 brackets before the next empty line, got 40000",
    ],
    [
      "emphasis",
      "*a_".repeat(10_000),
      "line 1: expected at most 2000 signs of emphasis (*, _, ~) before the next empty line, got 10001",
    ],
    [
      "runs of backticks",
      lines(2_500, run => `${"`".repeat((run % 9) + 1)}a`, " "),
      "line 1: expected at most 2000 backticks before the next empty line, got 2500",
    ],
    [
      "parentheses",
      `[a](${"(".repeat(5_000)}`,
      "line 1: expected at most 4000 parentheses before the next empty line, got 5001",
    ],
    [
      "tags",
      "<a ".repeat(5_000),
      "line 1: expected at most 4000 angle brackets (<) before the next empty line, got 5000",
    ],
    ["an address", `${"a.".repeat(2_000)}@`, "line 1: expected at most 1000 characters around an @, got 4001"],
    [
      "a part",
      `Word ${"word ".repeat(20_000)}`,
      "line 1: expected at most 50000 characters before the next empty line, got 100004",
    ],
    ["quotes", ">".repeat(20_000), "line 1: expected lists and quotes at most 20 deep, got 20000"],
    ["lists in a line", `${"- ".repeat(1_500)}a`, "line 1: expected lists and quotes at most 20 deep, got 1500"],
    ["numbers in a line", `${"1. ".repeat(1_500)}a`, "line 1: expected lists and quotes at most 20 deep, got 1500"],
    [
      "lists",
      lines(60, index => `${"  ".repeat(index)}- a`),
      "line 52: expected at most 100 spaces before the text, got 103",
    ],
    [
      "emphasis all over",
      lines(60, () => "*a ".repeat(400), "\n\n"),
      "the template: expected at most 20000 signs of emphasis (*, _, ~), got 24000",
    ],
    ["characters", "word\n\n".repeat(200_000), "the template: expected at most 1000000 characters, got 1199999"],
  ])("%s", async (_what, markdown, message) => {
    const problems = await problemsOf({ template: { markdown } });
    expect(problems.join("\n")).toContain(message);
    expect(problems.length).toBeLessThan(60);
    expect(problems.join("\n").length).toBeLessThan(5_000);
  });

  test("a value that stands in many places counts in each", async () => {
    const markdown = lines(1_000, () => "{{v}}", "\n\n");
    expect(await problemsOf({ template: { markdown }, variables: { v: "x".repeat(1_000) } })).toEqual([
      "the template: expected at most 1000000 characters with its variables filled in, got more",
    ]);
  });

  test("thousands of problems are fifty lines, and how many more", async () => {
    const problems = await problemsOf({ template: { markdown: lines(5_000, index => `{{v${index}}}`, "\n\n") } });
    expect(problems).toHaveLength(51);
    expect(problems.at(-1)).toBe("and 4950 more problems");
  });
});

describe("what a template may put together has an end", () => {
  const many = Array.from({ length: 9_000 }, () => "x");
  test.each<[string, string, Record<string, TemplateVariable>, string]>([
    [
      "lists in one another",
      "{{#each a}}{{#each a}}{{#each a}}{{/each}}{{/each}}{{/each}}",
      { a: many },
      "the template: expected at most 200000 parts, clauses and repeated ones counted, got more",
    ],
    [
      "a long text that is repeated",
      `{{#each a}}${"word ".repeat(200)}{{this}}\n\n{{/each}}`,
      { a: many },
      "the template: expected at most 1000000 characters with its variables filled in, got more",
    ],
    [
      "a long list",
      "{{#each a}}{{this}}{{/each}}",
      { a: Array.from({ length: 10_001 }, () => "x") },
      "variable a: expected at most 10000 items in a list, got 10001",
    ],
    [
      "parts in one another",
      `${"{{#if a}}".repeat(11)}x${"{{/if}}".repeat(11)}`,
      { a: "x" },
      "line 1: expected {{#if}} and {{#each}} at most 10 deep, got more",
    ],
    [
      "parts in one another, so many that nothing could go through them",
      `${"{{#if a}}".repeat(50_000)}x${"{{/if}}".repeat(50_000)}`,
      { a: "x" },
      "line 1: expected {{#if}} and {{#each}} at most 10 deep, got more",
    ],
    [
      "a field that is named as often as a list is long",
      `{{#each a}}${"{{x}}".repeat(150_000)}{{/each}}`,
      { a: many.map(x => ({ x })) },
      "the template: expected at most 200000 parts, clauses and repeated ones counted, got more",
    ],
    [
      "the beginnings of images in one line",
      "![".repeat(400_000),
      {},
      "line 1: expected at most 50000 characters before the next empty line, got 800000",
    ],
    [
      "an image's path",
      `![a](${"x".repeat(900_000)}`,
      {},
      "line 1: expected at most 50000 characters before the next empty line, got 900005",
    ],
  ])("%s", async (_what, markdown, variables, message) => {
    expect(await problemsOf({ template: { markdown }, variables })).toEqual([message]);
  });

  test("clauses that hold others several times, over and over", async () => {
    const folder = scratchFolder("docsign-clauses-");
    for (let index = 0; index < 9; index++)
      writeFileSync(
        join(folder, `c${index}.md`),
        lines(10, () => `{{> c${index + 1}.md}}`),
      );
    writeFileSync(join(folder, "c9.md"), "x\n");
    const problems = await problemsOf({ template: join(folder, "c0.md") });
    expect(problems.some(problem => problem.endsWith("expected clauses at most 1000 times, got more"))).toBe(true);
    rmSync(folder, { recursive: true });
  });

  test("a clause of many parts that is named many times, and what has no value in it", async () => {
    const folder = scratchFolder("docsign-clauses-");
    const template = join(folder, "t.md");
    writeFileSync(join(folder, "c.md"), "{{v}} ".repeat(150_000));
    writeFileSync(template, "{{> c.md}}\n\n".repeat(1_000));
    expect(await problemsOf({ template })).toEqual([
      "the template: expected at most 200000 parts, clauses and repeated ones counted, got more",
    ]);
    rmSync(folder, { recursive: true });
  });

  test("fields that no item has, of a long list", async () => {
    const markdown = `{{#each a}}${lines(40_000, index => `{{f${index}}}`, " ")}{{/each}}`;
    expect(await problemsOf({ template: { markdown }, variables: { a: many.map(x => ({ x })) } })).toEqual([
      "the template: expected at most 200000 parts, clauses and repeated ones counted, got more",
    ]);
  });

  test("images that are broken, each as large as one may be", async () => {
    const folder = scratchFolder("docsign-images-");
    const image = png(5_000, 2_000, 0, () => [], { data: deflateSync(Buffer.alloc(5_001 * 2_000, 9)) });
    for (let index = 0; index < 20; index++) writeFileSync(join(folder, `i${index}.png`), image);
    const template = join(folder, "t.md");
    writeFileSync(
      template,
      lines(20, index => `![a](i${index}.png)`, "\n\n"),
    );
    expect(await problemsOf({ template })).toEqual(
      [0, 1, 2, 3].map(
        index =>
          `line ${2 * index + 1}: the image i${index}.png: expected a PNG image, got one that is cut off or broken`,
      ),
    );
    rmSync(folder, { recursive: true });
  });

  test("images with as many pixels each as one may have", async () => {
    const folder = scratchFolder("docsign-images-");
    const image = png(5_000, 2_000, 0, () => [], { data: deflateSync(Buffer.alloc(5_001 * 2_000)) });
    for (let index = 0; index < 6; index++) writeFileSync(join(folder, `i${index}.png`), image);
    const template = join(folder, "t.md");
    const named = (count: number) => lines(count, index => `![a](i${index}.png)`, "\n\n");
    writeFileSync(template, `${named(4)}\n\n![again](i0.png)`);
    expect(await mistakesIn({ template })).toEqual([]);
    writeFileSync(template, named(6));
    const reason = "expected images of at most 40000000 pixels together, got more; save them smaller";
    expect(await problemsOf({ template })).toEqual([
      `line 9: the image i4.png: ${reason}`,
      `line 11: the image i5.png: ${reason}`,
    ]);
    rmSync(folder, { recursive: true });
  });

  test("an image whose few bytes would be gigabytes of pixels", () => {
    const bomb = deflateSync(Buffer.alloc(50_000_000));
    expect(readImage(png(10, 10, 2, () => [], { data: bomb }))).toEqual({
      wrong: "expected a PNG image, got one that is cut off or broken",
    });
  });
});

test.each([".env", ".git/config", "Pulumi.dev.yaml", "sub/../.env", "a.md/../.env"])(
  "a template from somebody else prints nothing of the project but Markdown: %s",
  async path => {
    const folder = scratchFolder("docsign-clauses-");
    mkdirSync(join(folder, ".git"));
    for (const name of [".env", ".git/config", "Pulumi.dev.yaml"]) writeFileSync(join(folder, name), "KEY=canary");
    const template = join(folder, "t.md");
    writeFileSync(template, `A {{> ${path}}} B\n`);
    const [problem = "", ...more] = await problemsOf({ template });
    expect(problem).toMatch(/^line 1: \{\{> .*\}\}: expected a clause in Markdown, got something else$/);
    expect(more).toEqual([]);
    rmSync(folder, { recursive: true });
  },
);

describe("what a contract may well have is printed", () => {
  test.each([
    ["a word that is longer than a page", "a".repeat(40_000)],
    ["quotes and lists in one another", "> 1. - > a\n"],
    ["a list of a thousand names", lines(1_000, index => `- Name ${index}`)],
    ["a table of a thousand rows", `|a|b|\n|-|-|\n${lines(1_000, index => `|${index}|x|`)}`],
    ["a list with five hundred words in bold", lines(500, index => `- **Name** ${index}`)],
    ["links", lines(100, index => `[site ${index}](https://example.com/${index})`)],
    ["comments one after another, and page breaks", `${"<!-- a -->".repeat(40)}\n\n<!-- page-break -->\n\nb`],
  ])("%s", async (_what, markdown) => {
    expect((await printed(markdown)).length).toBeGreaterThan(0);
  });

  test("a value of 200,000 letters without a space", async () => {
    const text = await printed("{{v}}", { variables: { v: "b".repeat(200_000) } });
    expect(text.match(/b/g)).toHaveLength(200_000);
  });

  test("comments before something else are HTML, however many", async () => {
    expect(await problemsOf({ template: { markdown: `${"<!-- a -->".repeat(60)} x` } })).toEqual([
      expect.stringContaining("HTML can't be printed"),
    ]);
  });
});

/** None where it is printed. Anything but a mistake of the template's is thrown. */
async function mistakesIn(args: RenderTemplateArgs): Promise<readonly string[]> {
  try {
    await renderTemplate(args);
    return [];
  } catch (error) {
    if (error instanceof TemplateError) return error.problems;
    throw error;
  }
}

test.for(NASTY_TEXTS.map((text, index) => [index, JSON.stringify(text), text] as const))(
  "nasty value %i, %s, is printed as it is or refused in a line that repeats nothing of it raw",
  async ([, , value]) => {
    const problems = await mistakesIn({ template: { markdown: "A {{v}} B" }, variables: { v: value } });
    for (const problem of problems) expect(problem).not.toMatch(/[\p{Cc}\p{Cs}\u202e]/u);
    if (problems.length > 0) return;
    const text = await printed("A {{v}} B", { variables: { v: value } });
    expect(text.replaceAll(/\s/g, "")).toContain(`A${value}B`.replaceAll(/\s/g, ""));
  },
);

test.for(NASTY_TEXTS.map((text, index) => [index, JSON.stringify(text), text] as const))(
  "nasty text %i, %s, as a name or a path makes no line of its own",
  async ([, , text]) => {
    const markdown = `{{> ${text}}}\n\n{{${text}}}\n\n![a](${text})\n`;
    for (const problem of await mistakesIn({ template: { markdown }, variables: { [text]: "x" } })) {
      expect(problem).not.toMatch(/[\p{Cc}\p{Cs}\u202e]/u);
      expect(problem.length).toBeLessThan(1_100);
    }
  },
);

test.for(NASTY_TEXTS.map((text, index) => [index, JSON.stringify(text), text] as const))(
  "nasty template %i, %s, is printed or refused, and no bug of ours",
  async ([, , value]) => {
    for (const problem of await mistakesIn({ template: { markdown: `A\n\n${value}\n` } }))
      expect(problem).not.toMatch(/[\p{Cc}\p{Cs}\u202e]/u);
  },
);
