import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { PDFDocument } from "@cantoo/pdf-lib";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Renderer } from "../../provider/template-renderer.js";
import { withParts } from "../../sdk/templates/parts.js";
import type { RenderRequest } from "../../sdk/templates/render.js";
import { markdown, sourceIn } from "../../sdk/templates/source.js";
import { NDA, PEOPLE } from "./support.js";

const root = join(import.meta.dirname, "../..");

/** Below the checkout, so that the libraries are found. */
let folder: string;
let threadFile: string;
beforeAll(async () => {
  folder = mkdtempSync(join(root, "node_modules/.docsign-thread-"));
  threadFile = join(folder, "render-thread.cjs");
  await build({
    absWorkingDir: root,
    entryPoints: ["sdk/templates/render-thread.ts"],
    outfile: threadFile,
    bundle: true,
    platform: "node",
    format: "cjs",
    external: ["@cantoo/pdf-lib", "fontkit", "marked"],
    logLevel: "error",
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FONT = readFileSync(join(root, "node_modules/dejavu-fonts-ttf/ttf/DejaVuSansMono.ttf"));
const LOGO = readFileSync(join(import.meta.dirname, "fixtures/logo.png"));
const SOURCE = markdown(readFileSync(NDA, "utf8"));
const options = { fonts: [], pageSize: "A4", pageNumbers: true, title: undefined } as const;
const nda = (company: string): RenderRequest => ({ ...options, source: SOURCE, variables: { ...PEOPLE, company } });
const NAMES = Array.from({ length: 30 }, (_, index) => `Company ${index}`);

/** As a set's Check asks: of all rows side by side. */
const problemsOf = (renderer: Renderer, requests: readonly RenderRequest[]) =>
  Promise.all(requests.map(request => renderer.problemsOf(request, [])));

const texts = async (renderer: Renderer, requests: readonly RenderRequest[]): Promise<string[]> => {
  const made: string[] = [];
  for (const request of requests) {
    const answer = await renderer.render(request);
    made.push("pdf" in answer ? Buffer.from(answer.pdf).toString("latin1") : answer.problems.join("\n"));
  }
  return made;
};

describe("a thread renders", () => {
  test("the same bytes as the process, of templates with clauses, images, lists, conditions and fonts of their own", async () => {
    const list = { items: [{ what: "One", price: "1 €" }], cooled: true };
    const letter =
      "# Letter\n\n![](logo.png)\n\n{{> clause.md}}\n\n{{#each items}}\n- {{what}}: {{price}}\n{{/each}}\n";
    const withClause = withParts(markdown(letter), path =>
      path === "logo.png" ? { bytes: LOGO } : { bytes: Buffer.from("A clause.\n") },
    );
    const requests: RenderRequest[] = [
      ...NAMES.map(nda),
      { ...nda("Mono"), fonts: [{ name: "fonts[0]", bytes: FONT }], pageSize: "Letter", title: "NDA" },
      { ...options, source: withClause, variables: { items: list.items } },
    ];
    const [here, elsewhere] = [new Renderer(undefined), new Renderer(threadFile)];
    expect(await problemsOf(elsewhere, requests)).toEqual(await problemsOf(here, requests));
    const made = await texts(elsewhere, [...requests, ...requests.slice(0, 3)]);
    expect(made).toEqual(await texts(here, [...requests, ...requests.slice(0, 3)]));
    expect(new Set(made).size).toBe(requests.length);
  });

  test("and says what is wrong with a request, and with which of many", async () => {
    const renderer = new Renderer(threadFile);
    const requests = NAMES.map(nda).map((request, index) => (index === 7 ? { ...request, variables: {} } : request));
    const problems = await problemsOf(renderer, requests);
    expect(problems.flatMap((each, index) => (each.length > 0 ? [index] : []))).toEqual([7]);
    expect(await problemsOf(new Renderer(undefined), requests)).toEqual(problems);
    expect(await renderer.render(requests[7] as RenderRequest)).toMatchObject({ problems: problems[7] });
  });

  test("forms too", async () => {
    const blank = await PDFDocument.create();
    blank.getForm().createTextField("name").addToPage(blank.addPage());
    const source = sourceIn(await blank.save());
    if (!source) throw new Error("it is a form");
    const requests = NAMES.map(name => ({ ...options, source, variables: { name } }));
    const [here, elsewhere] = [new Renderer(undefined), new Renderer(threadFile)];
    expect(await problemsOf(elsewhere, requests)).toEqual(await problemsOf(here, requests));
    expect(await texts(elsewhere, requests)).toEqual(await texts(here, requests));
  });
});

test("what a thread that ends hadn't answered is rendered without one, and what comes after", async () => {
  const broken = join(folder, "broken.cjs");
  await build({ stdin: { contents: 'throw new Error("broken");' }, outfile: broken, logLevel: "error" });
  const renderer = new Renderer(broken);
  for (let batch = 0; batch < 2; batch++)
    expect(await problemsOf(renderer, NAMES.map(nda))).toEqual(Array(NAMES.length).fill([]));
  expect(await renderer.render(nda("After"))).toMatchObject({ pages: 2 });
});

test("few are rendered without one", async () => {
  const renderer = new Renderer(join(folder, "no-such-thread.cjs"));
  expect(await problemsOf(renderer, NAMES.slice(0, 8).map(nda))).toEqual(Array(8).fill([]));
  expect(await renderer.render(nda("One"))).toMatchObject({ pages: 2 });
});
