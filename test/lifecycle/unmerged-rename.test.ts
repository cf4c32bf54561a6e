import { describe, expect, test } from "vitest";
import { type Goal, Stack } from "../support/simulated-engine.js";
import { base64, nda, type Scene, sceneWith } from "./scene.js";

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
const renamed = { name: "neu", alias: "nda" };

async function signed(goal: Goal): Promise<Scene> {
  const s = await sceneWith([goal]);
  s.service.people.signAll(s.id());
  expect((await s.stack.up([goal], { refresh: true })).error).toBeUndefined();
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

describe.each([
  ["a document", one],
  ["a set", set],
])("%s that was renamed in a preview alone", (_, goal) => {
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

  test("leaves the new name free, once the old one was shown again", async () => {
    await using s = await signed(goal("A"));
    expect((await s.stack.preview([goal("A", renamed)])).error).toBeUndefined();
    expect((await s.stack.up([goal("A")])).error).toBeUndefined();
    await sends(s, [goal("B", { name: "neu" }), goal("A")]);
  });

  test("is let go of under its own name, which is free then", async () => {
    await using s = await signed(goal("A"));
    expect((await s.stack.preview([goal("A", renamed)])).error).toBeUndefined();
    expect((await s.stack.up([])).error).toBeUndefined();
    await sends(s, [goal("B")]);
  });
});

describe.each([
  ["a document", one],
  ["a set", set],
])("%s that was renamed", (_, goal) => {
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

  test("is refused under its old name before it is shown, with what to do", async () => {
    await using s = await signed(goal("A"));
    expect((await s.stack.up([goal("A", renamed)])).error).toBeUndefined();
    const { error } = await s.stack.up([goal("B"), goal("A", { name: "neu" })]);
    expect(error).toMatch(/has shown it as .*::neu.* since[\s\S]*dependsOn/);
    expect(s.sent()).toEqual(nobody);
  });
});

test.each([
  ["in a preview", true],
  ["for good", false],
])("a document that another stack imports %s isn't replaced by force once it is signed", async (_, isPreview) => {
  await using s = await signed(one("A"));
  const other = new Stack(s.stack.open, s.stack.providers, "other");
  const program = [one("A", { name: "neu", import: s.id() })];
  expect((await (isPreview ? other.preview(program) : other.up(program))).error).toBeUndefined();
  s.stack.taint("nda");
  await refused(s, [one("B")]);
});
