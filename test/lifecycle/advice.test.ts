import { describe, expect, test } from "vitest";
import type { Values } from "../../kit/values.js";
import { type Goal, pluginFrontEnd } from "../support/simulated-engine.js";
import { base64, forgetMachine, nda, newestFirst, pdf, type Scene, scene, sceneWith } from "./scene.js";

const nothing = { creates: 0 };
const emails = ["ana@example.com", "bob@example.org"];
const contract = (text: string) => nda({ deleteBeforeReplace: true, inputs: { base64File: base64(text) } });
/** Somebody sends the same people a contract of the same name by hand, and it is signed. */
const signedByHand = ({ service }: Scene, text: string, description = "Mutual"): string => {
  const id = service.people.upload("first", { name: "NDA", description, pdf: pdf(text), emails });
  service.people.signAll(id);
  return id;
};

test.each(["another PDF", "the new PDF"])(
  "a replacement beside a signed document of %s advises no import",
  async which => {
    await using s = await sceneWith([contract("one")], newestFirst);
    const id = signedByHand(s, which === "the new PDF" ? "two" : "other");
    const { error = "" } = await s.stack.up([contract("two")]);
    expect(error).toContain(`document ${id}`);
    expect(error).toContain("[docsign/duplicate]");
    expect(error).not.toContain("pulumi import");
    expect(error.includes(`set the resource option import: "${id}"`)).toBe(which === "another PDF");
    expect(s.sent()).toMatchObject(nothing);
  },
);

test("a replacement beside a signed document with its creation marker advises the option import alone", async () => {
  const config = { creationMarker: true };
  await using other = await sceneWith([contract("two")], { config });
  const [marked] = other.service.ledger.documents();
  await using s = await sceneWith([contract("one")], { config });
  const id = signedByHand(s, "other", marked?.description ?? "");
  const { error = "" } = await s.stack.up([contract("two")]);
  expect(error).toContain(`document ${id} carries this resource's creation marker`);
  expect(error).toContain(`set the resource option import: "${id}"`);
  expect(error).not.toContain("pulumi import");
  expect(s.sent()).toMatchObject(nothing);
});

test("after `pulumi refresh`, a preview on a machine without the journal says that a taint replaces, as `up` does", async () => {
  await using s = await sceneWith([contract("one")]);
  await forgetMachine(s);
  s.stack.taint("nda");
  const refused = await s.stack.preview([contract("one")]);
  expect(refused.error).toContain("[docsign/duplicate]");
  expect(refused.error).toContain("run `pulumi refresh` first");
  expect((await s.stack.refresh()).error).toBeUndefined();
  const { error, previewLines } = await s.stack.up([contract("one")]);
  expect(error).toBeUndefined();
  expect(previewLines.join("\n")).toContain("will mail");
  expect(s.sent()).toEqual({ creates: 1, mails: 2 });
});

test("a preview says that `up` takes back what state has lost, and `up` does", async () => {
  await using s = await sceneWith([contract("one")]);
  s.stack.entries = [];
  const { error, previewLines } = await s.stack.up([contract("one")]);
  expect(previewLines.join("\n")).toContain("also where state has lost the document, it is taken back");
  expect([error, s.stack.entry("nda").id]).toEqual([undefined, s.id()]);
  expect(s.sent()).toMatchObject(nothing);
});

test("a preview says that a replacement mails everyone where it is forced right after the create, and `up` does", async () => {
  await using s = await scene();
  expect((await s.stack.up([contract("one")])).error).toBeUndefined();
  s.sent();
  const { error, previewLines } = await s.stack.up([contract("one")], { replace: ["nda"] });
  expect(previewLines.join("\n")).toMatch(/is kept and no one is mailed, unless .*forced.*keptUnlessForced=1/);
  expect(error).toBeUndefined();
  expect(s.sent()).toMatchObject({ creates: 1 });
});

test("beside what an earlier run created, a name that state has gets no advice to run `pulumi import`", async () => {
  await using s = await sceneWith([contract("one")]);
  const before = s.stack.entries.map(entry => ({ ...entry }));
  expect((await s.stack.up([contract("two")])).error).toBeUndefined();
  // Killed before the engine wrote state.
  s.stack.entries = before;
  const { error } = await s.stack.up([contract("three")]);
  expect(error).toContain("[docsign/created-with-other-content]");
  expect(error).toContain(`set the resource option import: "${s.id(1)}"`);
  expect(error).not.toContain("pulumi import");
});

const set = (name: string, keys: readonly string[]): Goal => ({
  ...{ name, type: "docsign:index:DocumentSet" },
  inputs: {
    documents: Object.fromEntries(
      keys.map(key => [key, { name: `NDA of ${key}`, invitations: [{ email: `${key}@example.com` }] }]),
    ),
    defaults: { base64File: base64("one") },
  },
});

describe("what state has lost, and another resource wants, is imported, as the refusal says, and mails nobody", () => {
  const lost = async (s: Scene, ...program: Goal[]): Promise<string> => {
    s.stack.entries = s.stack.entries.filter(({ goal }) => goal.name !== "first");
    const { error = "" } = await s.stack.up(program);
    expect(error).toContain("`first` holds it");
    return error;
  };
  const imports = async (s: Scene, name: string, ...program: Goal[]) => {
    expect((await s.stack.import({ name }, s.id())).error).toBeUndefined();
    for (let time = 0; time < 2; time++) {
      const { error, calls } = await s.stack.up(program);
      expect([error, calls.filter(call => /^(create|delete|update)/.test(call))]).toEqual([undefined, []]);
    }
    expect(s.sent()).toEqual({ creates: 0, mails: 0 });
  };

  test("by a document", async () => {
    await using s = await sceneWith([nda({ name: "first" })]);
    expect(await lost(s, nda())).toContain(
      `- if neither the program nor state has \`first\` any more: keep it: pulumi import --generate-code=false docsign:index:Document nda ${s.id()}`,
    );
    await imports(s, "nda", nda());
  });

  test("by a row of a set, as a document by itself", async () => {
    await using s = await sceneWith([set("first", ["ana"]), set("ndas", ["bob"])]);
    const id = s.id();
    expect(await lost(s, set("ndas", ["ana", "bob"]))).toContain(
      `- if neither the program nor state has \`first\` any more: to manage a document by itself, such as ${id}: take ana out of the set, then pulumi import --generate-code=false docsign:index:Document NAME ${id}`,
    );
    const { documents, defaults } = set("ndas", ["ana"]).inputs as Record<string, Values>;
    const inputs = { description: "", ...defaults, ...(documents?.["ana"] as Values) };
    await imports(s, "nda", set("ndas", ["bob"]), nda({ inputs }));
  });

  test("not while the program has it", async () => {
    await using s = await sceneWith([nda({ name: "first" })]);
    const { error } = await s.stack.up([nda({ name: "first" }), nda()]);
    expect(error ?? "").not.toContain("pulumi import");
  });
});

test("DOCSIGN_FORGET ends the word of an unfinished replacement for one run, and for good where that run removes a document", async () => {
  const env: Record<string, string> = {};
  const other = nda({ name: "lease", inputs: { name: "Lease" } });
  await using s = await sceneWith([contract("one"), other], { frontEnd: machine => pluginFrontEnd(machine, env) });
  const before = s.stack.entries.map(entry => ({ ...entry }));
  expect((await s.stack.up([contract("two"), other])).error).toBeUndefined();
  // Killed before the engine wrote state.
  s.stack.entries = before;
  const said = async (...program: Goal[]) => {
    const { error, previewLines, lines } = await s.stack.up(program);
    expect(error).toBeUndefined();
    return [...previewLines, ...lines].filter(line => line.includes("an earlier run began")).join("\n");
  };
  const [, token = ""] =
    /To hear nothing of it in one run: DOCSIGN_FORGET=(\w{8}) pulumi up/.exec(await said(contract("one"), other)) ?? [];
  env["DOCSIGN_FORGET"] = token;
  expect(await said(contract("one"), other)).toBe("");
  delete env["DOCSIGN_FORGET"];
  expect(await said(contract("one"), other)).toContain(token);
  env["DOCSIGN_FORGET"] = token;
  expect(await said(contract("one"))).toBe("");
  delete env["DOCSIGN_FORGET"];
  expect(await said(contract("one"))).toBe("");
});
