import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { dynamicFrontEnd } from "../dialects/dynamic-front-end.js";
import type { Givens } from "../support/engine-client.js";
import { type Goal, pluginFrontEnd } from "../support/simulated-engine.js";
import { base64, nda, type Scene, scene } from "./scene.js";

/*
 * Resources that don't depend on each other go on at once: the real engine may have asked Diff about all of them before it
 * calls any Create. The simulated one takes one after the other.
 */

const TYPE = "docsign:index:DocumentSet";
const contract = (text: string) => ({ base64File: base64(text), invitations: [{ email: "ana@example.com" }] });
const document = (name: string, text: string): Goal => nda({ name, inputs: contract(text), deleteBeforeReplace: true });
const set = (name: string, text: string, rows: string, key = "ana"): Goal => ({
  name,
  type: TYPE,
  inputs: { [rows]: { [key]: { name: "NDA", ...contract(text) } } },
});
/**
 * Check and Diff of all, then Check and Delete of what is replaced, then the rest. What each came to. `oneByOne`: each Delete
 * comes right before its Create.
 */
async function upAtOnce({ stack }: Scene, goals: readonly Goal[], { oneByOne = false } = {}): Promise<string[]> {
  const deployment = { engine: `127.0.0.1:${randomUUID()}`, pid: 1 };
  await using engine = await stack.open(stack.providers["default"] ?? {}, deployment);
  const deletes: (() => Promise<unknown>)[] = [];
  const steps: (() => Promise<unknown>)[] = [];
  for (const { name, alias = name, type, inputs, replaceOnChanges = [] } of goals) {
    const urn = stack.urn(name, type);
    const news = inputs as Givens;
    const entry = stack.entries.find(each => each.urn === stack.urn(alias, type));
    if (!entry) {
      const checked = await engine.check({ urn, news });
      steps.push(() => engine.create({ urn, inputs: checked.inputs, preview: false }));
      continue;
    }
    const { id, inputs: oldInputs, outputs: olds } = entry;
    const checked = await engine.check({ urn, olds: oldInputs, news });
    const compared = { urn, id, olds, oldInputs, news: checked.inputs };
    const { replaces, diffs } = await engine.diff({ ...compared, ignoreChanges: [] });
    if (replaces.length === 0 && !diffs.some(each => replaceOnChanges.includes(each)))
      steps.push(() => engine.update({ ...compared, preview: false }));
    else {
      const again = await engine.check({ urn, news });
      const letGo = async () =>
        entry.pendingReplacement || engine.delete({ urn: entry.urn, id, inputs: oldInputs, outputs: olds });
      const create = () => engine.create({ urn, inputs: again.inputs, preview: false });
      if (!oneByOne) deletes.push(letGo);
      steps.push(oneByOne ? () => letGo().then(create) : create);
    }
  }
  for (const each of deletes) await each();
  const results: string[] = [];
  for (const step of steps)
    results.push(
      await step().then(
        () => "done",
        (error: Error) => error.message,
      ),
    );
  return results;
}

describe.each([
  ["the plugin", pluginFrontEnd, "documents"],
  ["the dynamic provider", dynamicFrontEnd, "documentRows"],
])("through %s", (_, frontEnd, named) => {
  test.each([
    ["a document that wants what another one is replaced from", { a: "A" }, { a: "B", b: "A" }, document],
    ["two documents that swap", { a: "A", b: "B" }, { a: "B", b: "A" }, document],
    ["two sets whose rows swap", { a: "A", b: "B" }, { a: "B", b: "A" }, set],
  ])("%s: nothing is sent again, whichever the engine comes to first", async (_title, before, after, kind) => {
    const goals = (texts: object) => Object.entries(texts).map(([name, text]) => kind(name, text, named));
    for (const program of [goals(after), goals(after).toReversed()]) {
      await using s = await scene({ frontEnd });
      expect((await s.stack.up(goals(before), { skipPreview: true })).error).toBeUndefined();
      for (const result of await upAtOnce(s, program)) expect(result).toMatch(/^done$|\[docsign\/duplicate\]/);
      expect(s.service.ledger.duplicates()).toEqual([]);
    }
  });

  test("two documents that swap: the refusal says what works, which mails nobody", async () => {
    await using s = await scene({ frontEnd });
    const before = [document("a", "A"), document("b", "B")];
    expect((await s.stack.up(before, { skipPreview: true })).error).toBeUndefined();
    // The second time both wait.
    for (let time = 0; time < 2; time++) {
      for (const result of await upAtOnce(s, [document("a", "B"), document("b", "A")])) {
        expect(result).not.toContain("import");
        expect(result).toMatch(
          /`[ab]` is being replaced in the same run.*, by a `pulumi up` each: put the program back, take this one out, change `[ab]`, and put this one in again/,
        );
      }
      for (const entry of s.stack.entries) entry.pendingReplacement = true;
    }
    for (const program of [before, before.slice(0, 1), [document("a", "B")], [document("a", "B"), document("b", "A")]])
      expect((await s.stack.up(program)).error).toBeUndefined();
    expect(s.service.ledger.mails()).toHaveLength(2);
  });

  test.each([0, 1, 2])(
    "three alike change to what one of them, number %i, had: it is taken back, and two are sent",
    async had => {
      await using s = await scene({ frontEnd });
      const program = (...texts: string[]) => texts.map((text, index) => document(`${index}`, text));
      const alike = ["A", "A", "A"];
      for (const texts of [alike, alike.with(had, "B"), alike])
        expect((await s.stack.up(program(...texts), { skipPreview: true })).error).toBeUndefined();
      s.sent();
      expect(await upAtOnce(s, program("B", "B", "B"))).toEqual(["done", "done", "done"]);
      expect(s.sent()).toEqual({ creates: 2, mails: 2 });
    },
  );

  test("a document that is renamed and becomes another contract altogether leaves its own to a new one", async () => {
    await using s = await scene({ frontEnd });
    expect((await s.stack.up([document("a", "A")], { skipPreview: true })).error).toBeUndefined();
    const other = { name: "Lease", base64File: base64("B"), invitations: [{ email: "bob@example.com" }] };
    const renamed = { ...document("b", "B"), inputs: other, alias: "a" };
    expect(await upAtOnce(s, [renamed])).toEqual(["done"]);
    s.stack.entries = [];
    expect(await upAtOnce(s, [document("c", "A")])).toEqual(["done"]);
    expect(s.service.ledger.mails()).toHaveLength(2);
  });

  test("two documents that are renamed and swap: each is put in the place of its own, not of the one it is like", async () => {
    const renamed = [
      { ...document("c", "B"), alias: "a" },
      { ...document("d", "A"), alias: "b" },
    ];
    for (const program of [renamed, renamed.toReversed()]) {
      await using s = await scene({ frontEnd });
      const before = [document("a", "A"), document("b", "B")];
      expect((await s.stack.up(before, { skipPreview: true })).error).toBeUndefined();
      for (const result of await upAtOnce(s, program)) expect(result).toMatch(/^done$|\[docsign\/duplicate\]/);
      expect(s.service.ledger.duplicates()).toEqual([]);
    }
  });

  test.each([0, 1])(
    "two sets that are renamed, replaced and swap their rows: nothing is sent again (%i)",
    async first => {
      const renamed = [
        { ...set("c", "B", named), alias: "a", replaceOnChanges: [named] },
        { ...set("d", "A", named), alias: "b", replaceOnChanges: [named] },
      ];
      await using s = await scene({ frontEnd });
      const before = [set("a", "A", named), set("b", "B", named)];
      expect((await s.stack.up(before, { skipPreview: true })).error).toBeUndefined();
      for (const result of await upAtOnce(s, first === 0 ? renamed : renamed.toReversed()))
        expect(result).toMatch(/\[docsign\/duplicate\]/);
      expect(s.service.ledger.duplicates()).toEqual([]);
      for (const entry of s.stack.entries) entry.pendingReplacement = true;
      expect((await s.stack.up(before)).error).toBeUndefined();
      expect(s.service.ledger.mails()).toHaveLength(2);
    },
  );

  test.each([false, true])(
    "two that swap rows with keys of their own get what the other one had (one by one: %s)",
    async oneByOne => {
      const renamed = [
        { ...set("c", "B", named, "bob"), alias: "a", replaceOnChanges: [named] },
        { ...set("d", "A", named), alias: "b", replaceOnChanges: [named] },
      ];
      await using s = await scene({ frontEnd });
      const before = [set("a", "A", named), set("b", "B", named, "bob")];
      expect((await s.stack.up(before, { skipPreview: true })).error).toBeUndefined();
      expect(await upAtOnce(s, renamed, { oneByOne })).toEqual(["done", "done"]);
      expect(s.service.ledger.mails()).toHaveLength(2);
    },
  );
});
