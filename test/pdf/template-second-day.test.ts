import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { Asset } from "../../kit/values.js";
import { withParts } from "../../sdk/templates/parts.js";
import { type RenderAnswer, type RenderRequest, render } from "../../sdk/templates/render.js";
import { markdown, sourceHash } from "../../sdk/templates/source.js";
import { scene, sceneWith } from "../lifecycle/scene.js";
import type { Goal } from "../support/simulated-engine.js";
import { png } from "../templates/images.js";

const folder = mkdtempSync(join(tmpdir(), "docsign-second-day-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const nobody = { creates: 0, mails: 0 };
const hashOf = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex");
const write = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
};
const fileAsset = (name: string, content: string): Asset =>
  new Asset({ path: write(name, content), hash: hashOf(content) });

const contract = (template: Asset, variables: Goal["inputs"]["variables"] = {}, more: Partial<Goal> = {}): Goal => ({
  name: "nda",
  ...more,
  inputs: { name: "NDA", invitations: [{ email: "ana@example.com", name: "Ana" }], template, variables },
});

const LAW = "# NDA\n\n{{#if french}}\n{{> law/french.md}}\n{{else}}\n{{> law/german.md}}\n{{/if}}\n";
const law = (french = "French law.\n"): Asset => {
  write("law/german.md", "German law.\n");
  write("law/french.md", french);
  return fileAsset("law.md", LAW);
};

describe("a contract that doesn't print a clause", () => {
  test.each<[string, () => Asset]>([
    ["changes", () => law("French law, and French courts.\n")],
    [
      "has another image",
      () => {
        write(
          "law/seal.png",
          png(4, 3, 2, () => [1, 2, 3]),
        );
        return law("French law.\n\n![Seal](seal.png)\n");
      },
    ],
  ])("stays as it is when that %s", async (_, changed) => {
    await using s = await sceneWith([contract(law(), { french: false })]);
    expect((await s.stack.up([contract(changed(), { french: false })])).error).toBeUndefined();
    expect(s.sent()).toEqual(nobody);
  });

  test("stays as it is when its clauses and their images move to another folder", async () => {
    const at = (name: string): Asset => {
      write(
        `${name}/logo.png`,
        png(4, 3, 2, () => [1, 2, 3]),
      );
      write(`${name}/head.md`, "![Acme](logo.png)\n\nText.\n");
      return fileAsset("moving.md", `# NDA\n\n{{> ${name}/head.md}}\n`);
    };
    await using s = await sceneWith([contract(at("old"))]);
    expect((await s.stack.up([contract(at("new"))])).error).toBeUndefined();
    expect(s.sent()).toEqual(nobody);
  });

  test("stays as it is when a part of the same file changes that it doesn't print", async () => {
    const text = (french: string) => new Asset({ text: `# NDA\n\n{{#if french}}\n${french}\n{{/if}}\n\nText.\n` });
    await using s = await sceneWith([contract(text("French law."), { french: false })]);
    expect((await s.stack.up([contract(text("French courts."), { french: false })])).error).toBeUndefined();
    expect(s.sent()).toEqual(nobody);
  });
});

test("a contract's terms change together with a clause that it doesn't print", async () => {
  await using s = await sceneWith([contract(law(), { french: false })]);
  const changed = contract(law("French law, and French courts.\n"), { french: false });
  const program = [{ ...changed, inputs: { ...changed.inputs, expiresAt: "2030-01-01" } }];
  expect((await s.stack.up(program)).error).toBeUndefined();
  expect(s.sent()).toEqual(nobody);
  expect(s.stack.entry("nda").outputs["expiresAt"]).toBe("2030-01-01");
});

test("rows of a set that don't print a clause stay as they are when it changes", async () => {
  const set = (template: Asset): Goal => ({
    name: "ndas",
    type: "docsign:index:DocumentSet",
    inputs: {
      documents: Object.fromEntries(
        [true, false].map(french => [
          french ? "fr" : "de",
          { name: `NDA ${french}`, invitations: [{ email: `${french}@example.com` }], variables: { french } },
        ]),
      ),
      defaults: { template },
    },
  });
  await using s = await sceneWith([set(law())]);
  expect((await s.stack.up([set(law("French law, and French courts.\n"))])).error).toBeUndefined();
  expect(s.sent()).toEqual({ creates: 1, mails: 1 });
});

const REQUEST: Omit<RenderRequest, "source"> = {
  ...{ variables: {}, fonts: [], pageSize: "A4", pageNumbers: true, title: undefined },
};

test("is the same bytes whatever the order of the fields of a list's items", async () => {
  const request = (items: readonly Record<string, string>[]): RenderRequest => ({
    ...REQUEST,
    source: { kind: "markdown", text: "{{#each items}}\n- {{a}}: {{b}}\n{{/each}}\n", parts: new Map() },
    variables: { items },
  });
  const bytes = (answer: RenderAnswer) => ("pdf" in answer ? hashOf(answer.pdf) : answer.problems);
  expect(bytes(await render(request([{ b: "2", a: "1" }])))).toEqual(
    bytes(await render(request([{ a: "1", b: "2" }]))),
  );
});

test("text that only looks like an image is the template of earlier versions, and prints the same bytes", async () => {
  const source = withParts(markdown("# NDA\n\nThe mark `![logo](logo.png)` stands for a logo.\n"), () => ({
    wrong: "can't be read (ENOENT)",
  }));
  expect(sourceHash(source)).toBe(hashOf("# NDA\n\nThe mark `![logo](logo.png)` stands for a logo.\n"));
  const answer = await render({ ...REQUEST, source });
  expect("pdf" in answer && hashOf(answer.pdf)).toBe(
    "8c2b9b7343a91061fa8455ab78e204234e9dd102df1cabe6c4ea2080ffd60824",
  );
});

describe("at a service that shows no hashes, or those of PDFs that it writes anew", () => {
  const services = [
    ["none", "null"],
    ["others", "stamped"],
  ] as const;

  test.each(services)(
    "%s: a contract stays as it is when a clause changes that it doesn't print",
    async (_, sha256) => {
      await using s = await scene({ dialect: { sha256 } });
      const up = async (template: Asset) =>
        expect((await s.stack.up([contract(template, { french: false })])).error).toBeUndefined();
      await up(law());
      expect(s.sent()).toEqual({ creates: 1, mails: 1 });
      await up(law("French law, and French courts.\n"));
      expect(s.sent()).toEqual(nobody);
    },
  );

  test.each(services)(
    "%s: rows of a set stay as they are when a clause changes that they don't print",
    async (_, sha256) => {
      const set = (template: Asset): Goal => ({
        name: "ndas",
        type: "docsign:index:DocumentSet",
        inputs: {
          documents: Object.fromEntries(
            ["ana", "bob"].map(key => [key, { name: `NDA ${key}`, invitations: [{ email: `${key}@example.com` }] }]),
          ),
          defaults: { template, variables: { french: false } },
        } as unknown as Goal["inputs"],
      });
      await using s = await scene({ dialect: { sha256 } });
      const up = async (template: Asset) => expect((await s.stack.up([set(template)])).error).toBeUndefined();
      await up(law());
      expect(s.sent()).toEqual({ creates: 2, mails: 2 });
      await up(law("French law, and French courts.\n"));
      expect(s.sent()).toEqual(nobody);
    },
  );

  test.each(services)(
    "%s: a contract stays as it is that an earlier version kept with its template's own end",
    async (_, sha256) => {
      const text = "# NDA\n\nText.";
      await using s = await scene({ dialect: { sha256 } });
      const up = async () => expect((await s.stack.up([contract(new Asset({ text }))])).error).toBeUndefined();
      await up();
      expect(s.sent()).toEqual({ creates: 1, mails: 1 });
      s.stack.entry("nda").inputs["template"] = new Asset({ hash: hashOf(text) });
      await up();
      expect(s.sent()).toEqual(nobody);
    },
  );
});

test("copies of a template with other blank ends stay as they are after an earlier version", async () => {
  const program = ["# NDA\n\nText.", "# NDA\n\nText.\n\n"].map((text, index): [Goal, string] => {
    const goal = contract(new Asset({ text }), {}, { name: `nda${index}` });
    return [{ ...goal, inputs: { ...goal.inputs, name: `NDA ${index}` } }, text];
  });
  await using s = await scene({ dialect: { sha256: "null" } });
  const up = async () => expect((await s.stack.up(program.map(([goal]) => goal))).error).toBeUndefined();
  await up();
  expect(s.sent()).toEqual({ creates: 2, mails: 2 });
  for (const [{ name }, text] of program) s.stack.entry(name).inputs["template"] = new Asset({ hash: hashOf(text) });
  await up();
  expect(s.sent()).toEqual(nobody);
});
