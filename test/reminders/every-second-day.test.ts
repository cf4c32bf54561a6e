import { expect, test } from "vitest";
import type { Values } from "../../kit/values.js";
import { HOUR, REMINDER } from "../gates/support.js";
import { base64, forgetMachine, nda, type Scene, scene } from "../lifecycle/scene.js";
import type { Goal } from "../support/simulated-engine.js";

const DAY = 24 * HOUR;
const ANA = "ana@example.com";

const document = (text = "one"): Goal =>
  nda({ inputs: { invitations: [{ email: ANA, name: "Ana" }], base64File: base64(text) } });
const weekly = (s: Scene, more: Values = {}, goal: Partial<Goal> = {}): Goal => ({
  ...{ name: "weekly", type: REMINDER, ...goal },
  inputs: { documentId: s.id(), every: "7d", ...more } as Goal["inputs"],
});

/** An invitation on a Monday, and a first reminder a week later. */
async function reminded(): Promise<Scene> {
  const s = await scene();
  pass(s, DAY - (s.service.clock.now() % DAY) + 9 * HOUR);
  await s.stack.up([document()]);
  expect(await mailed(s, 7, [document(), weekly(s)])).toBe(1);
  return s;
}

function pass(s: Scene, ms: number): void {
  s.service.clock.advance(ms);
  s.machine.pass(ms);
}

/** Reminders of an `up` so many days later, which is what its preview says. */
async function mailed(s: Scene, days: number, program: readonly Goal[]): Promise<number> {
  pass(s, days * DAY);
  const before = s.service.ledger.mails("reminder").length;
  const { error, previewLines } = await s.stack.up(program);
  expect(error).toBeUndefined();
  const sent = s.service.ledger.mails("reminder").length - before;
  expect(previewLines.some(line => /mails=[1-9]/.test(line))).toBe(sent > 0);
  return sent;
}

test("another interval counts from the last reminder, and so does the old one once it is back", async () => {
  await using s = await reminded();
  expect(await mailed(s, 1, [document(), weekly(s, { every: "14d" })])).toBe(0);
  expect(await mailed(s, 1, [document(), weekly(s)])).toBe(0);
  expect(await mailed(s, 1, [document(), weekly(s, { every: "3d" })])).toBe(1);
  expect(await mailed(s, 3, [document(), weekly(s)])).toBe(0);
  expect(await mailed(s, 4, [document(), weekly(s)])).toBe(1);
});

test("days of another time zone, work days alone and another end remind nobody early", async () => {
  await using s = await reminded();
  for (const more of [{ timeZone: "Asia/Tokyo" }, { businessDays: true }, { until: 5 }, { until: "2099-01-01" }, {}])
    expect(await mailed(s, 1, [document(), weekly(s, more)])).toBe(0);
  expect(await mailed(s, 2, [document(), weekly(s)])).toBe(1);
});

test("an end that was reached goes on once it is later", async () => {
  await using s = await reminded();
  expect(await mailed(s, 7, [document(), weekly(s, { until: 1 })])).toBe(0);
  expect(await mailed(s, 0, [document(), weekly(s, { until: 2 })])).toBe(1);
  expect(await mailed(s, 7, [document(), weekly(s, { until: 2 })])).toBe(0);
});

test.each([
  ["with an alias", { alias: "weekly" }],
  ["without one", {}],
])("under another name, %s, it reminds when it would have", async (_, goal) => {
  await using s = await reminded();
  expect(await mailed(s, 3, [document(), weekly(s, {}, { name: "renamed", ...goal })])).toBe(0);
  expect(await mailed(s, 0, [document(), weekly(s, {}, { name: "renamed" })])).toBe(0);
  expect(await mailed(s, 4, [document(), weekly(s, {}, { name: "renamed" })])).toBe(1);
});

test.each([
  ["the machine that reminded", async () => {}],
  ["a machine that knows it from state alone", forgetMachine],
])("taken out and put back on %s it reminds when it would have", async (_, before) => {
  await using s = await reminded();
  await before(s);
  expect(await mailed(s, 1, [document()])).toBe(0);
  expect(await mailed(s, 1, [document(), weekly(s)])).toBe(0);
  expect(await mailed(s, 5, [document(), weekly(s)])).toBe(1);
});

test("put back on a machine that knew it from state alone it ends after as many times in all", async () => {
  await using s = await reminded();
  expect(await mailed(s, 7, [document(), weekly(s)])).toBe(1);
  await forgetMachine(s);
  expect(await mailed(s, 1, [document()])).toBe(0);
  expect(await mailed(s, 6, [document(), weekly(s, { until: 3 })])).toBe(1);
  expect(await mailed(s, 7, [document(), weekly(s, { until: 3 })])).toBe(0);
});

test("a machine that knew it from state alone, and reminded by a forced replacement, counts from that one", async () => {
  await using s = await reminded();
  expect(await mailed(s, 7, [document(), weekly(s)])).toBe(1);
  await forgetMachine(s);
  pass(s, 6 * DAY);
  expect((await s.stack.up([document(), weekly(s)], { replace: ["weekly"] })).error).toBeUndefined();
  s.stack.entries = s.stack.entries.filter(({ goal }) => goal.name !== "weekly");
  expect(await mailed(s, 1, [document(), weekly(s)])).toBe(0);
  // Two that state knew of, and the forced one.
  expect(await mailed(s, 6, [document(), weekly(s, { until: 3 })])).toBe(0);
  expect(await mailed(s, 0, [document(), weekly(s)])).toBe(1);
});

test("a machine that forgets everything reminds nobody twice a week: state knows", async () => {
  await using s = await reminded();
  for (const [days, sent] of [
    [1, 0],
    [6, 1],
    [6, 0],
    [1, 1],
  ] as const) {
    await forgetMachine(s);
    expect(await mailed(s, days, [document(), weekly(s)])).toBe(sent);
  }
});

test("the people of a document that takes another's place are due a week after their new invitation", async () => {
  await using s = await reminded();
  const replaced = { ...document("two") };
  s.service.clock.advance(3 * DAY);
  s.machine.pass(3 * DAY);
  const first = s.id();
  expect((await s.stack.up([replaced, weekly(s)])).error).toBeUndefined();
  const second = s.id(1);
  expect(second).not.toBe(first);
  const before = s.service.ledger.mails("reminder").length;
  expect(await mailed(s, 0, [replaced, weekly(s, { documentId: second })])).toBe(0);
  expect(await mailed(s, 6, [replaced, weekly(s, { documentId: second })])).toBe(0);
  expect(await mailed(s, 1, [replaced, weekly(s, { documentId: second })])).toBe(1);
  expect(s.service.ledger.mails("reminder").length - before).toBe(1);
});

test("triggers in its place, and back, remind nobody twice on a day", async () => {
  await using s = await reminded();
  const triggered: Goal = { name: "weekly", type: REMINDER, inputs: { documentId: s.id(), triggers: "a" } };
  const { error } = await s.stack.up([document(), triggered]);
  expect(error).toBeUndefined();
  expect(s.service.ledger.mails("reminder")).toHaveLength(1);
  expect(await mailed(s, 2, [document(), triggered])).toBe(1);
  expect(await mailed(s, 0, [document(), weekly(s)])).toBe(0);
  expect(await mailed(s, 6, [document(), weekly(s)])).toBe(0);
  expect(await mailed(s, 1, [document(), weekly(s)])).toBe(1);
});
