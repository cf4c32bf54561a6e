import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readImage } from "../../sdk/templates/images.js";
import { renderTemplate } from "../../sdk/templates/index.js";
import { scratchFolder } from "../support/scratch.js";
import { jpeg, png } from "./images.js";
import { problemsOf, textsOf } from "./support.js";

let folder: string;
beforeEach(() => {
  folder = scratchFolder("docsign-letterhead-");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const LOGO = png(30, 12, 6, (x, y) => [x * 8, y * 20, 100, x * 8]);

function template(text: string, images: Readonly<Record<string, Uint8Array>> = { "logo.png": LOGO }): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "a.md"), text);
  for (const [name, bytes] of Object.entries(images)) writeFileSync(join(folder, name), bytes);
  return join(folder, "a.md");
}

const pagesOf = async (text: string, more = {}) => {
  const { pdf } = await renderTemplate({ template: template(text), ...more });
  return (await textsOf(pdf)).map(page => page.replace(/\s+/g, " "));
};

describe("header and footer", () => {
  const TEXT =
    "```header\n{{firm}} | Agreement | {page}\n```\n\n```footer\nConfidential | | {page} of {pages}\n{{firm}}\n```\n\nOne\n\n<!-- pagebreak -->\n\nTwo\n";

  test("are on every page, the footer in place of the number, and a value is never a page number", async () => {
    const pages = await pagesOf(TEXT, { variables: { firm: "{pages}" } });
    expect(pages).toHaveLength(2);
    for (const [index, page] of pages.entries()) {
      expect(page).toContain(`{pages} Agreement ${index + 1}`);
      expect(page).toContain(`Confidential ${index + 1} of 2`);
      expect(page).not.toContain("1 / 2");
    }
  });

  test("take room from the text, and more than half the page isn't given", async () => {
    const lines = Array.from({ length: 10 }, (_, index) => `${"word ".repeat(40)}| b${index} | c`).join("\n");
    const wide = `\`\`\`header\n${lines}\n\`\`\`\n\na\n`;
    expect(await problemsOf({ template: template(`${wide}\n\`\`\`footer\n${lines}\n\`\`\`\n`) })).toEqual([
      "expected a header and a footer of less than half the page, got more",
    ]);
  });

  test("begin on the second page under a letterhead", async () => {
    const head = '```letterhead\n![Acme](logo.png "40mm")\nAcme {{year}}\nCalle Uno\n```\n\n```header\nHeader\n```\n';
    const pages = await pagesOf(`${head}\nOne\n\n<!-- pagebreak -->\n\nTwo\n`, { variables: { year: "2027" } });
    expect(pages[0]).toMatch(/Acme 2027 Calle Uno.*One/);
    expect(pages[0]).not.toContain("Header");
    expect(pages[1]).toMatch(/Header.*|Two.*/);
    expect(pages[1]).toContain("Header");
  });

  test.each([
    ["two headers", "```header\na\n```\n\n```header\nb\n```", "expected one ```header, got another"],
    ["four parts", "```footer\na|b|c|d\n```", "expected at most three parts in a line of a header or footer"],
    [
      "two images",
      "```letterhead\n![](logo.png)\n![](logo.png)\n```",
      "expected one image in a letterhead, got another",
    ],
  ])("%s are refused", async (_what, text, problem) => {
    expect(await problemsOf({ template: template(text) })).toEqual([problem]);
  });
});

test("a table that goes on to another page has its head there again", async () => {
  const rows = Array.from({ length: 60 }, (_, index) => `| Item ${index} | ${index} |`).join("\n");
  const pages = await pagesOf(`| What | Price |\n|---|---|\n${rows}\n`);
  expect(pages.length).toBeGreaterThan(1);
  for (const page of pages) expect(page).toMatch(/^What Price Item/);
});

describe("an image", () => {
  test("is in the PDF once, however often it is printed", async () => {
    const text =
      '```header\n![](logo.png "20mm")\n```\n\n![Acme](logo.png)\n\n<!-- pagebreak -->\n\n![Acme](logo.png "10mm")\n';
    const { pdf, pages } = await renderTemplate({ template: template(text) });
    expect(pages).toBe(2);
    expect(
      Buffer.from(pdf)
        .toString("latin1")
        .match(/\/Subtype \/Image/g),
    ).toHaveLength(1);
  });

  test.each<[string, Uint8Array, object]>([
    ["RGB", png(4, 3, 2, () => [1, 2, 3]), { colors: { kind: "rgb" }, packed: "png" }],
    ["gray", png(4, 3, 0, () => [9]), { colors: { kind: "gray" }, packed: "png" }],
    [
      "a palette",
      png(4, 3, 3, () => [1], { palette: [0, 0, 0, 9, 9, 9] }),
      { packed: "png", colors: { kind: "palette" } },
    ],
    ["one color hidden", png(4, 3, 0, () => [9], { transparency: [0, 9] }), { hidden: [9, 9] }],
    ["a baseline JPEG", jpeg(4, 3), { packed: "jpeg", colors: { kind: "rgb" } }],
    ["a progressive JPEG in gray", jpeg(4, 3, { colors: 1, frame: 0xc2 }), { colors: { kind: "gray" } }],
  ])("with %s is taken as it is", (_what, bytes, image) => {
    expect(readImage(bytes)).toMatchObject({ width: 4, height: 3, bits: 8, ...image });
  });

  test("that can be seen through is laid on white", () => {
    const at = (image: unknown) => [...(image as { bytes: Uint8Array }).bytes];
    expect(at(readImage(png(3, 1, 6, x => [0, 100, 200, [255, 0, 51][x] ?? 0])))).toEqual([
      ...[0, 100, 200],
      ...[255, 255, 255],
      ...[204, 224, 244],
    ]);
    expect(at(readImage(png(2, 1, 4, x => [10, x * 255])))).toEqual([255, 255, 255, 10, 10, 10]);
    const palette = { palette: [1, 2, 3, 4, 5, 6], transparency: [0] };
    expect(at(readImage(png(2, 1, 3, x => [x], palette)))).toEqual([255, 255, 255, 4, 5, 6]);
  });

  const broken = Buffer.concat([LOGO.subarray(0, 60), Buffer.alloc(40)]);
  test.each<[string, Uint8Array, RegExp]>([
    ["no image", Buffer.from("GIF89a"), /expected a PNG or JPEG image, got something else/],
    ["a broken PNG", broken, /got one that is cut off or broken/],
    ["a PNG without its end", LOGO.subarray(0, -12), /got one that is cut off or broken/],
    ["an interlaced PNG", png(2, 2, 2, () => [1, 2, 3], { interlaced: true }), /isn't interlaced/],
    ["a transparent PNG of 16 bits", png(1, 1, 6, () => Array(8).fill(1), { bits: 16 }), /8 bits a color, got 16/],
    ["a PNG that is too wide", png(5_001, 1, 0, () => [1]), /at most 5000 × 5000 and 10000000 pixels, got 5001 × 1/],
    ["a JPEG in CMYK", jpeg(2, 2, { colors: 4 }), /CMYK has to be converted/],
    ["a JPEG that is cut off", jpeg(2, 2, { end: false }), /got one that is cut off or broken/],
    ["a large file", Buffer.alloc(3 * 1024 * 1024), /at most 2097152 bytes, got 3145728/],
  ])("that is %s is refused with its line", async (_what, bytes, message) => {
    const problems = await problemsOf({ template: template("# A\n\n![Acme](logo.png)\n", { "logo.png": bytes }) });
    expect(problems).toEqual([expect.stringMatching(message)]);
    expect(problems[0]).toMatch(/^line 3: the image logo\.png: /);
  });

  test.each([
    ["that isn't there", "\n![a](none.png)", "line 2: the image none.png: can't be read (ENOENT)"],
    [
      "of another site",
      "![a](https://example.com/a.png)",
      'line 1: expected the path of a file from this one\'s folder, with /, got "https://example.com/a.png"',
    ],
    [
      "with a variable in its path",
      "![a]({{b}}.png)",
      "an image can't be printed without the path of its file, and the path takes no variable",
    ],
    [
      "of another size",
      '![a](logo.png "4in")',
      'line 1: the image logo.png: expected a width such as "40mm" after the path, got "4in"',
    ],
    [
      "in a text",
      "a ![b](logo.png) c",
      'an image within a text (it takes a paragraph of its own) can\'t be printed: "![b](logo.png)"',
    ],
  ])("%s is refused", async (_what, text, problem) => {
    const variables = text.includes("{{b}}") ? { b: "logo" } : {};
    expect(await problemsOf({ template: template(text), variables })).toContain(problem);
  });

  test("in code or behind a backslash is text", async () => {
    expect((await pagesOf("`![a](logo.png)` and \\![b](c.png)"))[0]).toContain("![a](logo.png) and !b (c.png)");
  });
});
