import { expect, test } from "vitest";
import type { Values } from "../../kit/values.js";
import { HOUR, REMINDER, remindersIn } from "../gates/support.js";
import { nda, type Scene, scene } from "../lifecycle/scene.js";
import type { Goal } from "../support/simulated-engine.js";

const ANA = "ana@example.com";
const contract = nda({ inputs: { invitations: [{ email: ANA, name: "Ana" }] } });
const reminder = (s: Scene, name: string, more: Values): Goal => ({
  ...{ name, type: REMINDER },
  inputs: { documentId: s.id(), ...more } as Goal["inputs"],
});

/** A contract that was sent the day before yesterday. */
async function dayOld(): Promise<Scene> {
  const s = await scene();
  await s.stack.up([contract]);
  s.service.clock.advance(49 * HOUR);
  s.machine.pass(49 * HOUR);
  return s;
}

test.each<[string, Values, Values, number]>([
  ["the same triggers", { triggers: 1 }, { triggers: 1 }, 1],
  ["the same triggers and no pause", { triggers: 1, minInterval: "0s" }, { triggers: 1, minInterval: "0s" }, 1],
  ["other triggers, too soon", { triggers: 1 }, { triggers: 2 }, 1],
  ["other triggers and no pause", { triggers: 1 }, { triggers: 2, minInterval: "0s" }, 2],
  ["an interval", { every: "1d" }, { every: "1d" }, 1],
])("a preview announces what `up` sends of two new reminders with %s", async (_, first, second, count) => {
  await using s = await dayOld();
  const program = [contract, reminder(s, "one", first), reminder(s, "other", second)];
  const { error, previewLines } = await s.stack.up(program);
  expect(error).toBeUndefined();
  expect(s.service.ledger.mails("reminder")).toHaveLength(count);
  expect(previewLines.filter(line => line.includes("will mail"))).toHaveLength(count);
  const said = previewLines.some(line =>
    line.includes(`will be reminded by ${s.stack.urn("one", REMINDER)} in this run`),
  );
  expect(said).toBe(count === 1);
});

test("of two reminders whose previews learn of the document at the same moment one is announced", async () => {
  await using s = await dayOld();
  await using run = s.machine.run({ baseUrl: s.service.url, apiKey: s.service.apiKey });
  const { context } = run.runtime;
  const documentId = s.id();
  const body = await context.service().getDocument(documentId);
  const answering = { ...context.service(), getDocument: async () => body };
  const reminders = remindersIn({ ...context, service: () => answering });
  const preview = (name: string) =>
    reminders.create({ ...run.call(name, { type: REMINDER }), preview: true }, { inputs: { documentId, triggers: 1 } });
  await Promise.all(["one", "other", "third"].map(preview));
  const said = run.lines.map(({ text }) => /^will mail|will be reminded by urn:\S+::(\w+) in this run/.exec(text)?.[0]);
  expect(said).toHaveLength(3);
  expect(said.filter(text => text === "will mail")).toHaveLength(1);
});

test("a reminder whose answer was lost may have been reminded, by whichever reminder says so", async () => {
  await using s = await dayOld();
  s.service.faults.push({ kind: "reset", when: "after" }, "remind");
  await using run = s.machine.run({ baseUrl: s.service.url, apiKey: s.service.apiKey });
  const reminders = remindersIn(run.runtime.context);
  const documentId = s.id();
  const reasons = async (name: string, more: Values) => {
    const call = run.call(name, { type: REMINDER });
    await reminders.create({ ...call, preview: true }, { inputs: { documentId, ...more } });
    return run.lines.at(-1)?.text;
  };
  await reminders.create(run.call("one", { type: REMINDER }), { inputs: { documentId, triggers: 1 } });
  expect(await reasons("one", { triggers: 1 })).toContain("may have been reminded for the same triggers already");
  expect(await reasons("other", { triggers: 1 })).toContain("may have been reminded for the same triggers by urn:");
  expect(await reasons("third", { triggers: 2 })).toContain("may have been reminded less than 24h ago");
  expect(await reasons("fourth", { every: "7d" })).toContain("may have been reminded 20");
  expect(s.service.ledger.mails("reminder")).toHaveLength(1);
});
