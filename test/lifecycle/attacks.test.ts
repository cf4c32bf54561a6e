import { describe, expect, test } from "vitest";
import { startMachine } from "../support/machine.js";
import { type Goal, pluginFrontEnd, Stack } from "../support/simulated-engine.js";
import { base64, forgetMachine, nda, type Scene, scene, sceneWith } from "./scene.js";

const nobody = { creates: 0, mails: 0 };
const eight = Array.from({ length: 8 }, (_, index) => nda({ name: `nda-${index}`, inputs: { name: `NDA ${index}` } }));
const edited = nda({ inputs: { base64File: base64("two") } });

/** The same entry under another URN, as an alias, a rename or another stack name leaves it. */
function renameTo(s: Scene, stackName: string, goal: Goal): Stack {
  const stack = new Stack(s.stack.open, s.stack.providers, stackName);
  stack.entries = s.stack.entries.map(entry => ({ ...entry, urn: stack.urn(goal.name), goal }));
  return stack;
}

const memories: [string, (s: Scene) => Promise<void>][] = [
  ["kept", async () => {}],
  ["wiped", forgetMachine],
];

describe.each(memories)("with memory %s", (memory, forget) => {
  test.each([
    ["its resource", "dev", { ...nda(), name: "contract" }],
    ["its stack", "prod", nda()],
  ])("a signed document isn't replaced by a taint after %s was renamed", async (_, stackName, goal) => {
    await using s = await sceneWith([nda()]);
    s.service.people.signAll(s.id());
    const stack = renameTo(s, stackName, goal);
    stack.taint(goal.name);
    await forget(s);
    const refused = await stack.up([goal], { skipPreview: true });
    expect(refused.error).toMatch(/\[docsign\/(duplicate|replace-signed)\]/);
    expect(s.sent()).toEqual(nobody);
  });

  test("a document that another machine put in its place, signed by now, isn't replaced by a taint", async () => {
    await using s = await sceneWith([nda()]);
    using other = startMachine();
    const there = new Stack(pluginFrontEnd(other), s.stack.providers);
    there.entries = s.stack.entries;
    expect((await there.up([edited])).error).toBeUndefined();
    s.service.people.signAll(s.id(1));
    s.stack.entries = there.entries;
    s.stack.taint("nda");
    s.sent();
    await forget(s);
    for (const skipPreview of [false, true]) {
      const refused = await s.stack.up([edited], { skipPreview });
      expect(refused.error).toMatch(/\[docsign\/(duplicate|replace-signed)\]/);
    }
    expect(s.stack.entry("nda").id).toBe(s.id(1));
    expect(s.sent()).toEqual(nobody);
  });

  test.each(["404", "403", "500"])(
    "a create whose answer never reached state isn't sent again where its document answers %s",
    async status => {
      await using s = await scene({ config: { reconcileTimeout: "0s" } });
      expect((await s.stack.up([nda()])).error).toBeUndefined();
      s.stack.entries = [];
      s.sent();
      await forget(s);
      const fault = { kind: "status", when: "before", status: Number(status), body: "html" } as const;
      s.service.faults.push(fault, { operation: "getDocument" }, { times: 20 });
      const again = await s.stack.up([nda()], { skipPreview: true });
      if (memory === "wiped" && status !== "500") expect(again.error).toContain("[docsign/duplicate-unconfirmed]");
      expect(s.sent()).toEqual(nobody);
    },
  );

  test.each([
    ["by default", {}],
    ["with creationMarker", { creationMarker: true }],
    ["with duplicatePolicy adopt", { duplicatePolicy: "adopt" }],
  ])("a create whose answer never reached state isn't sent with an edited PDF, %s", async (_, config) => {
    await using s = await scene({ config });
    expect((await s.stack.up([nda()])).error).toBeUndefined();
    s.stack.entries = [];
    s.sent();
    await forget(s);
    for (const skipPreview of [false, true]) {
      const refused = await s.stack.up([edited], { skipPreview });
      expect(refused.error).toContain(`[docsign/${memory === "kept" ? "created-with-other-content" : "duplicate"}]`);
      expect(refused.error).toContain(`pulumi import --generate-code=false docsign:index:Document nda ${s.id()}`);
    }
    expect(s.sent()).toEqual(nobody);
  });

  test("contracts of one program under one name, with a PDF each: a new one is sent", async () => {
    const several = ["one", "two"].map(text => nda({ name: text, inputs: { base64File: base64(text) } }));
    await using s = await sceneWith(several);
    await forget(s);
    const third = nda({ name: "three", inputs: { base64File: base64("three") } });
    expect((await s.stack.up([...several, third])).error).toBeUndefined();
    expect(s.sent()).toEqual({ creates: 1, mails: 2 });
  });

  test("a replacement isn't sent again from a state of before it", async () => {
    await using s = await sceneWith([nda()]);
    const backup = s.stack.entries.map(entry => ({ ...entry }));
    expect((await s.stack.up([edited])).error).toBeUndefined();
    s.stack.entries = backup;
    s.sent();
    await forget(s);
    const again = await s.stack.up([edited], { skipPreview: true });
    if (memory === "kept") expect(s.stack.entry("nda").id).toBe(s.id(1));
    else expect(again.error).toContain("[docsign/duplicate]");
    expect(s.sent()).toEqual(nobody);
  });

  test.each([8, 4])(
    "of eight documents whose run was cut off, with %i not in state, none is sent again",
    async lost => {
      await using s = await scene();
      expect((await s.stack.up(eight)).error).toBeUndefined();
      s.stack.entries = s.stack.entries.slice(lost);
      s.sent();
      await forget(s);
      const again = await s.stack.up(eight, { skipPreview: true });
      if (memory === "kept") expect(again.error).toBeUndefined();
      else expect(again.error).toContain("[docsign/duplicate]");
      expect(s.sent()).toEqual(nobody);
      expect(s.service.ledger.duplicates()).toEqual([]);
    },
  );

  test("a create that arrived and was never answered isn't sent again under another name", async () => {
    await using s = await scene({ config: { reconcileTimeout: "0s" } });
    s.service.faults.push({ kind: "status", when: "after", status: 504 }, "createDocument");
    s.service.faults.push({ kind: "status", when: "before", status: 502 }, "listDocuments", { times: 1 });
    await s.stack.up([nda()], { skipPreview: true });
    s.stack.entries = [];
    s.sent();
    await forget(s);
    const renamed = { ...nda(), name: "contract" };
    const again = await s.stack.up([renamed], { skipPreview: true });
    expect(again.error).toMatch(/\[docsign\/(duplicate|create-elsewhere)\]/);
    expect(s.sent()).toEqual(nobody);
  });

  test("a replacement whose create failed after the delete isn't tried again once the document is signed", async () => {
    await using s = await sceneWith([nda({ deleteBeforeReplace: true })]);
    s.stack.taint("nda");
    s.service.faults.push({ kind: "status", when: "before", status: 422 }, "createDocument");
    expect((await s.stack.up([nda({ deleteBeforeReplace: true })], { skipPreview: true })).failed).toBe("up");
    s.service.people.signAll(s.id());
    s.sent();
    await forget(s);
    const again = await s.stack.up([nda({ deleteBeforeReplace: true })], { skipPreview: true });
    expect(s.service.ledger.documentCount()).toBe(1);
    expect(s.sent()).toEqual(nobody);
    expect(again.error === undefined ? s.stack.entry("nda").id : s.id()).toBe(s.id());
  });
});

test("a create without an answer is sent again only on proof and after two minutes", async () => {
  await using s = await scene();
  s.service.faults.push({ kind: "status", when: "before", status: 504 }, "createDocument");
  const first = await s.stack.up([nda()], { skipPreview: true });
  expect(first.error).toContain("[docsign/create-unconfirmed]");
  expect(s.sent()).toEqual({ creates: 1, mails: 0 });
  const soon = await s.stack.up([nda()], { skipPreview: true });
  expect(soon.error).toContain("[docsign/create-unconfirmed]");
  expect(s.sent()).toEqual(nobody);
});

test("with the time over and the proof there, it is sent again, once", async () => {
  await using s = await scene({ config: { resendAfter: "1s" }, dialect: { order: "newest", decoys: 9 } });
  for (const document of s.service.ledger.decoys()) document.createdAt -= 3_600_000;
  const earlier = nda({ name: "earlier", inputs: { name: "Earlier" } });
  await s.stack.up([earlier]);
  s.sent();
  s.service.faults.push({ kind: "status", when: "before", status: 504 }, "createDocument");
  expect((await s.stack.up([earlier, nda()], { skipPreview: true })).error).toBeUndefined();
  expect(s.sent()).toEqual({ creates: 2, mails: 2 });
  expect(s.service.ledger.documents().filter(({ name }) => name === "NDA")).toHaveLength(1);
});
