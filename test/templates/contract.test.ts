import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { decodePdf } from "../../provider/resources/pdf/asset-source.js";
import { renderTemplate, renderTemplateOutput } from "../../sdk/templates/index.js";
import { NDA, PEOPLE, printed, problemsOf, textsOf } from "./support.js";

const fonts = join(import.meta.dirname, "../../node_modules/dejavu-fonts-ttf/ttf");

test("a contract prints what it says, names of any alphabet included", async () => {
  const { pdf, pages } = await renderTemplate({ template: NDA, variables: PEOPLE });
  const texts = await textsOf(pdf);
  expect(pages).toBe(2);
  expect(texts).toHaveLength(2);
  const [first = "", second = ""] = texts.map(text => text.replace(/\s+/g, " "));
  for (const text of [
    ...["Mutual non-disclosure agreement", PEOPLE.company, PEOPLE.name, PEOPLE.address, PEOPLE.penalty],
    ...[
      "2. former ones & prospects (€ 1 000 — § 12)",
      "{{confidential}}",
      "30 days",
      "register.example/México",
      "1 / 2",
    ],
  ]) {
    expect(first).toContain(text);
  }
  for (const text of [PEOPLE.officer, `For ${PEOPLE.company}`, "Witness", "2 / 2"]) expect(second).toContain(text);
});

test("what comes out is what a Document takes and the service will say its hash is", async () => {
  const { pdf, base64, sha256 } = await renderTemplate({ template: NDA, variables: PEOPLE });
  expect(decodePdf(base64)).toEqual({ bytes: Buffer.from(pdf) });
  expect(sha256).toBe(createHash("sha256").update(pdf).digest("hex"));
});

describe("values are text", () => {
  test("nothing in a value is Markdown, HTML, a variable or a character reference", async () => {
    const value = "# *a* _b_ [c](d) <i>e</i> {{f}} &amp; | `g` \\ 1. ~h~";
    expect(
      await printed("{{v}} and **{{v}}**\n\n| a |\n|---|\n| {{v}} |\n\n- {{v}}", { variables: { v: value } }),
    ).toContain(value);
  });

  test.each([
    ["a line feed", "a\nb", "U+000A"],
    ["a mark that turns the line around", "a\u202eb", "U+202E"],
    ["a character nobody sees", "a\u200bb", "U+200B"],
    ["a character of private use", "a\ue000b", "U+E000"],
    ["half a character", "a\ud800b", "U+D800"],
  ])("%s is refused", async (_name, value, code) => {
    expect(await problemsOf({ template: { markdown: "{{v}}" }, variables: { v: value } })).toEqual([
      `variable v: ${code} is a control or formatting character`,
    ]);
  });

  test.each([[3], [null], [[3]], [[["a"]]], [{}], [[{ a: 1 }]]])("%j isn't a value", async value => {
    const variables = { v: value } as unknown as Record<string, string>;
    const [problem] = await problemsOf({ template: { markdown: "{{v}}" }, variables });
    expect(problem).toMatch(/^variable v.*: expected text.*, got .*$/);
  });
});

test("all missing and unknown variables are reported at once, and nothing that isn't one passes for one", async () => {
  const markdown = "{{a}} {{ b }} {{a}}\n\n{{not a name}}\n{{open\n\n\\{{kept}}";
  expect(await problemsOf({ template: { markdown }, variables: { b: "b", c: "c", d: "d" } })).toEqual([
    "line 1: {{a}} has no variable",
    "line 3: {{not a name}} isn't a variable's name: a letter first, then letters, digits, _ . -",
    "line 4: {{open isn't closed by }}; write \\{{ for the braces themselves",
    "variable c isn't used by the template",
    "variable d isn't used by the template",
  ]);
});

test("what can't be printed is refused, all at once", async () => {
  const markdown = "![i](j)\n\n~~out~~\n\n<div>x</div>\n\n```js\n1\n```\n\n- [ ] t\n\n<!-- a note -->\n\na <b>b</b>";
  const problems = await problemsOf({ template: { markdown } });
  expect(problems.join("\n")).toMatch(
    /the image j.*\n.*struck-out.*\n.*HTML.*<div>[\s\S]*code block[\s\S]*tasks[\s\S]*HTML.*<b>/,
  );
});

describe("a character no font has", () => {
  test("is named, with where it stands and what to do", async () => {
    expect(await problemsOf({ template: { markdown: "{{n}} 川" }, variables: { n: "山" } })).toEqual([
      'variable n: no font has U+5C71 "山"; add one that does with fonts: ["path/to/font.ttf"]',
    ]);
    expect(await problemsOf({ template: { markdown: "# 川" } })).toEqual([
      'the template: no font has U+5DDD "川"; add one that does with fonts: ["path/to/font.ttf"]',
    ]);
  });

  test("prints with a font that has it", async () => {
    const template = { markdown: "{{n}} in **{{n}}**" };
    const variables = { n: "a ⌺⌸ b" };
    expect(await problemsOf({ template, variables })).toHaveLength(2);
    expect(await printed(template.markdown, { variables, fonts: [join(fonts, "DejaVuSansMono.ttf")] })).toContain(
      "a ⌺⌸ b in a ⌺⌸ b",
    );
    const bytes = readFileSync(join(fonts, "DejaVuSansMono.ttf"));
    expect(await printed(template.markdown, { variables, fonts: [bytes] })).toContain("a ⌺⌸ b");
  });

  test("written from right to left can't be laid out, with no font", async () => {
    const [problem] = await problemsOf({ template: { markdown: "{{n}}" }, variables: { n: "ש" } });
    expect(problem).toBe(
      "variable n: U+05E9 is written from right to left, and templates are laid out from left to right only",
    );
    expect(await problemsOf({ template: { markdown: "&#x202e;" } })).toEqual([
      "the template: U+202E is a control or formatting character",
    ]);
  });

  test.each([
    ["no file", "nowhere.ttf", /^fonts\[0\]: nowhere\.ttf: expected a readable file, .* \(ENOENT\)/],
    ["no font", Buffer.from("no font"), /^fonts\[0\]: expected a TrueType or OpenType file/],
  ])("%s is no way out", async (_name, font, message) => {
    expect((await problemsOf({ template: { markdown: "a" }, fonts: [font] }))[0]).toMatch(message);
  });
});

describe("pages", () => {
  test("long contracts break between lines, and each page has its number", async () => {
    const markdown = `# Long\n\n${"All work and no play makes a contract long. ".repeat(400)}\n\n## End\n\nDone.`;
    const { pdf, pages } = await renderTemplate({ template: { markdown } });
    const texts = await textsOf(pdf);
    expect(pages).toBeGreaterThan(3);
    texts.forEach((text, index) => {
      expect(text).toContain(`${index + 1} / ${pages}`);
    });
    expect(texts.at(-1)).toMatch(/End\s+Done\./);
  });

  test("a word, a table and a name longer than a line stay on the page", async () => {
    const long = "ñ".repeat(300);
    const markdown = `${long}\n\n| a | b |\n|---|---|\n| ${long} | x |\n\n1. - > ${long}`;
    expect((await printed(markdown)).replace(/[^ñ]/g, "")).toHaveLength(900);
  });

  test.each([
    ["columns", `|${"a|".repeat(60)}\n|${"-|".repeat(60)}`, /too many columns/],
    ["lines in a row", `| a | b |\n|---|---|\n| ${"x ".repeat(9000)} | y |`, /higher than a page/],
  ])("too many %s are refused", async (_name, markdown, message) => {
    expect((await problemsOf({ template: { markdown } }))[0]).toMatch(message);
  });

  test("size, numbers and title are for the program to say", async () => {
    const { pdf } = await renderTemplate({
      template: { markdown: "a" },
      pageSize: "Letter",
      pageNumbers: false,
      title: "Ñ",
    });
    expect(Buffer.from(pdf).toString("latin1")).toMatch(/MediaBox \[ 0 0 612 792 \]/);
    expect(await textsOf(pdf)).toEqual(["a"]);
  });

  test("an empty contract is a page", async () => {
    expect((await renderTemplate({ template: { markdown: "" } })).pages).toBe(1);
  });
});

test.each([
  ["text for a path", "Dear {{name}}", /expected a file ending in \.md/],
  ["a file that isn't there", "nowhere.md", /nowhere\.md: expected a readable file, .* \(ENOENT\)/],
  ["nothing of the kind", {} as never, /expected a path/],
])("%s is refused", async (_name, template, message) => {
  expect((await problemsOf({ template }))[0]).toMatch(message);
});

describe("renderTemplateOutput", () => {
  const settled = (output: pulumi.Output<unknown>) => (output as unknown as { promise(): Promise<unknown> }).promise();

  test("waits for outputs and renders the same bytes; a secret in, a secret out", async () => {
    const variables = { ...PEOPLE, name: pulumi.secret(PEOPLE.name) };
    const output = renderTemplateOutput({ template: NDA, variables });
    const { sha256 } = await renderTemplate({ template: NDA, variables: PEOPLE });
    expect(await settled(output.sha256)).toBe(sha256);
    expect(await pulumi.isSecret(output.base64)).toBe(true);
    expect(await pulumi.isSecret(renderTemplateOutput({ template: NDA, variables: PEOPLE }).base64)).toBe(false);
  });
});
