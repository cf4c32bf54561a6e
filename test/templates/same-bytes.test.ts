import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { renderTemplate } from "../../sdk/templates/index.js";
import { NDA, PEOPLE } from "./support.js";

const root = join(import.meta.dirname, "../..");

/**
 * Whatever changes this hash makes every unsigned contract that a program renders by `renderTemplate` a new document, and mails
 * its signers again. It moves with a major version only.
 */
const GOLDEN = "487e82915f4dc467f9913857d2981a150e00082cccb840e8ed5f267e7f1f2791";

test("a contract is the same bytes as on every machine before this one", async () => {
  const { sha256 } = await renderTemplate({ template: NDA, variables: PEOPLE });
  expect(sha256).toBe(GOLDEN);
});

const LETTER = join(import.meta.dirname, "fixtures/letter.md");
const LETTER_VARIABLES = {
  ...{ company: "Zażółć & *Söhne*", name: "Αλέξανδρος", guarantor: "", cooled: true },
  items: [...Array(70).keys()].map(index => ({ what: `Паллета ${index}`, price: `${index * 7} €` })),
};
/** A letterhead, images of both kinds, header and footer, clauses, conditions, and a table over three pages. It moves as `GOLDEN` does. */
const GOLDEN_LETTER = "801219d387ad38a4c7e9dcf377eea25ee05dd0aac11ce9dd58cac5e432c68034";

test("a letter with all that a template can do is the same bytes as on every machine before this one", async () => {
  const { sha256, pages } = await renderTemplate({ template: LETTER, variables: LETTER_VARIABLES });
  expect({ sha256, pages }).toEqual({ sha256: GOLDEN_LETTER, pages: 4 });
});

describe("in a process of its own", () => {
  let folder: string;
  let bundle: string;
  beforeAll(async () => {
    // Below the checkout, so that the libraries are found.
    folder = mkdtempSync(join(root, "node_modules/.docsign-templates-"));
    bundle = join(folder, "program.cjs");
    const program = `
      import { renderTemplate } from "../../sdk/templates/index.js";
      if (process.env.FAKE_DAY) {
        const RealDate = Date;
        const day = RealDate.parse(process.env.FAKE_DAY);
        globalThis.Date = class extends RealDate { constructor(...args) { args.length ? super(...args) : super(day); } static now() { return day; } };
      }
      renderTemplate(JSON.parse(process.argv[2])).then(({ sha256 }) => process.stdout.write(sha256));
    `;
    await build({
      stdin: { contents: program, resolveDir: folder },
      outfile: bundle,
      bundle: true,
      platform: "node",
      format: "cjs",
      external: ["@pulumi/pulumi", "@cantoo/pdf-lib", "fontkit", "marked"],
      logLevel: "error",
    });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each([
    ["another time zone", { TZ: "Pacific/Kiritimati" }],
    ["another language", { LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8", LANGUAGE: "tr" }],
    ["another day", { FAKE_DAY: "2031-02-03T04:05:06Z" }],
    ["all of it, somewhere else", { TZ: "America/Caracas", LANG: "ar_EG.UTF-8", FAKE_DAY: "1999-12-31T23:59:59Z" }],
  ])("%s, the same bytes", (_name, env) => {
    const args = JSON.stringify({ template: NDA, variables: PEOPLE });
    const options = { cwd: tmpdir(), env: { ...process.env, ...env }, encoding: "utf8" as const };
    expect(execFileSync(process.execPath, [bundle, args], options)).toBe(GOLDEN);
    const letter = JSON.stringify({ template: LETTER, variables: LETTER_VARIABLES });
    expect(execFileSync(process.execPath, [bundle, letter], options)).toBe(GOLDEN_LETTER);
  });
});

test("the same bytes twice, whatever the order of the variables, the line endings and the form of accents", async () => {
  const markdown = readFileSync(NDA, "utf8");
  const turned = Object.fromEntries(
    Object.entries(PEOPLE)
      .reverse()
      .map(([name, value]) => [name, value.normalize("NFD")]),
  );
  const again = await renderTemplate({
    template: { markdown: `\ufeff${markdown.replaceAll("\n", "\r\n")}` },
    variables: turned,
  });
  expect(again.sha256).toBe(GOLDEN);
});

test("the same bytes, whatever was rendered before in the same process", async () => {
  // Characters that share a glyph or are parts of another one's, in an order of their own.
  for (const char of ["\u2126 \u03a9", "` à á \u0430 a", "ﬁ fi ffi", "№ N o"]) {
    await renderTemplate({ template: { markdown: `# ${char}\n\n**${char}** *${char}*` } });
  }
  const { sha256 } = await renderTemplate({ template: NDA, variables: PEOPLE });
  expect(sha256).toBe(GOLDEN);
});

test("nothing random and no clock is asked", async () => {
  const random = vi.spyOn(Math, "random");
  const now = vi.spyOn(Date, "now").mockReturnValue(Date.UTC(2040, 0, 1));
  const { pdf } = await renderTemplate({ template: NDA, variables: PEOPLE });
  expect(random).not.toHaveBeenCalled();
  now.mockRestore();
  const text = Buffer.from(pdf).toString("latin1");
  expect(text).not.toMatch(/CreationDate|ModDate|\/ID\b/);
});

test.each([
  ["a comment", (text: string) => `<!-- Reviewed in March. -->\n\n${text}`],
  ["lines wrapped elsewhere", (text: string) => text.replace(/(\w) (\w+),/g, "$1\n$2,")],
  ["blank lines more", (text: string) => text.replaceAll("\n\n", "\n\n\n")],
  [
    "other marks for the same style",
    (text: string) => text.replace("*possible collaboration*", "_possible collaboration_"),
  ],
  ["a table's columns aligned otherwise", (text: string) => text.replace(/ +\|/g, " |")],
])("%s in the template, the same bytes", async (_name, change) => {
  const before = readFileSync(NDA, "utf8");
  const markdown = change(before);
  expect(markdown).not.toBe(before);
  const { sha256 } = await renderTemplate({ template: { markdown }, variables: PEOPLE });
  expect(sha256).toBe(GOLDEN);
});

test.each([
  ["a clause", (text: string) => text.replace("prospects", "suppliers"), PEOPLE],
  ["a style", (text: string) => text.replace("*possible collaboration*", "possible collaboration"), PEOPLE],
  ["a variable", (text: string) => text, { ...PEOPLE, jurisdiction: "Perú" }],
])("%s changed, and the bytes are others", async (_name, change, variables) => {
  const markdown = change(readFileSync(NDA, "utf8"));
  const { sha256 } = await renderTemplate({ template: { markdown }, variables });
  expect(sha256).not.toBe(GOLDEN);
});
