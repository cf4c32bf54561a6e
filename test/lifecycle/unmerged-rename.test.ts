import { describe, expect, test } from "vitest";
import type { Givens } from "../support/engine-client.js";
import type { NewDocument } from "../support/independent-service/records.js";
import { type Goal, pluginFrontEnd, Ref, Stack } from "../support/simulated-engine.js";
import { base64, fillAccount, nda, newestFirst, type Scene, type SceneOptions, scene, sceneWith } from "./scene.js";

/** A preview shows state under names that never come: a rename in a pull request that isn't merged, say. */

const nobody = { creates: 0, mails: 0 };
const content = (text: string) => ({ base64File: base64(text), invitations: [{ email: "ana@example.com" }] });
const one = (text: string, more: Partial<Goal> = {}): Goal =>
  nda({ ...more, inputs: { name: text, ...content(text) } });
const set = (text: string, more: Partial<Goal> = {}): Goal => ({
  ...{ name: "nda", type: "docsign:index:DocumentSet" },
  inputs: { documents: { ana: { name: text, ...content(text) } } },
  ...more,
});
const kinds: [string, typeof one][] = [
  ["a document", one],
  ["a set", set],
];
const renamed = { name: "neu", alias: "nda" };

async function signed(goal: Goal, options?: SceneOptions): Promise<Scene> {
  const s = await sceneWith([goal], options);
  s.service.people.signAll(s.id());
  expect((await s.stack.up([goal], { refresh: true })).error).toBeUndefined();
  return s;
}

/** The first of these is signed, and lists prove what isn't there: nothing but the journal says what may be replaced. */
async function proving(...program: [Goal, ...Goal[]]): Promise<Scene> {
  const s = await scene(newestFirst);
  fillAccount(s);
  expect((await s.stack.up(program)).error).toBeUndefined();
  s.service.people.signAll(s.stack.entry(program[0].name).id);
  expect((await s.stack.up(program, { refresh: true })).error).toBeUndefined();
  s.sent();
  return s;
}

async function refused(s: Scene, program: readonly Goal[]): Promise<void> {
  for (const skipPreview of [false, true])
    expect((await s.stack.up(program, { skipPreview })).error).toContain("docsign/replace-signed]");
  expect(s.sent()).toEqual(nobody);
}

const sends = async (s: Scene, program: readonly Goal[]) => {
  expect((await s.stack.up(program)).error).toBeUndefined();
  expect(s.sent()).toEqual({ creates: 1, mails: 1 });
};

describe.each(kinds)("%s that was renamed in a preview alone", (_, goal) => {
  test("isn't replaced by force once it is signed", async () => {
    await using s = await signed(goal("A"));
    expect((await s.stack.preview([goal("A", renamed)])).error).toBeUndefined();
    s.stack.taint("nda");
    await refused(s, [goal("B")]);
  });

  test("isn't sent beside where state has lost it, and it is signed", async () => {
    await using s = await signed(goal("A"));
    expect((await s.stack.preview([goal("A", renamed)])).error).toBeUndefined();
    s.stack.entries = [];
    await refused(s, [goal("B")]);
  });

  test("leaves the new name free, once the old one is shown", async () => {
    await using s = await signed(goal("A"));
    expect((await s.stack.preview([goal("A", renamed)])).error).toBeUndefined();
    await sends(s, [goal("A"), goal("B", { name: "neu" })]);
  });

  test("is let go of under its own name, which is free then", async () => {
    await using s = await signed(goal("A"));
    expect((await s.stack.preview([goal("A", renamed)])).error).toBeUndefined();
    expect((await s.stack.up([])).error).toBeUndefined();
    await sends(s, [goal("B")]);
  });
});

describe.each(kinds)("%s that was renamed", (_, goal) => {
  test("leaves its old name free, where it is shown first", async () => {
    await using s = await signed(goal("A"));
    expect((await s.stack.up([goal("A", renamed)])).error).toBeUndefined();
    await sends(s, [goal("A", { name: "neu" }), goal("B")]);
  });

  test("leaves its old name free in any order, once a run has changed something", async () => {
    await using s = await signed(goal("A"));
    await sends(s, [goal("A", renamed), goal("C", { name: "other" })]);
    await sends(s, [goal("B"), goal("A", { name: "neu" }), goal("C", { name: "other" })]);
  });

  test("isn't replaced by force after a preview of another rename, or back", async () => {
    for (const name of ["third", "nda"]) {
      await using s = await signed(goal("A"));
      expect((await s.stack.up([goal("A", renamed)])).error).toBeUndefined();
      expect((await s.stack.preview([goal("A", { name, alias: "neu" })])).error).toBeUndefined();
      s.stack.taint("neu");
      await refused(s, [goal("B", { name: "neu" })]);
    }
  });

  test("isn't replaced by force where the rename and a change were refused at once", async () => {
    await using s = await signed(goal("A"));
    const changed = goal("B", renamed);
    await refused(s, [changed]);
    s.stack.taint("nda");
    await refused(s, [changed]);
  });

  test("is refused under its old name before it is shown, with what to do", async () => {
    await using s = await signed(goal("A"));
    expect((await s.stack.up([goal("A", renamed)])).error).toBeUndefined();
    const { error } = await s.stack.up([goal("B"), goal("A", { name: "neu" })]);
    expect(error).toMatch(/has shown it as .*::neu.* since[\s\S]*dependsOn/);
    expect(s.sent()).toEqual(nobody);
  });
});

test.each(kinds)(
  "%s whose rename is refused isn't replaced by force, though that run has created another",
  async (_, goal) => {
    await using s = await signed(goal("A"));
    const { id, inputs: oldInputs, outputs: olds } = s.stack.entry("nda");
    {
      const config = s.stack.providers["default"] ?? {};
      await using engine = await s.stack.open(config, { engine: "127.0.0.1:refused", pid: 1 });
      const checked = async (name: string, given: Goal, more: object = {}) => {
        const of = s.stack.urn(name, given.type);
        return { urn: of, ...(await engine.check({ urn: of, news: given.inputs as Givens, ...more })) };
      };
      const { urn: neu, inputs: news } = await checked("neu", goal("B"), { olds: oldInputs });
      const diff = engine.diff({ urn: neu, id, olds, oldInputs, news, ignoreChanges: [] });
      await expect(diff).rejects.toThrow("docsign/replace-signed]");
      await engine.create({ preview: false, ...(await checked("other", one("C"))) });
      s.sent();
    }
    s.stack.taint("nda");
    await refused(s, [goal("D")]);
  },
);

test("a create under the old name waits until the document is shown under the new one", async () => {
  let show: (() => Promise<unknown>) | undefined;
  const waited = async () => {
    await show?.();
    show = undefined;
  };
  await using s = await signed(one("A"), { waited });
  expect((await s.stack.up([one("A", renamed)])).error).toBeUndefined();
  const { id, urn, inputs: oldInputs, outputs: olds } = s.stack.entry("neu");
  await using engine = await s.stack.open(s.stack.providers["default"] ?? {}, { engine: "127.0.0.1:waits", pid: 1 });
  show = async () => {
    const { inputs: news } = await engine.check({ urn, olds: oldInputs, news: one("A").inputs as Givens });
    await engine.diff({ urn, id, olds, oldInputs, news, ignoreChanges: [] });
  };
  const old = s.stack.urn("nda");
  const { inputs } = await engine.check({ urn: old, news: one("B").inputs as Givens });
  expect((await engine.create({ urn: old, inputs, preview: false })).id).toBe(s.id(1));
  expect(show).toBeUndefined();
  expect(s.sent()).toEqual({ creates: 1, mails: 1 });
});

test.each([false, true])(
  "a create waits until a set is shown to let go of the row's document, preview: %s",
  async preview => {
    let show: (() => Promise<unknown>) | undefined;
    const waited = async () => {
      await show?.();
      show = undefined;
    };
    await using s = await signed(set("A"), { waited });
    const { id, urn, inputs: oldInputs, outputs: olds } = s.stack.entry("nda");
    await using engine = await s.stack.open(s.stack.providers["default"] ?? {}, { engine: "127.0.0.1:waits", pid: 1 });
    const left = { documents: { bob: { name: "B", ...content("B") } } } as unknown as Givens;
    const { inputs: news } = await engine.check({ urn, olds: oldInputs, news: left });
    show = () => engine.diff({ urn, id, olds, oldInputs, news, ignoreChanges: [] });
    const apart = s.stack.urn("apart");
    const { inputs } = await engine.check({ urn: apart, news: { name: "A", ...content("A") } });
    expect((await engine.create({ urn: apart, inputs, preview })).id).toBe(s.id());
    expect(show).toBeUndefined();
    expect(s.sent()).toEqual(nobody);
  },
);

describe("a preview that imports another document", () => {
  const other = { name: "X", pdf: Buffer.from(base64("X"), "base64"), emails: ["ana@example.com"] };
  const previewed = async (s: Scene, more: Partial<Goal> = {}) => {
    const id = s.service.people.upload("first", other);
    s.sent();
    expect((await s.stack.preview([one("X", { ...more, import: id })])).error).toBeUndefined();
  };

  test("doesn't have the first one replaced by force", async () => {
    await using s = await proving(one("A"));
    await previewed(s);
    s.stack.taint("nda");
    await refused(s, [one("B")]);
  });

  test("and was signed itself keeps no later change from being made", async () => {
    await using s = await sceneWith([one("A")]);
    await previewed(s);
    s.service.people.signAll(s.id(1));
    await sends(s, [one("B")]);
    expect((await s.stack.up([one("B")])).error).toBeUndefined();
    s.stack.taint("nda");
    await sends(s, [one("C")]);
  });

  test("doesn't have another one sent where state has lost it", async () => {
    await using s = await proving(one("A"));
    await previewed(s);
    s.stack.entries = [];
    await refused(s, [one("B")]);
  });

  test("after a rename doesn't have it replaced by force", async () => {
    await using s = await proving(one("A"));
    expect((await s.stack.up([one("A", renamed)])).error).toBeUndefined();
    await previewed(s, { name: "neu" });
    s.stack.taint("neu");
    await refused(s, [one("B", { name: "neu" })]);
  });
});

test("what is swapped in a preview alone isn't replaced by force", async () => {
  await using s = await proving(one("A"), one("C", { name: "other" }));
  const { entries } = s.stack;
  // As a preview with `aliases` in which each has the other one's name.
  s.stack.entries = entries.map(entry => {
    const name = entry.goal.name === "nda" ? "other" : "nda";
    return { ...entry, urn: s.stack.urn(name), goal: { ...entry.goal, name } };
  });
  expect((await s.stack.preview([one("C"), one("A", { name: "other" })])).error).toBeUndefined();
  s.stack.entries = entries;
  s.stack.taint("nda");
  await refused(s, [one("B")]);
});

test("a signed document isn't replaced with its folder, which was renamed in a preview alone", async () => {
  const folder = (name: string, more: Partial<Goal> = {}): Goal => ({
    ...{ name: "drafts", type: "docsign:index:Folder", inputs: { name } },
    ...more,
  });
  const filed = (where: string) => nda({ inputs: { ...content("A"), folderId: new Ref(where, "folderId") } });
  await using s = await sceneWith([folder("F"), filed("drafts")]);
  s.service.people.signAll(s.id());
  const renaming = [folder("F", { name: "neu", alias: "drafts" }), filed("neu")];
  expect((await s.stack.preview(renaming)).error).toBeUndefined();
  s.stack.taint("drafts");
  const { error } = await s.stack.up([folder("G"), filed("drafts")], { skipPreview: true });
  expect(error).toContain("docsign/replace-signed]");
  // The folder.
  expect(s.sent()).toEqual({ creates: 1, mails: 0 });
});

const importing = (id: string): Goal[] => [one("A", { name: "neu", import: id })];

describe("a signed document that another stack imports", () => {
  const otherOf = (s: Scene) => new Stack(s.stack.open, s.stack.providers, "other");

  test.each([
    ["in a preview", true],
    ["for good", false],
  ])("%s isn't replaced by force", async (_, isPreview) => {
    await using s = await signed(one("A"));
    const program = importing(s.id());
    expect((await (isPreview ? otherOf(s).preview(program) : otherOf(s).up(program))).error).toBeUndefined();
    s.stack.taint("nda");
    await refused(s, [one("B")]);
  });

  test("isn't replaced by force there, once the first one was shown again", async () => {
    await using s = await signed(one("A"));
    const other = otherOf(s);
    expect((await other.up(importing(s.id()))).error).toBeUndefined();
    expect((await other.up([one("A", { name: "neu" })])).error).toBeUndefined();
    expect((await s.stack.up([one("A")])).error).toBeUndefined();
    other.taint("neu");
    expect((await other.up([one("B", { name: "neu" })])).error).toContain("docsign/replace-signed]");
    expect(s.sent()).toEqual(nobody);
  });

  test("and removes and takes back isn't replaced by force in the first one", async () => {
    await using s = await signed(one("A"));
    const other = otherOf(s);
    for (const program of [importing(s.id()), [], [one("A", { name: "neu" })]])
      expect((await other.up(program)).error).toBeUndefined();
    expect(other.entry("neu").id).toBe(s.id());
    s.stack.taint("nda");
    await refused(s, [one("B")]);
  });

  test("by mistake, and then another one, isn't replaced by force", async () => {
    await using s = await sceneWith([one("A"), one("C", { name: "other" })]);
    s.service.people.signAll(s.id());
    for (const id of [s.id(0), s.id(1)])
      await otherOf(s).preview([one(id === s.id(0) ? "A" : "C", { name: "neu", import: id })]);
    s.stack.taint("nda");
    await refused(s, [one("B"), one("C", { name: "other" })]);
  });

  test("isn't given up for an earlier one of the same resource", async () => {
    await using s = await sceneWith([one("B")]);
    await sends(s, [one("A")]);
    s.service.people.signAll(s.id(1));
    expect((await s.stack.up([one("A")])).error).toBeUndefined();
    expect((await s.stack.preview([one("A", renamed)])).error).toBeUndefined();
    s.stack.taint("nda");
    await refused(s, [one("B")]);
  });

  test.each([true, false])(
    "is taken back once the stack that it was moved to is destroyed, alike: %s",
    async isAlike => {
      await using s = await signed(one("A"));
      const other = otherOf(s);
      // As `pulumi state move` does.
      other.entries = s.stack.entries.map(entry => ({ ...entry, urn: other.urn("nda") }));
      s.stack.entries = [];
      for (let time = 0; time < 2; time++) expect((await other.up([one("A")])).error).toBeUndefined();
      expect((await other.destroy()).error).toBeUndefined();
      const { error } = await s.stack.up([one(isAlike ? "A" : "B")]);
      if (isAlike) expect(s.stack.entry("nda").id).toBe(s.id());
      else expect(error).toContain("[docsign/replace-signed]");
      expect(s.sent()).toEqual(nobody);
    },
  );

  test("is no longer the first stack's by a person's word, which leaves it the other one's", async () => {
    const env: Record<string, string> = {};
    await using s = await signed(one("A"), { frontEnd: machine => pluginFrontEnd(machine, env) });
    const other = otherOf(s);
    // As `pulumi state move` does.
    other.entries = s.stack.entries.map(entry => ({ ...entry, urn: other.urn("nda") }));
    s.stack.entries = [];
    expect((await other.up([one("A")])).error).toBeUndefined();
    const { error = "" } = await s.stack.up([one("B")]);
    const token = /DOCSIGN_FORGET=([0-9a-f]{8})/.exec(error)?.[1] ?? "";
    env["DOCSIGN_FORGET"] = token;
    await sends(s, [one("B")]);
    delete env["DOCSIGN_FORGET"];
    other.taint("nda");
    expect((await other.up([one("D")])).error).toContain("docsign/replace-signed]");
    expect(s.sent()).toEqual(nobody);
  });
});

test("an import that is renamed by its first up stays what was sent, however the service shows its title", async () => {
  const stores = (wanted: NewDocument): NewDocument => ({ ...wanted, name: "Contract" });
  await using s = await signed(one("A"), { dialect: { stores } });
  s.stack.entries = [];
  expect((await s.stack.import({ name: "nda" }, s.id())).error).toBeUndefined();
  expect((await s.stack.up([one("A", renamed)])).error).toBeUndefined();
  expect(s.sent()).toEqual(nobody);
});
