import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { Readable } from "node:stream";
import { PDFDocument } from "@cantoo/pdf-lib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { main } from "../../commands/board/command.js";
import { LONGEST } from "../../commands/board/markdown.js";
import { reviewMarkdown } from "../../commands/board/review/markdown.js";
import { renderTemplate } from "../../sdk/templates/index.js";
import { readBeside, withParts } from "../../sdk/templates/parts.js";
import { type Source, sourceHash, sourceIn } from "../../sdk/templates/source.js";
import { textsOf } from "../templates/support.js";
import { repository } from "./support/repository.js";

let repo: ReturnType<typeof repository>;
beforeEach(() => {
  repo = repository();
});
afterEach(() => repo.remove());

const at = (name: string) => repo.at(name);
const write = (name: string, content: string) => repo.write(name, content);
const commit = () => repo.commit();
const reviewed = (steps: object[], ...more: string[]) => repo.reviewed({ steps }, ...more);

const asset = (hash: string) => ({ "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17", hash });
const fileAsset = (name: string) =>
  asset(
    createHash("sha256")
      .update(readFileSync(at(name)))
      .digest("hex"),
  );
/** As state has a template: with its clauses. */
const templateAsset = (name: string) =>
  asset(sourceHash(withParts(sourceIn(readFileSync(at(name))) as Source, readBeside(at(name)))));

const urn = (name: string, type = "Document") => `urn:pulumi:prod::sales::docsign:index:${type}::${name}`;
const step = (op: string, name: string, after: object, before?: object, type?: string) => ({
  ...{ op, urn: urn(name, type), newState: { inputs: after } },
  ...(before ? { oldState: { inputs: before } } : {}),
});

const LEASE =
  "# Lease\n\n{{name}} rents the flat.\n\n## 1. Rent\n\nThe rent is {{rent}} euros a month, due on the first.\n";
const CHANGED = LEASE.replace("on the first", "on the tenth").replace("## 1.", "## 1. Keys\n\nTwo keys.\n\n## 2.");

test("a contract that would be replaced has its words removed and added, its values too, and its pages and PDFs", async () => {
  write("contracts/lease.md", LEASE);
  commit();
  const before = {
    name: "Lease",
    template: templateAsset("contracts/lease.md"),
    variables: { name: "Ana", rent: "900" },
  };
  write("contracts/lease.md", `${CHANGED}\n<!-- pagebreak -->\n\nEnd.\n`);
  const after = {
    name: "Lease",
    template: templateAsset("contracts/lease.md"),
    variables: { name: "Ana", rent: "950" },
  };
  const { code, redlines } = await reviewed(
    [step("create-replacement", "lease", after, before), step("replace", "lease", after, before)],
    ...["--pdfs", at("pdfs")],
  );
  expect(redlines).toBe(
    `
Compared with \`main\`: ~~what goes~~ **what comes**.

#### Lease: replaced, 1 page before, 2 now

\`01-lease.pdf\`, \`01-lease-before.pdf\`

**1. Keys** (new)
> **Two keys.**

**2. Rent**
> ~~1.~~ **2.** Rent
>
> The rent is ~~900~~ **950** euros a month, due on the ~~first.~~ **tenth.**
>
> **End.**

`.replace(/\n$/, ""),
  );
  expect(code).toBe(0);
  expect(readdirSync(at("pdfs")).sort()).toEqual(["01-lease-before.pdf", "01-lease.pdf"]);
  expect((await textsOf(readFileSync(at("pdfs/01-lease.pdf")))).join(" ")).toContain("950");
  expect((await textsOf(readFileSync(at("pdfs/01-lease-before.pdf")))).join(" ")).toContain("900");
});

test("a clause of another file that changed is found, though state has its hash alone", async () => {
  write("Pulumi.yaml", "name: sales\n");
  write("contracts/nda.md", "# NDA\n\n{{> ../clauses/secrecy.md}}\n");
  write("clauses/secrecy.md", "Both keep silent for two years.\n");
  commit();
  const before = { name: "NDA", template: templateAsset("contracts/nda.md") };
  write("clauses/secrecy.md", "Both keep silent for five years.\n");
  const after = { name: "NDA", template: templateAsset("contracts/nda.md") };
  expect(before.template.hash).not.toBe(after.template.hash);
  const { redlines } = await reviewed([step("replace", "nda", after, before)]);
  expect(redlines).toContain("> Both keep silent for ~~two~~ **five** years.\n");
});

test("a contract that is new says so, and one that stays isn't there", async () => {
  write("nda.md", "# NDA\n\nWords.\n");
  commit();
  const inputs = { name: "NDA", template: templateAsset("nda.md") };
  const { redlines } = await reviewed([step("create", "nda", inputs), step("same", "kept", inputs, inputs)]);
  expect(redlines).toContain("\n#### NDA: new, 1 page\n");
  expect(redlines.match(/####/g)).toHaveLength(1);
  expect((await reviewed([step("same", "kept", inputs, inputs)])).all).not.toContain("What changes");
});

test.each([
  ["the plugin's", "documents", "docsign:index:DocumentSet", {}],
  ["a dynamic", "documentRows", "pulumi-nodejs:dynamic/docsign:DocumentSet", { documents: "[secret]" }],
])("of %s set there is the template once, three rows in full, and how many more", async (_, name, type, more) => {
  write("nda.md", "# NDA\n\n{{name}} keeps silent for two years.\n");
  commit();
  const rows = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`p${at}`, { name: `P${at}`, variables: { name: `Person ${at}` } }]),
    );
  const before = { ...more, [name]: rows(5), defaults: { template: templateAsset("nda.md") } };
  write("nda.md", "# NDA\n\n{{name}} keeps silent for five years.\n");
  const after = { ...more, [name]: rows(6), defaults: { template: templateAsset("nda.md") } };
  const set = step("update", "ndas", after, before);
  const { redlines } = await reviewed([{ ...set, urn: set.urn.replace("docsign:index:Document", type) }]);
  expect(redlines.match(/^#### .*$/gm)).toEqual([
    "#### ndas, its template",
    "#### ndas: p0: replaced, 1 page",
    "#### ndas: p1: replaced, 1 page",
    "#### ndas: p2: replaced, 1 page",
  ]);
  expect(redlines).toContain("> &#123;&#123;name&#125;&#125; keeps silent for ~~two~~ **five** years.");
  expect(redlines).toContain("> Person 2 keeps silent for ~~two~~ **five** years.");
  expect(redlines).toContain("… and 3 more contracts.");
});

test("rows of a table that changed are those with other cells", async () => {
  write("nda.md", "# NDA\n\n{{name}} lives in {{city}}.\n");
  write("team.csv", "email,name,city\na@example.com,Ana,Lima\nb@example.com,Bob,Rome\n");
  commit();
  const defaults = {
    name: "NDA",
    template: templateAsset("nda.md"),
    variables: { name: "{{name}}", city: "{{city}}" },
  };
  const before = { table: fileAsset("team.csv"), key: "{{email}}", defaults };
  write("team.csv", "email,name,city\nb@example.com,Bob,Oslo\na@example.com,Ana,Lima\nc@example.com,Cem,Bonn\n");
  const after = { table: fileAsset("team.csv"), key: "{{email}}", defaults };
  const { redlines } = await reviewed([step("update", "ndas", after, before, "DocumentSet")]);
  expect(redlines.match(/^#### .*$/gm)).toEqual([
    "#### ndas: b@\u200bexample.com: replaced, 1 page",
    "#### ndas: c@\u200bexample.com: new, 1 page",
  ]);
  expect(redlines).toContain("> Bob lives in ~~Rome.~~ **Oslo.**");
});

describe("a contract that is given as a PDF", () => {
  const pdf = async (text: string): Promise<void> => {
    const { pdf: bytes } = await renderTemplate({ template: { markdown: text } });
    writeFileSync(at("nda.pdf"), bytes);
  };
  const given = () => ({ name: "NDA", file: fileAsset("nda.pdf") });

  test("has a redline of its words, whether it is a file or text in base64", async () => {
    await pdf("# NDA\n\n## 1. Term\n\nIt lasts two years.\n");
    commit();
    const before = given();
    await pdf("# NDA\n\n## 1. Term\n\nIt lasts five years.\n");
    const asText = { name: "NDA", base64File: `sha256:${given().file.hash}` };
    for (const after of [given(), asText]) {
      const { redlines } = await reviewed([step("replace", "nda", after, before)]);
      expect(redlines).toContain("#### NDA: replaced, 1 page\n");
      expect(redlines).toContain("> It lasts ~~two~~ **five** years.");
    }
  });

  test("has its pages and its PDFs where its text can't be read", async () => {
    await pdf("# NDA\n");
    commit();
    const before = given();
    const scan = await PDFDocument.create();
    for (let page = 0; page < 3; page++) scan.addPage();
    writeFileSync(at("nda.pdf"), await scan.save());
    const { redlines } = await reviewed([step("replace", "nda", given(), before)], "--pdfs", at("pdfs"));
    expect(redlines).toContain("#### NDA: replaced, 1 page before, 3 now\n");
    expect(redlines).toContain(
      "What would be sent isn't shown: the text of its PDF can't be read: there is none in it",
    );
    expect(readdirSync(at("pdfs"))).toEqual(["01-nda-before.pdf", "01-nda.pdf"]);
  });
});

describe("what can't be shown is said", () => {
  const template = "# NDA\n\n{{name}} signs.\n";

  test.each<[string, (given: object) => object, string]>([
    [
      "a PDF of another place",
      () => ({ name: "NDA", file: asset("a".repeat(64)) }),
      "aaaaaaaaaaaa…&#41; is no file of",
    ],
    [
      "a template of another place",
      given => ({ ...given, template: asset("b".repeat(64)) }),
      "is no file of this folder",
    ],
    [
      "a template that isn't known",
      given => ({ ...given, template: "04da6b54-80e4-46f7-96ec-b56ff0331ba9" }),
      "isn't known yet",
    ],
    ["variables that are secret", given => ({ ...given, variables: "[secret]" }), "its variables aren&#95;"],
    ["a missing variable", given => ({ ...given, variables: {} }), "it can't be rendered: "],
  ])("%s", async (_, change, expected) => {
    write("nda.md", template);
    commit();
    const before = { name: "NDA", template: templateAsset("nda.md"), variables: { name: "Ana" } };
    const { redlines, code } = await reviewed([step("replace", "nda", change(before), before)]);
    expect(redlines).toContain(expected.replace("&#95;", "'t known yet, or are secret"));
    expect(code).toBe(0);
  });

  test("a value that is secret isn't shown, and no PDF is made with a mark in its place", async () => {
    write("nda.md", template);
    commit();
    const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", plaintext: '"Ana"' };
    const before = { name: "NDA", template: templateAsset("nda.md"), variables: { name: secret } };
    write("nda.md", template.replace("signs", "signs here"));
    const after = { name: "NDA", template: templateAsset("nda.md"), variables: { name: secret } };
    const { redlines } = await reviewed([step("replace", "nda", after, before)], "--pdfs", at("pdfs"));
    expect(redlines).toContain("> &#91;secret&#93; ~~signs.~~ **signs here.**");
    expect(redlines).toContain("a change of these values isn't shown");
    expect(redlines).not.toContain("Ana");
    expect(readdirSync(at("pdfs"))).toEqual([]);
  });

  test.each([
    ["documents", "its rows aren't known yet, or are secret"],
    ["defaults", "its defaults aren't known yet, or are secret"],
    ["row", "its content isn't known yet, or is secret"],
    ["variables", "its variables aren't known yet, or are secret"],
  ])("%s of a set that are secret, also in a preview that shows secrets", async (part, expected) => {
    write("nda.md", template);
    commit();
    const shown = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", plaintext: '"hidden"' };
    for (const secret of [shown, "[secret]"]) {
      const hidden = (name: string, value: object) => (name === part ? secret : value);
      const row = { template: templateAsset("nda.md"), variables: hidden("variables", { name: "Ana" }) };
      const after = { defaults: hidden("defaults", {}), documents: hidden("documents", { ana: hidden("row", row) }) };
      const { redlines } = await reviewed([step("create", "ndas", after, undefined, "DocumentSet")]);
      expect(redlines).toContain(expected);
      expect(redlines).not.toContain("hidden");
    }
  });

  test("a commit that isn't here leaves the rest of the comment", async () => {
    write("nda.md", template);
    commit();
    const inputs = { name: "NDA", template: templateAsset("nda.md"), variables: { name: "Ana" } };
    const { all, code } = await reviewed([step("create", "nda", inputs)], "--base", "origin/main");
    expect(all).toContain("### Contracts in `sales/prod`");
    expect(all).toContain(
      'No redline: --base: expected a commit that is here, got "origin/main"; a shallow clone may lack it.',
    );
    expect(code).toBe(0);
  });
});

test("text of a contract stays text: no link, mention, formula, list or row of its own", async () => {
  const nasty = (word: string) => `${word}: @team www.example.com https://example.com [a](b) $x$ \`c\` | ~~y~~ <b>`;
  write("nda.md", "{{text}}\n");
  commit();
  const inputs = (text: string) => ({ name: nasty("n"), template: templateAsset("nda.md"), variables: { text } });
  const { redlines } = await reviewed([
    step("replace", "nda", inputs(`1. ${nasty("new")}`), inputs(`- ${nasty("old")}`)),
  ]);
  const own = redlines.replaceAll("~~what goes~~ **what comes**", "").replaceAll("`main`", "");
  expect(own).not.toMatch(/@team|www\.|:\/\/|[[\]<$`|]|~~y/);
  expect(own).toContain("\n> ~~- old:~~ **1. new:** @\u200bteam www\u200b.example.com ");
});

test("words without anything to see are named, and begin no code", () => {
  const runs = [
    { kind: "removed" as const, words: ["\u200b"] },
    { kind: "added" as const, words: ["\u202e"] },
    { kind: "kept" as const, words: ["a"] },
  ];
  const contract = {
    ...{ name: "NDA", what: "replaced" as const, signedBy: [], notes: [], files: [], isOther: true },
    pages: { before: 1, after: 1 },
    redline: { clauses: [{ title: "", kind: "changed" as const, runs }], work: 0 },
  };
  expect(reviewMarkdown({ base: "main", contracts: [contract], more: 0 }, 10_000)).toContain(
    "\n> ~~(blank)~~ **(blank)** a\n",
  );
});

test("a line that begins like a list or a heading is none", async () => {
  write("nda.md", "{{text}}\n");
  commit();
  const inputs = (text: string) => ({ name: "NDA", template: templateAsset("nda.md"), variables: { text } });
  const lineOf = async (start: string) =>
    (await reviewed([step("replace", "nda", inputs(`${start} b`), inputs(`${start} a`))])).redlines.match(
      /^> .*$/m,
    )?.[0];
  expect(await lineOf("1.")).toBe("> 1&#46; ~~a~~ **b**");
  expect(await lineOf("2)")).toBe("> 2&#41; ~~a~~ **b**");
  expect(await lineOf("-")).toBe("> &#45; ~~a~~ **b**");
  expect(await lineOf("=")).toBe("> &#61; ~~a~~ **b**");
});

test("a comment is short enough for its host, however much changes", async () => {
  const template = (word: string) =>
    Array.from({ length: 40 }, (_, at) => `# ${at}. Clause\n\n${`${word}[${at}] `.repeat(60)}same.\n`).join("\n");
  write("nda.md", template("old"));
  commit();
  const before = { name: "NDA", template: templateAsset("nda.md") };
  write("nda.md", template("new"));
  const after = { name: "NDA", template: templateAsset("nda.md") };
  const steps = Array.from({ length: 4 }, (_, at) => step("replace", `nda-${at}`, after, before));
  const { all } = await reviewed(steps);
  expect(all.length).toBeLessThan(LONGEST);
  expect(all.length).toBeGreaterThan(LONGEST / 4);
  expect(all).toMatch(/… and \d+ more clauses\./);
});

test.each([
  [["--base", "main"], "--base: expected --format markdown beside it"],
  [["--format", "markdown", "--base", "--upload-pack=x"], "--base"],
  [["--format", "markdown", "--base=-x"], '--base: expected a branch or a commit, got "-x"'],
  [["--format", "markdown", "--pdfs", "x"], "--pdfs: expected --base beside it, got none"],
])("%j is refused", async (args, expected) => {
  let err = "";
  const io = { stdin: Readable.from([]), out: () => {}, stop: AbortSignal.abort(), version: "1.2.3" };
  const code = await main(args, {
    ...io,
    err: text => {
      err += text;
    },
  });
  expect(code).toBe(2);
  expect(err).toContain(expected);
});
