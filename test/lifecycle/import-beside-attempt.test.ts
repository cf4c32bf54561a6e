import { describe, expect, test } from "vitest";
import type { Goal } from "../support/simulated-engine.js";
import { base64, nda, pdf, type Scene, scene } from "./scene.js";

/** An import of another document while a create of the same resource has no outcome: its answer was lost, and lists don't show it. */

const nobody = { creates: 0, mails: 0 };
const LEFT = "an earlier run began";

/** The service carries it out, and shows nobody what it led to. */
const lostCreate = async (s: Scene, program: readonly Goal[]) => {
  s.service.lag(1_000_000);
  s.service.faults.push({ kind: "close", when: "after" }, "createDocument");
  for (const _ of [1, 2]) expect((await s.stack.up(program)).error).toContain("[docsign/");
  s.service.lag(0);
  s.sent();
};

const uploaded = (s: Scene, name = "Other") =>
  s.service.people.upload("first", { name, pdf: pdf(name), emails: ["ana@example.com"] });

const said = async (s: Scene, program: readonly Goal[]) => {
  const { error, previewLines, lines } = await s.stack.up(program);
  expect(error).toBeUndefined();
  return [...previewLines, ...lines].filter(line => line.includes(LEFT)).join("\n");
};

const other = (more: Partial<Goal> = {}) => {
  const inputs = { name: "Other", description: "", invitations: [{ email: "ana@example.com" }] };
  return nda({ ...more, inputs: { ...inputs, base64File: base64("Other") } });
};

describe("a preview of an import leaves a create without an outcome as it was", () => {
  test("with the option, in one preview or several", async () => {
    await using s = await scene();
    await lostCreate(s, [nda()]);
    const id = uploaded(s);
    s.sent();
    for (const count of [1, 2, 3]) {
      expect((await s.stack.preview([other({ import: id })])).error, `${count}`).toBeUndefined();
      const up = await s.stack.up([nda()]);
      expect(s.sent(), `${count}`).toEqual(nobody);
      expect(up.error, `${count}`).toContain("[docsign/");
    }
  });

  test.each(["create", "refuse"])(
    "of what the create led to, which lists don't show, duplicatePolicy: %s",
    async policy => {
      await using s = await scene({ config: { duplicatePolicy: policy } });
      await lostCreate(s, [nda()]);
      s.service.people.reveal(s.id(), { list: 1_000_000 });
      expect((await s.stack.preview([nda({ import: s.id() })])).error).toBeUndefined();
      for (const _ of [1, 2]) {
        expect((await s.stack.up([nda()], { skipPreview: true })).error, policy).toContain("[docsign/");
        expect(s.sent()).toEqual(nobody);
      }
      s.service.people.reveal(s.id());
      expect((await s.stack.up([nda()])).error).toBeUndefined();
      expect([s.stack.entry("nda").id, s.sent()]).toEqual([s.id(), nobody]);
    },
  );

  test.each(["import, rename", "rename, import, rename"])(
    "of what another resource holds, among previews that rename that one: %s",
    async previews => {
      await using s = await scene();
      const holder = other({ name: "holder" });
      for (const _ of [1, 2]) expect((await s.stack.up([holder])).error).toBeUndefined();
      await lostCreate(s, [holder, nda()]);
      const how = { import: { import: s.stack.entry("holder").id }, rename: { alias: "holder" } };
      for (const each of previews.split(", "))
        expect((await s.stack.preview([other(how[each as keyof typeof how])])).error, each).toBeUndefined();
      expect((await s.stack.up([holder, nda()])).error).toContain("[docsign/create-unconfirmed]");
      expect(s.sent()).toEqual(nobody);
    },
  );

  test("nor forgets a document that state has never had", async () => {
    await using s = await scene();
    s.service.lag({ list: 1_000_000 });
    expect((await s.stack.up([nda()])).error).toBeUndefined();
    // Killed before the engine wrote state.
    s.stack.entries = [];
    const id = uploaded(s);
    s.sent();
    expect((await s.stack.preview([other({ import: id })])).error).toBeUndefined();
    expect((await s.stack.up([nda()])).error).toBeUndefined();
    expect(s.stack.entry("nda").id).toBe(s.id());
    expect(s.sent()).toEqual(nobody);
  });

  test("of a folder", async () => {
    await using s = await scene({ config: { unconfirmedFolder: "refuse" } });
    const folder = (more: Partial<Goal> = {}): Goal => ({
      name: "deals",
      type: "docsign:index:Folder",
      inputs: { name: "Deals" },
      ...more,
    });
    s.service.faults.push({ kind: "close", when: "after" }, "createFolder");
    expect((await s.stack.up([folder()])).error).toContain("docsign/folder-unconfirmed");
    s.sent();
    expect((await s.stack.preview([folder({ import: "77/Deals" })])).error).toBeUndefined();
    expect((await s.stack.up([folder()])).error).toContain("docsign/folder-unconfirmed");
    expect(s.sent()).toEqual(nobody);
    expect((await s.stack.up([folder({ import: "77/Deals" })])).error).toBeUndefined();
    expect((await s.stack.up([folder()])).error).toBeUndefined();
    expect((await s.stack.up([])).error).toBeUndefined();
    expect((await s.stack.up([folder()])).error).toBeUndefined();
    expect(s.sent()).toEqual(nobody);
  });
});

describe("what a person has imported ends it", () => {
  const everyWay: readonly [string, (s: Scene, id: string) => Promise<{ readonly error: string | undefined }>][] = [
    ["by the option", (s, id) => s.stack.up([other({ import: id })])],
    [
      "by the option, after a preview",
      async (s, id) => {
        expect((await s.stack.preview([other({ import: id })])).error).toBeUndefined();
        return s.stack.up([other({ import: id })]);
      },
    ],
    ["by pulumi import", (s, id) => s.stack.import({ name: "nda" }, id)],
  ];

  test.each(everyWay)("%s: no run speaks of it, and it may be sent once that is removed", async (_, imports) => {
    await using s = await scene();
    await lostCreate(s, [nda()]);
    const id = uploaded(s);
    s.sent();
    expect((await imports(s, id)).error).toBeUndefined();
    for (const __ of [1, 2]) expect(await said(s, [other()])).toBe("");
    expect(s.sent()).toEqual(nobody);
    // It has ended for good, so this is a new contract.
    expect((await s.stack.up([])).error).toBeUndefined();
    s.service.clock.advance(3_600_000);
    expect((await s.stack.up([nda()])).error).toBeUndefined();
    expect(s.sent()).toEqual({ creates: 1, mails: 2 });
  });

  test.each(everyWay)("%s: also where it is removed at once", async (_, imports) => {
    await using s = await scene();
    await lostCreate(s, [nda()]);
    const id = uploaded(s);
    expect((await imports(s, id)).error).toBeUndefined();
    const { error, lines } = await s.stack.destroy();
    expect([error, lines.filter(line => line.includes(LEFT))]).toEqual([undefined, []]);
    s.sent();
    expect((await s.stack.up([nda()])).error).toBeUndefined();
    expect(s.sent()).toEqual({ creates: 1, mails: 2 });
  });

  test("where it is what the create led to", async () => {
    await using s = await scene();
    await lostCreate(s, [nda()]);
    s.service.people.reveal(s.id(), { list: 1_000_000 });
    expect((await s.stack.up([nda({ import: s.id() })])).error).toBeUndefined();
    for (const program of [[nda()], [nda()], []]) expect(await said(s, program)).toBe("");
    expect(s.sent()).toEqual(nobody);
  });
});
