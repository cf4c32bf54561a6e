import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { Asset, UNKNOWN, type Values } from "../../kit/values.js";
import { renderTemplate } from "../../sdk/templates/index.js";
import { type Scene, scene, sceneWith } from "../lifecycle/scene.js";
import { checking, failures, urn, withoutPdf } from "../resources/checking.js";
import { secret } from "../support/engine-client.js";
import type { Goal } from "../support/simulated-engine.js";
import { png } from "../templates/images.js";

const folder = mkdtempSync(join(tmpdir(), "docsign-templates-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MARKDOWN = "# NDA\n\nBetween {{company}} and **{{name}}**.\n";
const VARIABLES = { company: "Acme", name: "Zoë Kovač" };
const hashOf = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex");

/** A file asset as the engine sends it. */
function fileAsset(name: string, content: string | Uint8Array): Asset {
  const path = join(folder, name);
  writeFileSync(path, content);
  return new Asset({ path, hash: hashOf(content) });
}

const contract = (inputs: Values = {}): Goal => ({
  name: "nda",
  inputs: {
    name: "NDA",
    invitations: [{ email: "ana@example.com", name: "Ana" }],
    template: fileAsset("nda.md", MARKDOWN),
    variables: VARIABLES,
    ...inputs,
  } as Goal["inputs"],
});

const hashAt = (s: Scene, nth = 0): string | undefined => s.service.ledger.documents()[nth]?.uploadedSha256;

describe("a document made of a template", () => {
  test("is the PDF that renderTemplate renders, and state holds neither the template nor the PDF", async () => {
    await using s = await sceneWith([contract()]);
    const { sha256 } = await renderTemplate({ template: { markdown: MARKDOWN }, variables: VARIABLES });
    const state = s.stack.entry("nda");
    expect(state.outputs["sha256"]).toBe(sha256);
    expect(JSON.stringify(state)).not.toContain("Between");
    expect(JSON.stringify(state).length).toBeLessThan(3000);
  });

  test("is the same with every option", async () => {
    const options = { pageSize: "Letter", pageNumbers: false, title: "The title" } as const;
    await using s = await sceneWith([contract(options)]);
    const { sha256 } = await renderTemplate({ template: { markdown: MARKDOWN }, variables: VARIABLES, ...options });
    expect(s.stack.entry("nda").outputs["sha256"]).toBe(sha256);
  });

  test("has no diff, and a preview of nothing new asks the service nothing", async () => {
    await using s = await sceneWith([contract()]);
    const outcome = await s.stack.preview([contract()]);
    expect(outcome.error).toBeUndefined();
    expect(outcome.previewCalls.filter(call => /^(create|delete|update)/.test(call))).toEqual([]);
    expect(s.asked()).toEqual([]);
  });

  test.each<[string, Values]>([
    [
      "other line endings and a byte order mark",
      { template: new Asset({ text: `\ufeff${MARKDOWN.replaceAll("\n", "\r\n")}` }) },
    ],
    ["a string asset", { template: new Asset({ text: MARKDOWN }) }],
    ["another path", { template: fileAsset("copy.md", MARKDOWN) }],
    ["accents taken apart", { variables: { company: "Acme", name: "Zoë Kovač".normalize("NFD") } }],
    ["the defaults spelled out", { pageSize: "A4", pageNumbers: true }],
  ])("is unchanged by %s", async (_name, inputs) => {
    await using s = await sceneWith([contract()]);
    const outcome = await s.stack.up([contract(inputs)]);
    expect(outcome.error).toBeUndefined();
    expect(s.sent()).toEqual({ creates: 0, mails: 0 });
  });

  test("replaces the same PDF given in base64, and is replaced by it, without mail", async () => {
    const { base64 } = await renderTemplate({ template: { markdown: MARKDOWN }, variables: VARIABLES });
    const { template: _template, variables: _variables, ...rest } = contract().inputs;
    const given: Goal = { name: "nda", inputs: { ...rest, base64File: base64 } };
    await using s = await sceneWith([given]);
    for (const program of [contract(), given]) expect((await s.stack.up([program])).error).toBeUndefined();
    expect(s.sent()).toEqual({ creates: 0, mails: 0 });
  });

  test.each<[string, Values, string]>([
    ["the template", { template: new Asset({ text: MARKDOWN.replace("NDA", "Mutual NDA") }) }, "template"],
    ["a variable", { variables: { ...VARIABLES, company: "Umbrella" } }, "variables.company"],
    ["an option", { pageSize: "Letter" }, "pageSize"],
  ])("is replaced when %s changes, while it is unsigned", async (_name, inputs, path) => {
    await using s = await sceneWith([contract()]);
    expect((await s.stack.up([contract(inputs)])).error).toBeUndefined();
    expect(s.sent()).toEqual({ creates: 1, mails: 1 });
    expect(hashAt(s, 1)).not.toBe(hashAt(s, 0));
    s.service.people.sign(s.id(1), "ana@example.com");
    const refused = await s.stack.up([contract()]);
    expect(refused.error).toMatch(
      path === "template" ? /changed: template \(sha256:[0-9a-f]{12}… → sha256:[0-9a-f]{12}…\)/ : `changed: ${path}`,
    );
    expect(s.sent()).toEqual({ creates: 0, mails: 0 });
  });
});

describe("a document made of a template with clauses and images", () => {
  const PARTS = "# NDA\n\n![Acme](logo.png)\n\n{{> clauses/secrecy.md}}\n\n{{#each items}}\n- {{what}}\n{{/each}}\n";
  const VALUES = { years: "5", items: [{ what: "Plans" }, { what: "Prices" }] };
  const withParts = (inputs: Values = {}, clause = "For {{years}} years.\n", logo = png(4, 3, 2, () => [1, 2, 3])) => {
    const parts = join(folder, "parts");
    mkdirSync(join(parts, "clauses"), { recursive: true });
    writeFileSync(join(parts, "clauses/secrecy.md"), clause);
    writeFileSync(join(parts, "logo.png"), logo);
    return contract({ template: fileAsset("parts/nda.md", PARTS), variables: VALUES, ...inputs });
  };

  test("is the PDF that renderTemplate renders, and has no diff, wherever line endings are others", async () => {
    await using s = await sceneWith([withParts()]);
    const { sha256 } = await renderTemplate({ template: join(folder, "parts/nda.md"), variables: VALUES });
    expect(hashAt(s)).toBe(sha256);
    expect(JSON.stringify(s.stack.entry("nda"))).not.toContain("For {{years}}");
    expect((await s.stack.up([withParts({}, "\ufeffFor {{years}} years.\r\n")])).error).toBeUndefined();
    expect(s.sent()).toEqual({ creates: 0, mails: 0 });
  });

  test.each<[string, () => Goal]>([
    ["a clause", () => withParts({}, "For {{years}} years, and not longer.\n")],
    [
      "an image",
      () =>
        withParts(
          {},
          undefined,
          png(4, 3, 2, () => [3, 2, 1]),
        ),
    ],
    ["a list", () => withParts({ variables: { ...VALUES, items: [{ what: "Plans" }] } })],
  ])("is replaced when %s changes, and never once it is signed", async (_what, changed) => {
    await using s = await sceneWith([withParts()]);
    expect((await s.stack.up([changed()])).error).toBeUndefined();
    expect(s.sent()).toEqual({ creates: 1, mails: 1 });
    s.service.people.sign(s.id(1), "ana@example.com");
    expect((await s.stack.up([withParts()])).error).toMatch(/changed: (template|variables)/);
    expect(s.sent()).toEqual({ creates: 0, mails: 0 });
  });

  test("stays as it is under ignoreChanges while its clauses change, or are gone", async () => {
    const ignoring = (goal: Goal): Goal[] => [{ ...goal, ignoreChanges: ["template", "variables"] }];
    await using s = await sceneWith(ignoring(withParts()));
    s.service.people.signAll(s.id());
    expect((await s.stack.up(ignoring(withParts({}, "Another {{years}}.")))).error).toBeUndefined();
    const edited = ignoring(withParts());
    rmSync(join(folder, "parts"), { recursive: true });
    expect((await s.stack.up(edited)).error).toBeUndefined();
    expect(s.sent()).toEqual({ creates: 0, mails: 0 });
  });

  test("is refused at preview by file and line where a clause is missing", async () => {
    const goal = withParts();
    rmSync(join(folder, "parts/clauses"), { recursive: true });
    await using s = await scene();
    expect((await s.stack.preview([goal])).error).toContain(
      `${join(folder, "parts/nda.md")}: line 5: {{> clauses/secrecy.md}}: can't be read (ENOENT)`,
    );
  });

  test("waits for a list that isn't known yet", async () => {
    const { inputs } = withParts();
    const unknown: Values = { years: "5", items: [{ what: UNKNOWN }] };
    expect(await failures({ ...withoutPdf, template: inputs["template"] as Asset, variables: unknown })).toEqual([]);
  });
});

test("a signed document stays under ignoreChanges while its template's file says something else, or is gone", async () => {
  const name = "ignored.md";
  const program = (text: string): Goal[] => [
    { ...contract({ template: fileAsset(name, text) }), ignoreChanges: ["template", "variables"] },
  ];
  await using s = await sceneWith(program(MARKDOWN));
  s.service.people.signAll(s.id());
  const edited = program(MARKDOWN.replace("NDA", "Mutual NDA"));
  expect((await s.stack.up(edited)).error).toBeUndefined();
  rmSync(join(folder, name));
  expect((await s.stack.up(edited)).error).toBeUndefined();
  expect(s.stack.entry("nda").id).toBe(s.id());
  expect(s.sent()).toEqual({ creates: 0, mails: 0 });
});

test("a template's file that changes while it is read is refused", async () => {
  const template = fileAsset("moving.md", MARKDOWN);
  writeFileSync(join(folder, "moving.md"), `${MARKDOWN}More.\n`);
  await using s = await scene();
  const refused = await s.stack.up([contract({ template })]);
  expect(refused.error).toContain(
    "template: expected the same bytes twice, got a file that changed while it was being read",
  );
  expect(s.sent()).toEqual({ creates: 0, mails: 0 });
});

describe("check", () => {
  const given = (more: Values): Values => ({
    ...withoutPdf,
    template: new Asset({ text: MARKDOWN }),
    variables: VARIABLES,
    ...more,
  });

  test("is idempotent, and keeps hashes instead of contents", async () => {
    await checking(async frontEnd => {
      const first = await frontEnd.check({ urn, news: given({}) });
      expect(first.failures).toEqual([]);
      expect(first.inputs["template"]).toEqual(new Asset({ hash: hashOf(MARKDOWN) }));
      const second = await frontEnd.check({ urn, olds: first.inputs, news: first.inputs });
      expect(second).toEqual(first);
    });
  });

  test("names missing and unknown variables together", async () => {
    const found = await failures(given({ variables: { company: "Acme", nmae: "Zoë" } }));
    expect(found).toEqual([
      { property: "", reason: "line 3: {{name}} has no variable" },
      { property: "", reason: "variable nmae isn't used by the template" },
    ]);
  });

  test("knows the names of variables whose values come later", async () => {
    expect(await failures(given({ variables: { company: UNKNOWN, name: UNKNOWN } }))).toEqual([]);
    expect(await failures(given({ variables: { company: UNKNOWN } }))).toEqual([
      { property: "", reason: "line 3: {{name}} has no variable" },
    ]);
    expect(await failures(given({ variables: UNKNOWN }))).toEqual([]);
    expect(await failures(given({ template: UNKNOWN }))).toEqual([]);
  });

  test("never shows a character of a secret variable", async () => {
    const found = await failures(
      given({ variables: secret({ company: "Acme\u0007", name: "山" }) as unknown as Values }),
    );
    expect(found.map(({ reason }) => reason)).toEqual([
      "variable company: a character is a control or formatting character",
    ]);
  });

  test.each<[string, Values, RegExp]>([
    [
      "a PDF beside it",
      { file: new Asset({ text: "%PDF-1.4" }) },
      /^expected one of `file`, `base64File` and `template`, got `file` and `template`$/,
    ],
    ["no asset", { template: "nda.md" }, /^template: expected an asset/],
    [
      "an empty file",
      { template: new Asset({ text: "", hash: hashOf(""), path: fileAsset("empty.md", "").path }) },
      /^template: expected .*, got an empty file$/,
    ],
    [
      "a binary file",
      { template: fileAsset("blob.md", Buffer.from([0xff, 0xfe, 0x00])) },
      /^template: expected a Markdown contract in UTF-8 or a PDF form/,
    ],
    [
      "a directory",
      { template: new Asset({ path: folder, hash: "a".repeat(64) }) },
      /^template: expected a file, got something else/,
    ],
    [
      "a missing file",
      { template: new Asset({ path: join(folder, "missing.md"), hash: "a".repeat(64) }) },
      /^template: expected a readable file.*ENOENT/,
    ],
    [
      "a hash alone",
      { template: new Asset({ hash: "a".repeat(64) }) },
      /^template: expected the file itself, got sha256:a{64}/,
    ],
    ["fonts that are no list", { fonts: "font.ttf" }, /^fonts: expected a list of assets with fonts$/],
    ["no font", { fonts: [fileAsset("font.ttf", "no font")] }, /^fonts\[0\]: expected a TrueType or OpenType file/],
    ["a picture", { template: new Asset({ text: "![a](b) {{company}} {{name}}" }) }, /can't be printed/],
    [
      "a number among the variables",
      { variables: { ...VARIABLES, name: 3 } },
      /^variables\.name: expected text, true, false, or a list of texts or of texts by name: format numbers/,
    ],
    ["another page size", { pageSize: "A5" }, /pageSize: expected one of "A4", "Letter", got "A5"/],
  ])("refuses %s", async (_name, more, says) => {
    expect((await failures(given(more)))[0]?.reason).toMatch(says);
  });

  test("refuses options without a template", async () => {
    const { template: _template, ...rest } = given({ title: "A" });
    const reasons = (await failures({ ...rest, base64File: "JVBERi0xLjQK" })).map(({ reason }) => reason);
    expect(reasons).toEqual(["variables, title: expected `template` beside them, got none"]);
  });
});

test("a secret variable is secret in state, and in no message", async () => {
  const canary = "Canary Holding";
  await using s = await scene();
  const goal = contract({ variables: { company: secret(canary), name: "Ana" } as unknown as Values });
  const outcome = await s.stack.up([goal]);
  expect(outcome.error).toBeUndefined();
  expect([...outcome.previewLines, ...outcome.lines].join("\n")).not.toContain(canary);
  expect(JSON.stringify(s.stack.entry("nda").outputs)).not.toContain(canary);
});
