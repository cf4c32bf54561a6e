import { describe, expect, test } from "vitest";
import { Asset, type Values } from "../../kit/values.js";
import { renderTemplate } from "../../sdk/templates/index.js";
import { dynamicFrontEnd } from "../dialects/dynamic-front-end.js";
import type { Givens } from "../support/engine-client.js";
import type { IndependentServiceOptions } from "../support/independent-service/index.js";
import { type FrontEnd, type Goal, pluginFrontEnd, Ref } from "../support/simulated-engine.js";
import { base64, forgetMachine, nda, pdf, type Scene, scene } from "./scene.js";

const TYPE = "docsign:index:DocumentSet";
const nobody = { creates: 0, mails: 0 };
const frontEnds = [
  ["the plugin", pluginFrontEnd],
  ["the dynamic provider", dynamicFrontEnd],
] as const;

/** The dynamic provider's name for the input. */
const named = (goal: Goal): Goal => {
  const { documents: documentRows = {}, ...inputs } = goal.inputs;
  return goal.type === TYPE ? { ...goal, inputs: { ...inputs, documentRows } } : goal;
};

/** A set with an NDA of this text for each of these people. */
const set = (text: string, keys: readonly string[], more: Partial<Goal> & { inputs?: Values } = {}): Goal => ({
  name: "ndas",
  type: TYPE,
  deleteBeforeReplace: true,
  ...more,
  inputs: {
    documents: Object.fromEntries(
      keys.map(key => [key, { name: `NDA of ${key}`, invitations: [{ email: `${key}@example.com` }] }]),
    ),
    defaults: { base64File: base64(text) },
    ...more.inputs,
  },
});
const one = (text: string, more: Partial<Goal> = {}): Goal =>
  nda({
    deleteBeforeReplace: true,
    ...more,
    inputs: { base64File: base64(text), invitations: [{ email: "ana@example.com" }] },
  });

const rowsOf = (s: Scene, name = "ndas") => s.stack.entry(name).outputs["documents"] as Record<string, Values>;
const idOf = (s: Scene, key = "ana", name = "ndas") => rowsOf(s, name)[key]?.["documentId"];

/** A scene in which programs are written for the plugin. */
async function open(
  frontEnd: (typeof frontEnds)[number][1],
  config: Givens = {},
  service: IndependentServiceOptions = {},
): Promise<Scene> {
  const s = await scene({ frontEnd, config, ...service });
  const { up } = s.stack;
  // The engine calls a dynamic provider in no preview.
  if (frontEnd === dynamicFrontEnd)
    s.stack.up = (program, options) => up.call(s.stack, program.map(named), { ...options, skipPreview: true });
  return s;
}

/** `up`, and what it sent; nothing is left to do after it. */
async function up(s: Scene, ...program: Goal[]): Promise<{ creates: number; mails: number; said: string }> {
  const { error, lines, previewLines } = await s.stack.up(program);
  expect(error).toBeUndefined();
  const sent = s.sent();
  const after = await s.stack.up(program, { skipPreview: true });
  expect(after.error).toBeUndefined();
  expect(after.calls.filter(call => /^(create|delete|update)/.test(call))).toEqual([]);
  expect(s.sent()).toEqual(nobody);
  return { ...sent, said: [...previewLines, ...lines].join("\n") };
}

const sent = ({ creates, mails }: { creates: number; mails: number }) => ({ creates, mails });
const each = (count: number) => ({ creates: count, mails: count });

describe.each(frontEnds)("through %s, a document", (_, frontEnd) => {
  test("that changes from A to B and back to A is the first one again, and nobody is mailed", async () => {
    await using s = await open(frontEnd);
    await up(s, one("A"));
    expect(sent(await up(s, one("B")))).toEqual(each(1));
    expect(sent(await up(s, one("A")))).toEqual(nobody);
    expect(s.stack.entry("nda")).toMatchObject({ id: s.id(0), outputs: { supersedes: [s.id(1)] } });
    expect(sent(await up(s, one("B")))).toEqual(nobody);
    expect(s.stack.entry("nda")).toMatchObject({ id: s.id(1), outputs: { supersedes: [s.id(0)] } });
    expect(sent(await up(s, one("C")))).toEqual(each(1));
    expect(s.stack.entry("nda").outputs["supersedes"]).toEqual([s.id(0), s.id(1)]);
  });

  test.each([
    ["nobody has signed", false],
    ["that is signed", true],
  ])("%s is taken out and put back, twice", async (_title, isSigned) => {
    await using s = await open(frontEnd);
    await up(s, one("A"));
    if (isSigned) s.service.people.signAll(s.id());
    for (let time = 0; time < 2; time++) {
      expect(sent(await up(s))).toEqual(nobody);
      expect(sent(await up(s, one("A")))).toEqual(nobody);
      expect(s.stack.entry("nda").id).toBe(s.id());
    }
  });

  test("is taken back under another name, once: a second one alike is sent", async () => {
    await using s = await open(frontEnd);
    await up(s, one("A"));
    await up(s);
    expect(sent(await up(s, one("A", { name: "contract" }), one("A", { name: "copy" })))).toEqual(each(1));
    expect(["contract", "copy"].map(name => s.stack.entry(name).id).toSorted()).toEqual([s.id(0), s.id(1)].toSorted());
  });

  test("that is replaced by force is sent, though an earlier one is exactly alike", async () => {
    await using s = await open(frontEnd);
    await up(s, one("A"));
    for (let time = 1; time < 3; time++) {
      expect((await s.stack.up([one("A")], { replace: ["nda"] })).error).toBeUndefined();
      expect(s.sent()).toEqual(each(1));
      await up(s, one("A"));
      expect(s.stack.entry("nda").id).toBe(s.id(time));
    }
  });

  test("isn't taken back before a signed one of the same name and people, whatever the policy", async () => {
    for (const duplicatePolicy of ["refuse", "adopt"]) {
      await using s = await open(frontEnd, { duplicatePolicy });
      await up(s, one("A"));
      await up(s, one("B"));
      s.service.people.signAll(s.id(1));
      await up(s);
      const { error } = await s.stack.up([one("A")]);
      expect(error).toContain(`document ${s.id(1)} is signed, for the same people under the same name`);
      expect(error).toContain("[docsign/duplicate]");
      expect(s.sent()).toEqual(nobody);
      expect(sent(await up(s, one("B")))).toEqual(nobody);
      expect(s.stack.entry("nda").id).toBe(s.id(1));
    }
  });

  test("isn't taken back before its signed twin that took its place, though the journal has that as another resource's", async () => {
    await using s = await open(frontEnd);
    await up(s, one("A"));
    expect((await s.stack.up([one("A")], { replace: ["nda"] })).error).toBeUndefined();
    await up(s, one("A"));
    s.service.people.signAll(s.id(1));
    s.sent();
    // Another machine has destroyed the stack.
    s.stack.entries = [];
    const { error } = await s.stack.up([one("A", { name: "contract" })]);
    expect(error).toContain(`document ${s.id(1)} is signed, so document ${s.id()}, which is exactly alike`);
    expect(s.sent()).toEqual(nobody);
    expect(s.stack.entries).toEqual([]);
  });

  test("isn't taken back before the signed one that was taken back in its place", async () => {
    await using s = await open(frontEnd);
    await up(s, one("A"));
    await up(s, one("B"));
    await up(s, one("A"));
    s.service.people.signAll(s.id());
    await up(s);
    const { error } = await s.stack.up([one("B")]);
    expect(error).toContain(`document ${s.id()} is signed, for the same people under the same name`);
    expect(s.sent()).toEqual(nobody);
  });

  test("is a stranger's once the journal is lost", async () => {
    await using s = await open(frontEnd);
    await up(s, one("A"));
    await up(s);
    await forgetMachine(s);
    expect((await s.stack.up([one("A")])).error).toContain("[docsign/duplicate]");
    expect(s.sent()).toEqual(nobody);
  });

  test("that the service doesn't show isn't sent again", async () => {
    await using s = await open(frontEnd);
    await up(s, one("A"));
    await up(s);
    for (let time = 0; time < 2; time++)
      s.service.faults.push({ kind: "status", when: "before", status: 404 }, "getDocument");
    expect((await s.stack.up([one("A")], { skipPreview: true })).error).toContain("[docsign/duplicate-unconfirmed]");
    expect(s.sent()).toEqual(nobody);
  });

  test("is sent again on purpose, with duplicatePolicy: create", async () => {
    await using s = await open(frontEnd, { duplicatePolicy: "create" });
    await up(s, one("A"));
    await up(s);
    expect(sent(await up(s, one("A")))).toEqual(each(1));
  });
});

describe.each(frontEnds)("through %s, a set", (_, frontEnd) => {
  test("changes from A to B to C, and back: the first ones are its own again", async () => {
    await using s = await open(frontEnd);
    await up(s, set("A", ["ana", "bob"]));
    expect(sent(await up(s, set("B", ["ana", "bob"])))).toEqual(each(2));
    expect(sent(await up(s, set("C", ["ana", "bob"])))).toEqual(each(2));
    expect(rowsOf(s)["ana"]?.["supersedes"]).toHaveLength(2);
    expect(sent(await up(s, set("A", ["ana", "bob"])))).toEqual(nobody);
    expect([idOf(s, "ana"), idOf(s, "bob")].toSorted()).toEqual([s.id(0), s.id(1)]);
    expect(sent(await up(s, set("C", ["ana", "bob"])))).toEqual(nobody);
    expect(sent(await up(s, set("D", ["ana", "bob"])))).toEqual(each(2));
  });

  test.each([
    ["nobody has signed", false],
    ["is signed", true],
  ])("takes a row back that %s, the second time as well", async (_title, isSigned) => {
    await using s = await open(frontEnd);
    await up(s, set("A", ["ana", "bob"]));
    const id = String(idOf(s, "bob"));
    if (isSigned) s.service.people.signAll(id);
    for (let time = 0; time < 2; time++) {
      expect(sent(await up(s, set("A", ["ana"])))).toEqual(nobody);
      expect(sent(await up(s, set("A", ["ana", "bob"])))).toEqual(nobody);
      expect(idOf(s, "bob")).toBe(id);
    }
  });

  test("is destroyed and comes back", async () => {
    await using s = await open(frontEnd);
    await up(s, set("A", ["ana", "bob"]));
    const ids = [idOf(s, "ana"), idOf(s, "bob")];
    await s.stack.destroy();
    expect(sent(await up(s, set("A", ["ana", "bob", "cy"])))).toEqual(each(1));
    expect([idOf(s, "ana"), idOf(s, "bob")]).toEqual(ids);
  });

  test("is emptied on purpose alone, and filled again", async () => {
    await using s = await open(frontEnd);
    await up(s, set("A", ["ana", "bob"]));
    s.service.people.signAll(String(idOf(s, "ana")));
    await s.stack.refresh();
    const refused = await s.stack.up([set("A", [])]);
    expect(refused.error).toContain("`documents` has no rows, and the set holds 2 documents, 1 of them signed");
    expect(refused.error).toContain("[docsign/emptied-set]");
    expect(Object.keys(rowsOf(s))).toEqual(["ana", "bob"]);
    const emptied = await up(s, set("A", [], { inputs: { allowEmpty: true } }));
    expect(emptied.said).toContain("It was signed when it was last read.");
    expect(sent(await up(s, set("A", ["ana", "bob"])))).toEqual(nobody);
  });

  test.each([
    ["a row goes and comes back", [["ana"]]],
    ["it is emptied and filled", [[]]],
    ["it changes, and changes back", [["ana", "bob"]]],
  ])("is renamed by an alias, then %s", async (_title, [keys = []]) => {
    await using s = await open(frontEnd);
    const before = set("A", ["ana", "bob"]);
    const named = (text: string, rows: readonly string[]) =>
      set(text, rows, { name: "agreements", alias: "ndas", inputs: { allowEmpty: true } });
    await up(s, before);
    const id = idOf(s, "bob");
    expect(sent(await up(s, named("A", ["ana", "bob"])))).toEqual(nobody);
    const isChange = keys.length === 2;
    expect(sent(await up(s, named(isChange ? "B" : "A", keys)))).toEqual(each(isChange ? 2 : 0));
    expect(sent(await up(s, named("A", ["ana", "bob"])))).toEqual(nobody);
    expect(idOf(s, "bob", "agreements")).toBe(id);
  });

  test("is renamed by an alias in the run that takes a row out, and the row comes back", async () => {
    await using s = await open(frontEnd);
    await up(s, set("A", ["ana", "bob"]));
    const id = idOf(s, "bob");
    const named = (rows: readonly string[]) => set("A", rows, { name: "agreements", alias: "ndas" });
    expect(sent(await up(s, named(["ana"])))).toEqual(nobody);
    expect(sent(await up(s, named(["ana", "bob"])))).toEqual(nobody);
    expect(idOf(s, "bob", "agreements")).toBe(id);
  });

  test("is split in two, and joined again", async () => {
    await using s = await open(frontEnd);
    await up(s, set("A", ["ana", "bob", "cy"]));
    const ids = ["ana", "bob", "cy"].map(key => idOf(s, key));
    const others = (rows: readonly string[]) => set("A", rows, { name: "others" });
    expect(sent(await up(s, set("A", ["ana"]), others(["bob", "cy"])))).toEqual(nobody);
    expect([idOf(s, "ana"), idOf(s, "bob", "others"), idOf(s, "cy", "others")]).toEqual(ids);
    expect(sent(await up(s, others(["bob"]), set("A", ["ana", "cy"])))).toEqual(nobody);
    expect(idOf(s, "cy")).toBe(ids[2]);
  });

  test("gives a row another key, and nobody is mailed", async () => {
    await using s = await open(frontEnd);
    const rows = (key: string) => ({
      documents: { [key]: { name: "NDA", invitations: [{ email: "ana@example.com" }] } },
    });
    await up(s, set("A", [], { inputs: rows("1") }));
    expect(sent(await up(s, set("A", [], { inputs: rows("2") })))).toEqual(nobody);
    expect(idOf(s, "2")).toBe(s.id());
  });

  test("swaps the contracts of two rows, and nobody is mailed", async () => {
    await using s = await open(frontEnd);
    const row = (name: string) => ({ name, invitations: [{ email: "ana@example.com" }] });
    const rows = (...names: [string, string]) =>
      set("A", [], { inputs: { documents: { 1: row(names[0]), 2: row(names[1]) } } });
    await up(s, rows("NDA", "Lease"));
    const ids = [idOf(s, "1"), idOf(s, "2")];
    expect(sent(await up(s, rows("Lease", "NDA")))).toEqual(nobody);
    expect([idOf(s, "2"), idOf(s, "1")]).toEqual(ids);
  });

  test("binds no row to the unsigned document before the signed one of the same people", async () => {
    await using s = await open(frontEnd, { duplicatePolicy: "adopt" });
    await up(s, set("A", ["ana", "bob"]));
    await up(s, set("B", ["ana", "bob"]));
    const signed = String(idOf(s, "ana"));
    s.service.people.signAll(signed);
    await up(s, set("B", ["bob"]));
    const { error } = await s.stack.up([set("A", ["ana", "bob"], { inputs: { whenSigned: "keep" } })]);
    expect(error).toContain(`ana: document ${signed} is signed, for the same people under the same name`);
    expect(s.sent()).toEqual(nobody);
    expect(rowsOf(s)["ana"]).toBeUndefined();
  });
});

describe.each(frontEnds)("through %s, a folder", (_, frontEnd) => {
  const folder = (name: string): Goal => ({
    name: "contracts",
    type: "docsign:index:Folder",
    deleteBeforeReplace: true,
    inputs: { name },
  });
  const inside = one("A");
  const filed: Goal = { ...inside, inputs: { ...inside.inputs, folderId: new Ref("contracts", "folderId") } };

  test("and the signed contract in it are the same ones after destroy and up", async () => {
    await using s = await open(frontEnd);
    await up(s, folder("NDAs"), filed);
    const id = s.stack.entry("contracts").id;
    s.service.people.signAll(s.id());
    for (let time = 0; time < 2; time++) {
      await s.stack.destroy();
      expect(sent(await up(s, folder("NDAs"), filed))).toEqual(nobody);
      expect([s.stack.entry("contracts").id, s.stack.entry("nda").id]).toEqual([id, s.id()]);
    }
  });

  test("that gets another name and its first one back is the first one", async () => {
    await using s = await open(frontEnd);
    await up(s, folder("NDAs"));
    const { id } = s.stack.entry("contracts");
    expect(sent(await up(s, folder("Contracts")))).toEqual({ creates: 1, mails: 0 });
    expect(sent(await up(s, folder("NDAs")))).toEqual(nobody);
    expect(s.stack.entry("contracts").id).toBe(id);
  });

  test("renamed by aliases and destroyed comes back, and what is in it", async () => {
    await using s = await open(frontEnd);
    await up(s, folder("NDAs"), filed);
    const { id } = s.stack.entry("contracts");
    const renamed = { ...folder("NDAs"), name: "signed", alias: "contracts" };
    const follows: Goal = { ...inside, inputs: { ...inside.inputs, folderId: new Ref("signed", "folderId") } };
    expect(sent(await up(s, renamed, follows))).toEqual(nobody);
    expect((await s.stack.destroy()).error).toBeUndefined();
    expect(sent(await up(s, { ...folder("NDAs"), name: "signed" }, follows))).toEqual(nobody);
    expect(s.stack.entry("signed").id).toBe(id);
  });

  test("that is replaced by force is another one", async () => {
    await using s = await open(frontEnd);
    await up(s, folder("NDAs"));
    for (let time = 0; time < 2; time++) {
      expect((await s.stack.up([folder("NDAs")], { replace: ["contracts"] })).error).toBeUndefined();
      expect(s.sent()).toEqual({ creates: 1, mails: 0 });
      await up(s, folder("NDAs"));
    }
  });
});

describe.each<[string, Goal, string | undefined]>([
  ["a document", nda({ inputs: { ...one("A").inputs, name: "NDA of ana" } as Values }), "Mutual"],
  ["a set's row", set("A", ["ana"]), undefined],
])("%s that is at the service, beside a signed one for the same people", (_, goal, description) => {
  const upload = (s: Scene, text: string): string => {
    s.service.clock.advance(60_000);
    const who = { name: "NDA of ana", emails: ["ana@example.com"] };
    return s.service.people.upload("first", { ...who, pdf: pdf(text), ...(description ? { description } : {}) });
  };
  const refused = async (s: Scene): Promise<string> => {
    s.sent();
    const { error = "", failed } = await s.stack.up([goal]);
    expect([failed, s.sent()]).toEqual(["preview", nobody]);
    return error;
  };

  test("that is newer: the refusal names the signed one first, and offers none in its place", async () => {
    await using s = await scene();
    const [unsigned, signed] = [upload(s, "A"), upload(s, "B")];
    s.service.people.signAll(signed);
    const error = await refused(s);
    expect(error).toContain(
      `document ${signed} is signed, for the same people under the same name, so document ${unsigned}`,
    );
    expect(error).not.toContain("DOCSIGN_ADOPT");
  });

  test("that is older: the refusal names both", async () => {
    await using s = await scene();
    const [signed, unsigned] = [upload(s, "B"), upload(s, "A")];
    s.service.people.signAll(signed);
    const error = await refused(s);
    expect(error).toContain(`document ${unsigned} has the same name, PDF and people already`);
    expect(error).toMatch(
      new RegExp(`document ${signed}, signed, created \\S+, for the same people under the same name`),
    );
  });

  test("with other content than either: the refusal names the signed one first", async () => {
    await using s = await scene();
    const [, signed] = [upload(s, "B"), upload(s, "C")];
    s.service.people.signAll(signed);
    expect(await refused(s)).toContain(`document ${signed} has the same name and people already`);
  });
});

describe.each(frontEnds)("through %s, a set is split in two on a machine that forgets", (_, frontEnd) => {
  const before = set("A", ["ana", "bob", "cy"]);
  const [rest, staff] = [set("A", ["ana"]), set("A", ["bob", "cy"], { name: "staff" })];
  async function split(): Promise<Scene> {
    const s = await open(frontEnd);
    await up(s, before);
    s.service.people.signAll(s.id(1));
    await forgetMachine(s);
    return s;
  }

  test("the old one first, as by `dependsOn`: the rows are taken along, and the preview says so", async () => {
    await using s = await split();
    const { previewLines, error } = await s.stack.up([rest, staff]);
    expect([error, s.sent()]).toEqual([undefined, nobody]);
    if (frontEnd === pluginFrontEnd)
      expect(previewLines.join("\n")).toContain(`bob: takes back document ${s.id(1)} (signed), mails nobody`);
    expect([idOf(s, "bob", "staff"), idOf(s, "cy", "staff")]).toEqual([s.id(1), s.id(2)]);
    expect(sent(await up(s, rest, staff))).toEqual(nobody);
  });

  test("the new one first: refused, and the message says `dependsOn`, which is accepted", async () => {
    await using s = await split();
    const { error = "" } = await s.stack.up([staff, rest]);
    expect(s.sent()).toEqual(nobody);
    expect(error).toContain("[docsign/duplicate]");
    expect(error).toContain(
      "if its row leaves a set of this program for this resource: give this one the option `dependsOn`",
    );
    await forgetMachine(s);
    expect(sent(await up(s, rest, staff))).toEqual(nobody);
  });
});

test("what a destroy lets go of is as signed as it was when it was last read", async () => {
  await using s = await scene();
  const words = async (...people: string[]): Promise<string | undefined> => {
    await up(s, nda());
    for (const email of people) s.service.people.sign(s.id(), email);
    if (people.length > 0) await s.stack.refresh();
    const { lines } = await s.stack.destroy();
    return /which can't delete documents\. (.*)/.exec(lines.join("\n"))?.[1];
  };
  expect(await words()).toBe(
    "Nobody had signed when it was last read; ana@example.com, bob@example.org can still sign.",
  );
  expect(await words("ana@example.com")).toBe(
    "It was partially signed when it was last read; bob@example.org can still sign.",
  );
  expect(await words("bob@example.org")).toBe("It was signed when it was last read.");
});

test("a folder that another machine has let go of is refused with an import that is accepted", async () => {
  await using s = await scene();
  const [drafts] = twoFolders as [Goal];
  const [, documentIn] = placedKinds[0] as (typeof placedKinds)[number];
  const program = [drafts, filedIn(documentIn, "drafts")];
  await up(s, ...program);
  s.stack.entries = [];
  const { error = "" } = await s.stack.up(program);
  const { name, type = "" } = drafts;
  const [, id = ""] =
    new RegExp(`keep it: pulumi import --generate-code=false ${type} ${name} (\\S+)`).exec(error) ?? [];
  expect((await s.stack.import({ name, type }, id)).error).toBeUndefined();
  expect(sent(await up(s, ...program))).toEqual(nobody);
});

test.each([false, true])(
  "a folder and its contract (signed: %s), destroyed where they weren't made, come back",
  async isSigned => {
    await using s = await scene();
    const [drafts] = twoFolders as [Goal];
    const [, documentIn] = placedKinds[0] as (typeof placedKinds)[number];
    const program = [drafts, filedIn(documentIn, "drafts")];
    await up(s, ...program);
    if (isSigned) s.service.people.signAll(s.id());
    await forgetMachine(s);
    expect((await s.stack.up([])).error).toBeUndefined();
    s.sent();
    expect(sent(await up(s, ...program))).toEqual(nobody);
    expect(s.service.ledger.folders()).toHaveLength(1);
  },
);

const folderNamed = (name: string): Goal => ({ name, type: "docsign:index:Folder", inputs: { name } });
const twoFolders = [folderNamed("drafts"), folderNamed("contracts")];
const folderId = (name: string) => new Ref(name, "folderId");
const placedKinds: [string, (place?: Values) => Goal][] = [
  ["a document", (place = {}) => ({ ...one("A"), inputs: { ...one("A").inputs, ...place } })],
  ["a set's row", place => set("A", ["ana"], { inputs: { defaults: { base64File: base64("A"), ...place } } })],
];
const filedIn = (goal: (place: Values) => Goal, name: string): Goal =>
  goal({ folderId: folderId(name) } as unknown as Values);

describe.each(frontEnds)("through %s, moved on the platform", (_, frontEnd) => {
  test.each(placedKinds)("%s follows in the program, and nobody is mailed", async (_kind, goal) => {
    await using s = await open(frontEnd);
    await up(s, ...twoFolders, filedIn(goal, "drafts"));
    for (const [to, sign] of [
      ["contracts", false],
      ["drafts", true],
    ] as const) {
      if (sign) s.service.people.signAll(s.id());
      s.service.people.moveToFolder(s.id(), s.stack.entry(to).id);
      expect((await s.stack.refresh()).error).toBeUndefined();
      expect(sent(await up(s, ...twoFolders, filedIn(goal, to)))).toEqual(nobody);
    }
    expect(s.service.ledger.documentCount()).toBe(1);
  });
});

test.each(placedKinds)("%s that is signed and filed elsewhere is refused with what helps", async (kind, goal) => {
  await using s = await scene();
  const [drafts, contracts] = twoFolders as [Goal, Goal];
  await up(s, drafts, filedIn(goal, "drafts"));
  s.service.people.signAll(s.id());
  for (const skipPreview of [false, true, false]) {
    const { error } = await s.stack.up([drafts, contracts, filedIn(goal, "contracts")], { skipPreview });
    expect(error).toContain("[docsign/replace-signed]");
    // A set's rows aren't shown by the engine: while the folder isn't there, nothing tells what else changes.
    const isKnown = kind === "a document" || s.stack.entries.some(({ goal }) => goal.name === "contracts");
    const helps = "only its folder changes: move it there on the platform and run `pulumi refresh`";
    if (isKnown) expect(error).toContain(helps);
    if (kind === "a document") expect(error).toContain('ignoreChanges: ["folderId"]\n');
  }
  s.service.people.moveToFolder(s.id(), s.stack.entry("contracts").id);
  expect((await s.stack.refresh()).error).toBeUndefined();
  s.sent();
  expect(sent(await up(s, drafts, contracts, filedIn(goal, "contracts")))).toEqual(nobody);
});

describe.each(frontEnds)("through %s, on a machine that only saw it go", (_, frontEnd) => {
  const folders = twoFolders;
  const kinds = placedKinds;

  test.each(kinds)("%s is taken back into its folder, and into no other one", async (_kind, goal) => {
    await using s = await open(frontEnd);
    const [drafts, contracts] = ["drafts", "contracts"].map(name =>
      goal({ folderId: folderId(name) } as unknown as Values),
    ) as [Goal, Goal];
    await up(s, ...folders, drafts);
    await forgetMachine(s);
    expect((await s.stack.up(folders)).error).toBeUndefined();
    s.sent();
    const { error } = await s.stack.up([...folders, contracts]);
    expect(error).toContain(`document ${s.id()} has the same name, PDF and people already`);
    expect(error).toMatch(new RegExp(`document ${s.id()} is in folder \\d+, and the program puts it into another one`));
    expect(s.sent()).toEqual(nobody);
    s.stack.entries = s.stack.entries.filter(({ goal: { type } }) => type === "docsign:index:Folder");
    expect(sent(await up(s, ...folders, drafts))).toEqual(nobody);
    // The program names no folder: it may lie in any.
    expect(sent(await up(s, ...folders))).toEqual(nobody);
    expect((await s.stack.up([...folders, goal()])).error).toContain("[docsign/duplicate]");
    expect(s.sent()).toEqual(nobody);
  });

  test("a document that is exactly alike is taken back, one with another PDF isn't", async () => {
    await using s = await open(frontEnd);
    await up(s, one("A"));
    await forgetMachine(s);
    await s.stack.destroy();
    expect(sent(await up(s, one("A")))).toEqual(nobody);
    await s.stack.destroy();
    expect(sent(await up(s, one("B")))).toEqual(each(1));
  });
});

describe.each(frontEnds)("through %s, a stage that the service shows by itself", (_, frontEnd) => {
  const staged = (more: Values): Goal => ({
    ...one("A"),
    inputs: { ...one("A").inputs, invitations: [{ email: "ana@example.com", ...more }] },
  });

  test("is said, and left out again, and mails nobody", async () => {
    await using s = await open(frontEnd, {}, { dialect: { form: "extended" } });
    await up(s, staged({}));
    expect(sent(await up(s, staged({ stage: 1 })))).toEqual(nobody);
    expect(sent(await up(s, staged({})))).toEqual(nobody);
    expect(sent(await up(s, staged({ stage: 2 })))).toEqual(each(1));
  });

  test("is said of somebody whom it calls by another name, and left out again, and mails nobody", async () => {
    await using s = await open(frontEnd, {}, { dialect: { form: "extended" } });
    await up(s, staged({ name: "Ana" }));
    s.service.people.invitedBehindBack(s.id(), person => [{ ...person, name: "Ana B. Registered" }]);
    await s.stack.refresh();
    expect(sent(await up(s, staged({ name: "Ana", stage: 1 })))).toEqual(nobody);
    expect(sent(await up(s, staged({ name: "Ana" })))).toEqual(nobody);
  });
});

describe.each(frontEnds)("through %s, a name that the service shows otherwise", (_, frontEnd) => {
  const NAME = "NDA <Alpha & Beta> for the year 2031";
  const titled = (name: string): Goal => ({ ...one("A"), inputs: { ...one("A").inputs, name } });

  test.each<[string, (name: string) => string]>([
    ["escaped", name => name.replaceAll("<", "&lt;")],
    ["cut", name => name.slice(0, 20)],
  ])("%s, is said, and the first one again, and mails nobody", async (_how, keep) => {
    const stores = <D extends { readonly name: string }>(wanted: D): D => ({ ...wanted, name: keep(wanted.name) });
    await using s = await open(frontEnd, {}, { dialect: { stores } });
    await up(s, titled(NAME));
    await s.stack.refresh();
    expect(s.stack.entry("nda").outputs).toMatchObject({ name: keep(NAME), drift: [] });
    expect(sent(await up(s, titled(keep(NAME))))).toEqual(nobody);
    expect(sent(await up(s, titled(NAME)))).toEqual(nobody);
    expect(sent(await up(s, titled(`Another ${NAME}`)))).toEqual(each(1));
  });

  test("an address that is escaped is no drift, and mails nobody again", async () => {
    const stores: NonNullable<IndependentServiceOptions["dialect"]>["stores"] = wanted => ({
      ...wanted,
      invitations: wanted.invitations.map(each => ({ ...each, email: each.email.replaceAll("'", "&#39;") })),
    });
    await using s = await open(frontEnd, {}, { dialect: { stores } });
    const invitations = [{ email: "o'neil@example.com" }];
    const goal: Goal = { ...one("A"), inputs: { ...one("A").inputs, invitations } };
    await up(s, goal);
    await s.stack.refresh();
    expect(s.stack.entry("nda").outputs).toMatchObject({ drift: [], pendingSigners: ["o'neil@example.com"] });
    expect(sent(await up(s, goal))).toEqual(nobody);
    await up(s);
    expect(sent(await up(s, goal))).toEqual(nobody);
    expect(s.stack.entry("nda").outputs).toMatchObject({ drift: [] });
  });

  test("is said in a row of a set, and the first one again, and mails nobody", async () => {
    const keep = (name: string) => name.replaceAll("<", "&lt;");
    const stores = <D extends { readonly name: string }>(wanted: D): D => ({ ...wanted, name: keep(wanted.name) });
    await using s = await open(frontEnd, {}, { dialect: { stores } });
    const row = (name: string): Goal => {
      const documents = { ana: { name, invitations: [{ email: "ana@example.com" }] } };
      return set("A", [], { inputs: { documents } });
    };
    await up(s, row(NAME));
    expect(sent(await up(s, row(keep(NAME))))).toEqual(nobody);
    expect(sent(await up(s, row(NAME)))).toEqual(nobody);
    expect(sent(await up(s, row(keep(NAME))))).toEqual(nobody);
    s.service.people.renameBehindBack(s.id(), "Renamed");
    expect(sent(await up(s, row("Renamed")))).toEqual(nobody);
    expect(sent(await up(s, row(NAME)))).toEqual(each(1));
  });

  test("cut, and changed behind that in a row of a set, is another one", async () => {
    const stores = <D extends { readonly name: string }>(wanted: D): D => ({
      ...wanted,
      name: wanted.name.slice(0, 20),
    });
    await using s = await open(frontEnd, {}, { dialect: { stores } });
    const row = (name: string): Goal => {
      const documents = { ana: { name, invitations: [{ email: "ana@example.com" }] } };
      return set("A", [], { inputs: { documents } });
    };
    await up(s, row(NAME));
    expect(sent(await up(s, row(`${NAME} and on`)))).toEqual(each(1));
  });

  test("of a service that adds to each PDF, is no drift until somebody adds a version", async () => {
    const stores: NonNullable<IndependentServiceOptions["dialect"]>["stores"] = wanted => ({
      ...wanted,
      pdf: Buffer.concat([wanted.pdf, Buffer.from("stamp")]),
    });
    await using s = await open(frontEnd, {}, { dialect: { stores } });
    await up(s, one("A"));
    await s.stack.refresh();
    expect(s.stack.entry("nda").outputs["drift"]).toEqual([]);
    s.service.people.addVersion(s.id(), pdf("B"));
    await s.stack.refresh();
    expect(s.stack.entry("nda").outputs["drift"]).toEqual(["base64File"]);
  });

  test("as somebody renamed it there, is another one", async () => {
    await using s = await open(frontEnd);
    await up(s, titled(NAME));
    s.service.people.renameBehindBack(s.id(), "Renamed");
    await s.stack.refresh();
    expect(sent(await up(s, titled("Renamed")))).toEqual(nobody);
    expect(sent(await up(s, titled(NAME)))).toEqual(each(1));
  });
});

describe.each(frontEnds)(
  "through %s, a document that was renamed there, and whose name the program says as well,",
  (_, frontEnd) => {
    const titled = (name: string, text: string): Goal => ({ ...one(text), inputs: { ...one(text).inputs, name } });
    const row = (name: string, text: string): Goal =>
      set(text, [], { inputs: { documents: { ana: { name, invitations: [{ email: "ana@example.com" }] } } } });

    test.each([
      ["of a document", titled],
      ["of a row", row],
    ])("%s, is taken back after another PDF", async (_of, goal) => {
      await using s = await open(frontEnd);
      expect(sent(await up(s, goal("NDA", "A")))).toEqual(each(1));
      s.service.people.renameBehindBack(s.id(), "NDA, final");
      await s.stack.refresh();
      expect(sent(await up(s, goal("NDA, final", "A")))).toEqual(nobody);
      expect(sent(await up(s, goal("NDA, final", "B")))).toEqual(each(1));
      expect(sent(await up(s, goal("NDA, final", "A")))).toEqual(nobody);
      expect(sent(await up(s, goal("NDA", "A")))).toEqual(each(1));
      expect(sent(await up(s, goal("NDA, final", "A")))).toEqual(nobody);
    });
  },
);

describe.each(frontEnds)("through %s, what somebody changed there since the last refresh,", (_, frontEnd) => {
  const BOB = { email: "bob@example.com", name: "Bob" };
  const saying = (inputs: Values): Goal => ({ ...one("A"), inputs: { ...one("A").inputs, ...inputs } });

  test.each<[string, (s: Scene) => void, Values]>([
    ["a name", s => s.service.people.renameBehindBack(s.id(), "Renamed"), { name: "Renamed" }],
    ["a description", s => s.service.people.describeBehindBack(s.id(), "Rewritten"), { description: "Rewritten" }],
    [
      "who signs",
      s => s.service.people.invitedBehindBack(s.id(), person => [{ ...person, ...BOB }]),
      { invitations: [BOB] },
    ],
    ["a version", s => s.service.people.addVersion(s.id(), pdf("B")), { base64File: base64("B") }],
  ])("%s, is followed by the program, signed or not, and mails nobody", async (_what, change, inputs) => {
    for (const isSigned of [false, true]) {
      await using s = await open(frontEnd);
      await up(s, one("A"));
      change(s);
      if (isSigned) s.service.people.signAll(s.id());
      expect(sent(await up(s, saying(inputs)))).toEqual(nobody);
      expect(s.stack.entry("nda")).toMatchObject({ id: s.id(), outputs: { drift: [] } });
    }
  });

  test("and the program doesn't say, is replaced with what it does", async () => {
    await using s = await open(frontEnd);
    await up(s, one("A"));
    s.service.people.renameBehindBack(s.id(), "Renamed");
    expect(sent(await up(s, saying({ name: "Renamed", description: "Rewritten" })))).toEqual(each(1));
  });
});

describe.each(frontEnds)("through %s, people whom somebody changed there", (_, frontEnd) => {
  const ANA = { email: "ana@example.com", name: "Ana" };
  const BOB = { email: "bob@example.com", name: "Bob" };
  const EVA = { ...ANA, name: "Eva" };
  const invited = (invitations: Values[]): Goal => ({ ...one("A"), inputs: { ...one("A").inputs, invitations } });

  test.each([
    ["to another address", [ANA], [BOB]],
    ["to another name", [ANA], [EVA]],
    ["to fewer", [ANA, BOB], [ANA]],
  ])("%s, are others once the program says the first ones again", async (_how, before, after) => {
    await using s = await open(frontEnd);
    await up(s, invited(before));
    s.service.people.invitedBehindBack(s.id(), person => {
      const to = after[before.findIndex(({ email }) => email === person.email)];
      return to ? [{ ...person, ...to }] : [];
    });
    await s.stack.refresh();
    expect(sent(await up(s, invited(after)))).toEqual(nobody);
    expect(sent(await up(s, invited(before)))).toEqual({ creates: 1, mails: before.length });
  });
});

test("what state says a document replaced is taken back on a machine that has seen nothing", async () => {
  await using s = await scene();
  await up(s, one("A"));
  await up(s, one("B"));
  await forgetMachine(s);
  expect(sent(await up(s, one("A")))).toEqual(nobody);
  expect(s.stack.entry("nda").id).toBe(s.id());
});

test("what was replaced is taken back though its hash in state is another: its PDF comes another way", async () => {
  await using s = await scene();
  const written = { ...one("A"), inputs: { ...one("A").inputs, base64File: null } };
  const markdown = "# NDA\n\nA\n";
  await up(s, { ...written, inputs: { ...written.inputs, template: new Asset({ text: markdown }) } });
  await up(s, one("B"));
  await forgetMachine(s);
  const { base64: base64File } = await renderTemplate({ template: { markdown } });
  expect(sent(await up(s, { ...written, inputs: { ...written.inputs, base64File } }))).toEqual(nobody);
  expect(s.stack.entry("nda").id).toBe(s.id());
});

describe.each([
  ["no hash", { sha256: "null", downloads: "missing" }],
  ["the hash of a PDF it rewrote", { sha256: "stamped" }],
] as const)("at a service that shows %s, on machines that have seen nothing,", (_, dialect) => {
  const template = (text: string): Goal =>
    nda({
      deleteBeforeReplace: true,
      inputs: { base64File: null, template: new Asset({ text: `# NDA\n\n${text}\n` }) },
    });
  const row = (text: string): Goal => set(text, ["ana", "bob"]);

  test.each([
    ["a document", one, 1],
    ["a document of a template", template, 2],
    ["rows of a set", row, 2],
  ])("what %s replaced is taken back, signed or not, and a third one is sent", async (_kind, goal, count) => {
    await using s = await scene({ dialect });
    const onNewMachine = async (text: string) => {
      await forgetMachine(s);
      return sent(await up(s, goal(text)));
    };
    const sends = { creates: s.sent().creates + (goal === row ? 2 : 1), mails: count };
    const ids = () => s.stack.entries.flatMap(({ id, outputs }) => outputs["documentIds"] ?? id);
    await up(s, goal("A"));
    const first = ids();
    expect(await onNewMachine("B")).toEqual(sends);
    const second = ids();
    expect(await onNewMachine("A")).toEqual(nobody);
    expect(ids()).toEqual(first);
    expect(await onNewMachine("B")).toEqual(nobody);
    expect(ids()).toEqual(second);
    s.service.people.signAll(s.id());
    expect(await onNewMachine("C")).toEqual(sends);
    expect(await onNewMachine("A")).toEqual(nobody);
    expect(ids()).toEqual(first);
  });

  test.each([
    ["a document", one, "nda", 1],
    ["a set's rows", row, "ndas", 2],
  ])("what %s replaced by force is taken back, and sent where it is forced again", async (_kind, goal, name, count) => {
    await using s = await scene({ dialect });
    const ids = () => s.stack.entries.flatMap(({ id, outputs }) => outputs["documentIds"] ?? id);
    const force = async (text: string) => {
      await forgetMachine(s);
      const { error } = await s.stack.up([goal(text)], { replace: [name], skipPreview: true });
      expect(error).toBeUndefined();
      return s.sent();
    };
    await up(s, goal("A"));
    const first = ids();
    expect(await force("B")).toEqual(each(count));
    await forgetMachine(s);
    expect(sent(await up(s, goal("A")))).toEqual(nobody);
    expect(ids()).toEqual(first);
    expect(await force("A")).toEqual(each(count));
    expect(await force("A")).toEqual(each(count));
  });

  const given = async (way: string, text: string): Promise<Values> => {
    const markdown = `# NDA\n\n${text}\n`;
    if (way === "template") return { template: new Asset({ text: markdown }) };
    return { base64File: (await renderTemplate({ template: { markdown } })).base64 };
  };
  const ofInputs = {
    document: (inputs: Values) => nda({ deleteBeforeReplace: true, inputs: { base64File: null, ...inputs } }),
    set: (inputs: Values) => set("", ["ana", "bob"], { inputs: { defaults: inputs } }),
  };

  test.each(
    (["document", "set"] as const).flatMap(kind =>
      [
        ["template A", "file A", "template A"],
        ["file A", "template A", "file A"],
        ["template A", "template B", "file A", "template B", "file B", "template C"],
        ["template A", "file B", "file A", "template B", "file C"],
        ["file A", "template A", "template B", "file A"],
        ["file A", "file B", "template A", "file C"],
      ].map(steps => [kind, steps] as const),
    ),
  )("a %s that is given as %j sends each PDF once", async (kind, steps) => {
    for (const forgets of [true, false]) {
      await using s = await scene({ dialect });
      const made = new Map<string, unknown>();
      for (const step of steps) {
        if (forgets) await forgetMachine(s);
        const [way = "", text = ""] = step.split(" ");
        const first = !made.has(text);
        const { creates } = await up(s, ofInputs[kind](await given(way, text)));
        expect([step, creates]).toEqual([step, first ? (kind === "set" ? 2 : 1) : 0]);
        const ids = s.stack.entries.flatMap(({ id, outputs }) => outputs["documentIds"] ?? id);
        if (first) made.set(text, ids);
        expect(ids).toEqual(made.get(text));
      }
    }
  });

  test("what the service doesn't show any more isn't sent again, until a person says so", async () => {
    await using s = await scene({ dialect });
    await up(s, one("A"));
    await up(s, one("B"));
    s.service.people.removeDocument(s.id(0));
    await forgetMachine(s);
    s.sent();
    const { error } = await s.stack.up([one("A")]);
    expect(error).toContain(`document ${s.id(0)} was made of this content and let go of`);
    expect(error).toContain("pulumi config set docsign:duplicatePolicy create");
    expect(s.sent()).toEqual(nobody);
    expect(sent(await up(s, one("B")))).toEqual(nobody);
  });
});

const placed = (kind: string, invitation: Values): Goal => {
  const inputs: Values = {
    name: "NDA of ana",
    base64File: base64("A"),
    invitations: [{ email: "ana@example.com", ...invitation }],
  };
  return kind === "document"
    ? { name: "nda", deleteBeforeReplace: true, inputs }
    : { name: "ndas", type: TYPE, inputs: { documents: { ana: inputs } } };
};

describe.each(["document", "row"])("on machines that have seen nothing, a %s of which only a person changes", kind => {
  test("goes back to the first one, and isn't taken for another one's", async () => {
    await using s = await scene();
    await up(s, placed(kind, { name: "Ana" }));
    expect(sent(await up(s, placed(kind, { name: "Anna" })))).toEqual(each(1));
    await forgetMachine(s);
    expect(sent(await up(s, placed(kind, { name: "Ana" })))).toEqual(nobody);
    await forgetMachine(s);
    expect(sent(await up(s, placed(kind, { name: "Anne" })))).toEqual(each(1));
    await forgetMachine(s);
    expect(sent(await up(s, placed(kind, { name: "Anna" })))).toEqual(nobody);
    const ids = [s.stack.entries[0]?.outputs["documentIds"] ?? [s.stack.entries[0]?.id]];
    expect(ids).toEqual([[s.id(1)]]);
  });

  test("in what the service doesn't show goes back to the first one, and a third is refused until a person says so", async () => {
    const env: Record<string, string> = {};
    await using s = await scene({ dialect: { form: "basic" }, frontEnd: machine => pluginFrontEnd(machine, env) });
    await up(s, placed(kind, { allowedSignatureTypes: "all" }));
    await forgetMachine(s);
    expect(sent(await up(s, placed(kind, { allowedSignatureTypes: "advanced" })))).toEqual(each(1));
    for (const known of ["all", "advanced"]) {
      await forgetMachine(s);
      expect(sent(await up(s, placed(kind, { allowedSignatureTypes: known })))).toEqual(nobody);
    }
    await forgetMachine(s);
    const { error } = await s.stack.up([placed(kind, { allowedSignatureTypes: "autograph" })]);
    expect(error).toContain(
      `document ${s.id(0)} is what this resource had before, and may be exactly this: the service doesn't show all that the program says of it.`,
    );
    expect(error).toContain(`DOCSIGN_ADOPT=${s.id(0)} pulumi up`);
    expect(error).not.toContain("pulumi import");
    expect(s.sent()).toEqual(nobody);
    env["DOCSIGN_ADOPT"] = s.id(0);
    expect(sent(await up(s, placed(kind, { allowedSignatureTypes: "autograph" })))).toEqual(nobody);
  });
});

test.each([
  ["on the same machine", false],
  ["on another machine", true],
])("a change that makes a document the copy of what another one holds, signed, is refused, %s", async (_, forgets) => {
  const of = (name: string, text: string, more: Partial<Goal> = {}): Goal => one(text, { name, ...more });
  await using s = await scene();
  for (let run = 0; run < 2; run++) await up(s, of("a", "A"), of("b", "B"));
  s.service.people.signAll(s.stack.entry("a").id);
  if (forgets) await forgetMachine(s);
  s.sent();
  // What the refusal of the swap offers for the signed one.
  const swapped = [of("a", "B", { ignoreChanges: ["file", "base64File"] }), of("b", "A")];
  for (const skipPreview of [false, true]) {
    const { error } = await s.stack.up(swapped, { skipPreview });
    expect(error).toContain("[docsign/duplicate]");
    expect(s.sent()).toEqual(nobody);
  }
  expect(sent(await up(s, of("a", "A"), of("b", "B")))).toEqual(nobody);
  // Another contract, alike, that is declared as such.
  expect(sent(await up(s, of("a", "A"), of("b", "B"), of("c", "A")))).toEqual(each(1));
});

test("an older signed contract of the same name keeps no later one from being taken back", async () => {
  await using s = await scene();
  await up(s, one("A"));
  s.service.people.signAll(s.id());
  await up(s);
  s.service.clock.advance(60_000);
  await up(s, one("B"));
  await up(s, one("C"));
  expect(sent(await up(s, one("B")))).toEqual(nobody);
});

test("a PDF that is the same doesn't make a changed document one that is replaced by force", async () => {
  await using s = await scene();
  const described = (description: string): Goal => ({ ...one("A"), inputs: { ...one("A").inputs, description } });
  await up(s, described("March"));
  await up(s, described("May"));
  expect(sent(await up(s, described("March")))).toEqual(nobody);
});

test("previews say what is taken back", async () => {
  await using s = await scene();
  const inside = one("A");
  const program: Goal[] = [
    { name: "contracts", type: "docsign:index:Folder", inputs: { name: "NDAs" } },
    { ...inside, inputs: { ...inside.inputs, folderId: new Ref("contracts", "folderId") } },
    set("B", ["ana", "bob"]),
  ];
  await up(s, ...program);
  const folder = s.stack.entry("contracts").id;
  s.service.people.signAll(s.id());
  await s.stack.destroy();
  const { error, previewLines } = await s.stack.preview(program);
  expect(error).toBeUndefined();
  const said = previewLines.join("\n");
  expect(said).toContain(`takes back folder ${folder}, creates none`);
  expect(said).toContain(`takes back document ${s.id()} (signed), mails nobody`);
  for (const key of ["ana", "bob"]) expect(said).toMatch(new RegExp(`${key}: takes back document \\d+ \\(unsigned\\)`));
  expect(said).not.toContain("will mail");
});

test("a row that can't be sent is a warning in a preview, and up does the others", async () => {
  await using s = await scene();
  const stranger = { name: "NDA of bob", pdf: pdf("A"), emails: ["bob@example.com"] };
  const id = s.service.people.upload("first", stranger);
  s.sent();
  const { error, previewLines } = await s.stack.up([set("A", ["ana", "bob", "cy"])]);
  expect(previewLines.join("\n")).toContain(
    "1 of 3 rows can't be sent. `pulumi up` does the others, and fails at the end. [docsign/duplicate]\n  bob: document",
  );
  expect(error).toContain("2 of 3 rows are done, 1 is not.");
  expect(error).toContain(`document ${id} has the same name, PDF and people`);
  expect(s.sent()).toEqual(each(2));
  // Nothing else would be done.
  const again = await s.stack.up([set("A", ["ana", "bob", "cy"])]);
  expect([again.failed, s.sent()]).toEqual(["preview", nobody]);
});

test("a set is split while the new one is declared first: nobody is mailed twice, and the error says what orders them", async () => {
  await using s = await scene();
  await up(s, set("A", ["ana", "bob"]));
  const program = [set("A", ["bob"], { name: "others" }), set("A", ["ana"])];
  const { error } = await s.stack.up(program);
  expect(error).toContain("if its row leaves `ndas` for this resource: give this one the option `dependsOn`");
  expect(s.sent()).toEqual(nobody);
  // As the option orders them.
  expect(sent(await up(s, ...program.toReversed()))).toEqual(nobody);
});

describe.each(frontEnds)("through %s, another contract exactly alike", (_, frontEnd) => {
  const order = (name: string) =>
    `if \`${name}\` keeps it, and this is another contract, which mails people: give this one the option \`dependsOn\` with \`${name}\``;
  const people = { invitations: [{ email: "ana@example.com" }] };
  const contract = { name: "NDA", description: "Mutual", base64File: base64("A"), ...people };
  test.each([
    ["a document", one("A", { name: "nda" })],
    ["a set's row", set("A", [], { name: "nda", inputs: { documents: { ana: contract }, defaults: null } })],
  ])("is refused where the engine comes to it before %s, and the error says what orders them", async (_kind, first) => {
    await using s = await open(frontEnd);
    await up(s, first);
    s.sent();
    const program = [one("A", { name: "second" }), first];
    const { error } = await s.stack.up(program);
    expect(error).toContain(order("nda"));
    expect(s.sent()).toEqual(nobody);
    // As the option orders them.
    expect(sent(await up(s, ...program.toReversed()))).toEqual(each(1));
  });
});

describe.each(frontEnds)("through %s, a document that state has under two names", (_, frontEnd) => {
  test.each([
    ["one document", one("A", { name: "first" })],
    ["one set", set("A", ["ana"], { name: "first" })],
  ])("is refused until %s of them leaves the program", async (_kind, first) => {
    await using s = await open(frontEnd);
    await up(s, first);
    const id = s.id();
    const second = { ...first, name: "second" };
    const entry = s.stack.entry("first");
    await s.stack.up([]);
    await up(s, second);
    s.stack.entries.push({ ...entry, goal: { ...entry.goal } });
    for (const program of [
      [first, second],
      [second, first],
    ]) {
      const { error } = await s.stack.up(program);
      expect(error).toMatch(/`(first|second)(#ana)?` and `(first|second)(#ana)?` both hold document \d+ in state/);
      expect(error).toContain(`document ${id} in state. Nothing was changed. [docsign/held-twice]`);
      expect(s.sent()).toEqual(nobody);
    }
    await s.stack.refresh();
    expect(sent(await up(s, second))).toEqual(nobody);
    expect(Object.keys(s.stack.entries)).toHaveLength(1);
  });
});

describe("with a provider's process that a debugger has attached to, which was there before", () => {
  const attachedScene = (): Promise<Scene> => {
    let attached: Promise<FrontEnd> | undefined;
    return scene({
      frontEnd: machine => async config => {
        attached ??= pluginFrontEnd(machine)(config, { engine: undefined, pid: 1 });
        return { ...(await attached), [Symbol.asyncDispose]: async () => {} };
      },
    });
  };

  test("a document is renamed", async () => {
    await using s = await attachedScene();
    await up(s, one("A", { name: "first" }), set("A", ["bob"], { name: "sets" }));
    expect(
      sent(
        await up(s, one("A", { name: "second", alias: "first" }), set("A", ["bob"], { name: "ndas", alias: "sets" })),
      ),
    ).toEqual(nobody);
  });

  test("an import that left the program comes back under another name", async () => {
    await using s = await attachedScene();
    const imported = one("A", { name: "first" });
    const id = s.service.people.upload("first", {
      name: imported.inputs["name"] as string,
      pdf: pdf("A"),
      emails: ["ana@example.com"],
    });
    expect((await s.stack.import({ name: "first" }, id)).error).toBeUndefined();
    s.sent();
    for (const program of [[imported], [], [one("A", { name: "second" })]])
      expect(sent(await up(s, ...program))).toEqual(nobody);
    expect(Object.values(s.stack.entries).map(entry => entry.id)).toEqual([id]);
  });
});

describe("DOCSIGN_ADOPT", () => {
  const withAdopted = async (config: Givens = {}): Promise<[Scene, (ids: string) => void]> => {
    const env: Record<string, string> = {};
    const s = await scene({ config, frontEnd: machine => pluginFrontEnd(machine, env) });
    return [
      s,
      ids => {
        env["DOCSIGN_ADOPT"] = ids;
      },
    ];
  };

  test("takes back what only the journal says that this resource has, signed, as the refusal says", async () => {
    const [made, adopt] = await withAdopted();
    await using s = made;
    await up(s, one("A"));
    await up(s, one("A"));
    s.service.people.signAll(s.id());
    s.stack.entries = [];
    const { error } = await s.stack.up([one("A")]);
    expect(error).toContain("[docsign/replace-signed]");
    expect(error).toContain(`DOCSIGN_ADOPT=${s.id()} pulumi up`);
    adopt(s.id());
    expect((await s.stack.up([one("B")])).error).toContain("[docsign/replace-signed]");
    expect(sent(await up(s, one("A")))).toEqual(nobody);
    expect(s.stack.entry("nda").id).toBe(s.id());
    adopt("");
    expect(sent(await up(s, one("A")))).toEqual(nobody);
  });

  const stranger = (s: Scene, text: string, key = "ana"): string =>
    s.service.people.upload("first", { name: `NDA of ${key}`, pdf: pdf(text), emails: [`${key}@example.com`] });

  test("takes over a stranger's document in place of one in state, under whose name the engine imports nothing", async () => {
    const [made, adopt] = await withAdopted();
    await using s = made;
    await up(s, one("A"));
    const [id, emails] = [s.id(), ["ana@example.com"]];
    const other = s.service.people.upload("first", { name: "NDA", description: "Mutual", pdf: pdf("B"), emails });
    s.sent();
    const { error } = await s.stack.up([one("B")]);
    expect(error).toContain(`DOCSIGN_ADOPT=${other} pulumi up`);
    expect(error).not.toContain("pulumi import");
    adopt(other);
    expect(sent(await up(s, one("B")))).toEqual(nobody);
    expect(s.stack.entry("nda")).toMatchObject({ id: other, outputs: { supersedes: [id] } });
  });

  test("takes over a stranger's document, signed or not, for one row, in one run", async () => {
    const [made, adopt] = await withAdopted();
    await using s = made;
    const [signed, other] = [stranger(s, "A"), stranger(s, "A", "bob")];
    s.service.people.signAll(signed);
    s.sent();
    const program = [set("A", ["ana", "bob"])];
    expect((await s.stack.up(program)).error).toContain(
      `take over documents ${signed}, ${other}, which mails no one: DOCSIGN_ADOPT=${signed},${other} pulumi up`,
    );
    adopt(signed);
    const { previewLines, error } = await s.stack.up(program);
    expect(previewLines.join("\n")).toContain(
      `ana: will take over document ${signed}, and mails no one: DOCSIGN_ADOPT names it`,
    );
    expect(error).toContain(`document ${other} has the same name, PDF and people`);
    expect(idOf(s)).toBe(signed);
    adopt(`${signed}, ${other}`);
    expect(sent(await up(s, ...program))).toEqual(nobody);
    expect(idOf(s, "bob")).toBe(other);
  });

  test("is named for a signed one that was let go of, while the folder isn't known and after", async () => {
    const [made, adopt] = await withAdopted();
    await using s = made;
    const described = (description: string, inputs: Goal["inputs"] = {}) =>
      nda({ inputs: { ...one("A").inputs, description, ...inputs } });
    await up(s, described("Old"));
    const signed = s.id();
    s.service.people.signAll(signed);
    await up(s);
    s.service.people.describeBehindBack(signed, "Mutual");
    const [emails, description] = [["ana@example.com"], "Mutual"];
    s.service.people.upload("first", { name: "NDA", description, pdf: pdf("A"), emails });
    s.sent();
    const program = [folderNamed("drafts"), described("Mutual", { folderId: folderId("drafts") })];
    for (const failed of ["preview", "up"]) {
      const refused = await s.stack.up(program, { skipPreview: failed === "up" });
      expect(refused.failed).toBe(failed);
      expect(refused.error).toContain(`DOCSIGN_ADOPT=${signed} pulumi up`);
    }
    // The folder.
    expect(s.sent()).toEqual({ creates: 1, mails: 0 });
    adopt(signed);
    expect(sent(await up(s, ...program))).toEqual(nobody);
    expect(s.stack.entry("nda").id).toBe(signed);
  });

  test.each(["document", "row"])(
    "takes no unsigned %s before the signed one that took its place, and names that",
    async kind => {
      const [made, adopt] = await withAdopted();
      await using s = made;
      const nda = (text: string) => (kind === "row" ? set(text, ["ana"]) : one(text));
      await up(s, nda("A"));
      await up(s, nda("B"));
      s.service.people.signAll(s.id(1));
      await up(s, ...(kind === "row" ? [set("B", ["bob"])] : []));
      s.sent();
      adopt(s.id(0));
      const { error } = await s.stack.up([nda("A")]);
      expect(error).toContain(`document ${s.id(1)} is signed, for the same people under the same name`);
      expect(error).not.toContain("DOCSIGN_ADOPT");
      expect(s.sent()).toEqual(nobody);
    },
  );

  test("is offered for the signed one of two that are exactly alike, and takes it", async () => {
    const [made, adopt] = await withAdopted();
    await using s = made;
    const [unsigned, signed] = [stranger(s, "A"), stranger(s, "A")];
    s.service.people.signAll(signed);
    s.sent();
    const program = [set("A", ["ana"])];
    expect((await s.stack.up(program)).error).toContain(`DOCSIGN_ADOPT=${signed} pulumi up`);
    adopt(unsigned);
    const { error } = await s.stack.up(program);
    expect(error).toContain(`document ${signed} is signed, so document ${unsigned}, which is exactly alike`);
    expect(error).toContain(`DOCSIGN_ADOPT=${signed} pulumi up`);
    adopt(signed);
    expect(sent(await up(s, ...program))).toEqual(nobody);
    expect(idOf(s)).toBe(signed);
  });

  test("takes the signed one of two that are exactly alike alone, where others count for nothing as well", async () => {
    const [made, adopt] = await withAdopted({ duplicatePolicy: "create" });
    await using s = made;
    const [unsigned, signed] = [stranger(s, "A"), stranger(s, "A")];
    s.service.people.signAll(signed);
    s.sent();
    const program = [set("A", ["ana"])];
    adopt(unsigned);
    expect((await s.stack.up(program)).error).toContain(`document ${signed} is signed, so document ${unsigned}`);
    adopt(signed);
    expect(sent(await up(s, ...program))).toEqual(nobody);
    expect(idOf(s)).toBe(signed);
  });

  test("has no other document of the name keep one from being sent, where those count for nothing", async () => {
    const [made, adopt] = await withAdopted({ duplicatePolicy: "create" });
    await using s = made;
    const others = [stranger(s, "A"), stranger(s, "B")];
    s.service.people.signAll(stranger(s, "C"));
    adopt(stranger(s, "A", "bob"));
    s.sent();
    const unread = new RegExp(`/(${others.join("|")})$`);
    s.service.faults.push({ kind: "status", when: "before", status: 404 }, unread, { times: 20 });
    expect((await s.stack.up([set("A", ["ana"])], { skipPreview: true })).error).toBeUndefined();
    expect(s.sent()).toEqual(each(1));
    expect(others).not.toContain(idOf(s));
  });

  test("isn't offered where it would be refused", async () => {
    const [made, adopt] = await withAdopted();
    await using s = made;
    const [unsigned, signed] = [stranger(s, "A"), stranger(s, "B")];
    s.service.people.signAll(signed);
    s.sent();
    const refused = async () => (await s.stack.up([set("A", ["ana"])])).error;
    expect(await refused()).toContain(`document ${signed} is signed, for the same people under the same name`);
    expect(await refused()).not.toContain("DOCSIGN_ADOPT");
    adopt(unsigned);
    expect(await refused()).toContain(`document ${signed} is signed, for the same people under the same name`);
    expect(await refused()).not.toContain("DOCSIGN_ADOPT");
    expect(s.sent()).toEqual(nobody);
  });

  test("takes a document that no list shows, and mails nobody while the service doesn't show it", async () => {
    const [made, adopt] = await withAdopted();
    await using s = made;
    s.service.lag({ get: 2, list: Number.POSITIVE_INFINITY });
    await fetch(`${s.service.url}/v1/documents`, {
      method: "POST",
      headers: { "x-api-key": s.service.apiKey, "Content-Type": "application/json" },
      body: JSON.stringify({
        name: "NDA of ana",
        invitations_attributes: [{ invite_email: "ana@example.com" }],
        base64_file: `data:application/pdf;base64,${pdf("A").toString("base64")}`,
      }),
    });
    const hidden = s.id();
    s.sent();
    adopt(hidden);
    const { error } = await s.stack.up([set("A", ["ana"])], { skipPreview: true });
    expect(error).toContain(`DOCSIGN_ADOPT names document ${hidden}, which can't be read`);
    expect(error).not.toContain("has the same name");
    expect(s.sent()).toEqual(nobody);
    expect((await s.stack.up([set("B", ["ana"])])).error).toContain("its PDF or description differs");
    expect(sent(await up(s, set("A", ["ana"])))).toEqual(nobody);
    expect(idOf(s)).toBe(hidden);
  });

  test("mails nobody about one that the service has stored under another name", async () => {
    const [s, adopt] = await withAdopted();
    await using _s = s;
    const upload = (name: string, text: string, key: string) =>
      s.service.people.upload("first", { name, pdf: pdf(text), emails: [`${key}@example.com`] });
    const [own, lease] = [upload("NDA of", "A", "ana"), upload("Lease", "Lease", "bob")];
    s.sent();
    adopt(`${own} ${lease}`);
    const { error } = await s.stack.up([set("A", ["ana"])]);
    expect(s.sent()).toEqual(nobody);
    expect(error).toContain(`document ${own}, which DOCSIGN_ADOPT names, may be this contract and isn't exactly alike`);
    adopt(lease);
    expect(sent(await up(s, set("A", ["ana"])))).toEqual(each(1));
  });

  test.each(["document", "row"])(
    "that names one with the name and PDF of a %s, for other people, is told so",
    async kind => {
      const [made, adopt] = await withAdopted();
      await using s = made;
      const emails = ["old@example.com"];
      const name = kind === "row" ? "NDA of ana" : "NDA";
      const id = s.service.people.upload("first", { name, description: "Mutual", pdf: pdf("A"), emails });
      s.sent();
      adopt(id);
      const program = kind === "row" ? set("A", ["ana"]) : one("A");
      const said = `document ${id}, which DOCSIGN_ADOPT names, isn't taken for this one`;
      const { previewLines, lines } = await s.stack.up([program]);
      for (const all of [previewLines, lines]) expect(all.filter(line => line.includes(said))).toHaveLength(1);
      expect(s.sent()).toEqual(each(1));
      expect((await up(s, program)).said).not.toContain("DOCSIGN_ADOPT");
    },
  );

  test.each(["a stranger's", "what it replaced", "what it let go of"])(
    "comes before duplicatePolicy: create, and takes %s",
    async whose => {
      const [made, adopt] = await withAdopted({ duplicatePolicy: "create" });
      await using s = made;
      const program = set("A", ["ana"]);
      if (whose === "a stranger's") stranger(s, "A");
      else await up(s, program);
      if (whose === "what it replaced") await up(s, set("B", ["ana"]));
      if (whose === "what it let go of") await up(s, set("A", ["bob"]));
      s.sent();
      adopt(s.id(0));
      const { said, ...sent } = await up(s, program);
      expect(sent).toEqual(nobody);
      expect(said).toContain("DOCSIGN_ADOPT names it");
      expect(idOf(s)).toBe(s.id(0));
    },
  );

  test.each([
    ["can't be read", "can't be read, so it may be this contract"],
    ["is for other people", undefined],
  ])("with duplicatePolicy: create, that names one which %s", async (_, refusal) => {
    const [made, adopt] = await withAdopted({ duplicatePolicy: "create" });
    await using s = made;
    const emails = [refusal === undefined ? "old@example.com" : "ana@example.com"];
    const id = s.service.people.upload("first", { name: "NDA of ana", pdf: pdf("A"), emails });
    const fails = { kind: "status", when: "before", status: 404 } as const;
    if (refusal !== undefined) s.service.faults.push(fails, "getDocument", { times: 2 });
    s.sent();
    adopt(id);
    const { error, lines } = await s.stack.up([set("A", ["ana"])], { skipPreview: true });
    if (refusal !== undefined) expect(error).toContain(refusal);
    else expect(lines.join("\n")).toContain(`document ${id}, which DOCSIGN_ADOPT names, isn't taken for this one`);
    expect(s.sent()).toEqual(refusal === undefined ? each(1) : nobody);
  });

  test("takes nothing that another resource holds, or that has other content", async () => {
    const [made, adopt] = await withAdopted();
    await using s = made;
    await up(s, set("A", ["ana"]));
    const other = stranger(s, "B", "bob");
    s.sent();
    adopt(`${s.id()} ${other}`);
    const moved = { ...s.stack.entry("ndas") };
    s.stack.entries = [];
    const { error } = await s.stack.up([set("A", ["ana"], { name: "others" })], { skipPreview: true });
    expect(error).toContain("`ndas` holds it");
    expect(error).not.toContain("DOCSIGN_ADOPT");
    s.stack.entries = [moved];
    expect((await s.stack.up([set("A", ["ana", "bob"])])).error).toContain("its PDF or description differs");
    expect(s.sent()).toEqual(nobody);
  });

  test("is named by a preview that doesn't know the folder yet of a contract that was let go of, and nobody is mailed", async () => {
    const filed = (text: string, folder: string): Goal[] => [
      folderNamed(folder),
      { ...one(text), inputs: { ...one(text).inputs, folderId: folderId(folder) } },
    ];
    for (const before of [[one("A")], filed("A", "drafts")]) {
      const [made, adopt] = await withAdopted();
      await using s = made;
      await up(s, ...before);
      expect((await s.stack.destroy()).error).toBeUndefined();
      s.sent();
      const warned = [expect.stringMatching(/^warning: document \d+ \(in .*folder.*\) may be this very contract/)];
      expect(await s.stack.up(filed("A", "contracts"))).toMatchObject({ failed: "up", previewLines: warned });
      expect((await s.stack.preview(filed("B", "more"))).previewLines).toEqual([expect.stringContaining("will mail")]);
      adopt(s.id());
      expect((await s.stack.up(filed("A", "more"))).previewLines).toEqual(warned);
      expect(s.stack.entry("nda").id).toBe(s.id());
      expect(s.sent().mails).toBe(0);
    }
  });
});

test("a folder that is yet to be made hides nothing: the preview refuses a contract that another resource has", async () => {
  const folder = (name: string): Goal => ({ name, type: "docsign:index:Folder", inputs: { name: "NDAs" } });
  const filed = (name: string, where: string): Goal => ({
    ...one("A", { name }),
    inputs: { ...one("A").inputs, folderId: new Ref(where, "folderId") },
  });
  await using s = await scene();
  await up(s, folder("contracts"), filed("nda", "contracts"));
  // As in a stack of another program.
  s.stack.entries = [];
  const { name: _, ...contract } = { ...filed("lease", "others").inputs };
  const row = { ...contract, name: "NDA", description: "Mutual" };
  for (const again of [
    filed("lease", "others"),
    set("A", [], { inputs: { documents: { ana: row }, defaults: null } }),
  ]) {
    const { error, failed } = await s.stack.up([folder("others"), again]);
    expect(error).toContain("has the same name, PDF and people already, and `nda` holds it");
    expect([failed, s.sent()]).toEqual(["preview", nobody]);
  }
});
