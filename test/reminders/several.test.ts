import { expect, test } from "vitest";
import { ReminderResource } from "../../provider/resources/reminder/reminder.js";
import { PartialFailure } from "../../provider/resources/resource.js";
import type { Values } from "../../provider/schema/values.js";
import { HOUR, REMINDER, rejection, setStage, textsOf, uploaded } from "../gates/support.js";

const ANA = "ana@example.com";
const BOB = "bob@example.org";
const CLEO = "cleo@example.net";

async function dayOld() {
  const stage = await setStage();
  const ids = [ANA, BOB, CLEO].map(email => uploaded(stage.service, email));
  stage.service.clock.advance(25 * HOUR);
  const reminders = new ReminderResource(stage.run.runtime.context);
  const call = stage.run.call("weekly", { type: REMINDER });
  const mails = () => stage.service.ledger.mails("reminder").map(mail => mail.to);
  const reads = () => stage.service.ledger.requests("getDocument").length;
  const inputs: Values = { documentIds: ids, triggers: 1 };
  return Object.assign(stage, { ids, reminders, call, mails, reads, inputs });
}

test("one reminder of several documents reminds all who haven't signed, each once", async () => {
  await using stage = await dayOld();
  const { reminders, call, ids, inputs, mails, reads, service } = stage;
  service.people.signAll(ids[1] ?? "");
  const { id, outputs } = await reminders.create(call, { inputs });
  expect(id).toMatch(/^documents-[0-9a-f]{16}$/);
  expect(mails()).toEqual([ANA, CLEO]);
  expect(outputs).toMatchObject({
    signedIds: [ids[1]],
    skipped: [{ email: BOB, reason: `document ${ids[1]}: has signed` }],
  });
  expect(outputs).not.toHaveProperty("documentId");
  expect(reads()).toBe(3);

  service.clock.advance(25 * HOUR);
  service.people.signAll(ids[0] ?? "");
  const news = { ...inputs, triggers: 2 };
  const second = await reminders.update(call, { id, olds: outputs, oldInputs: inputs, news });
  expect(mails()).toEqual([ANA, CLEO, CLEO]);
  expect(reads()).toBe(5);
  expect(second["signedIds"]).toEqual([ids[1], ids[0]]);
});

test("another list with the same triggers reminds only those who are new in it", async () => {
  await using stage = await dayOld();
  const { reminders, call, ids, mails } = stage;
  const before: Values = { documentIds: ids.slice(0, 2), triggers: 1, minInterval: "0s" };
  const news: Values = { ...before, documentIds: ids };
  const { id, outputs } = await reminders.create(call, { inputs: before });
  const args = { id, olds: outputs, oldInputs: before, news };
  expect((await reminders.diff(call, args)).detailed).toEqual({ documentIds: "update" });
  const after = await reminders.update(call, args);
  expect(mails()).toEqual([ANA, BOB, CLEO]);
  const without: Values = { ...news, documentIds: ids.slice(1) };
  const fewer = await reminders.update(call, { id, olds: after, oldInputs: news, news: without });
  await reminders.update(call, { id, olds: fewer, oldInputs: without, news });
  expect(mails()).toEqual([ANA, BOB, CLEO]);
});

test("a lost answer counts as sent, a refusal is tried again at the next up", async () => {
  await using stage = await dayOld();
  const { reminders, call, inputs, mails, service } = stage;
  service.faults.push({ kind: "reset", when: "after" }, "remind");
  service.faults.push({ kind: "status", when: "before", status: 422 }, "remind");
  const failure = await rejection(reminders.create(call, { inputs }), PartialFailure);
  expect(mails()).toEqual([ANA, CLEO]);
  const args = { id: failure.id, olds: failure.outputs, oldInputs: inputs, news: inputs };
  await reminders.update(call, args);
  expect(mails()).toEqual([ANA, CLEO, BOB]);
  // State was lost: this machine remembers.
  await reminders.create(call, { inputs });
  expect(mails()).toEqual([ANA, CLEO, BOB]);
});

test("a preview says who would be reminded, and mails nobody", async () => {
  await using stage = await dayOld();
  const { reminders, inputs, mails, run } = stage;
  await reminders.create(run.call("weekly", { type: REMINDER, preview: true }), {
    inputs: { ...inputs, signers: [ANA, BOB, "eve@example.net"] },
  });
  expect(mails()).toEqual([]);
  expect(textsOf(run)).toEqual([
    `will mail ${ANA}, ${BOB}: a reminder of 3 documents (the reminder is new)\n  not eve@example.net: isn't invited to sign any document that is open`,
  ]);
});
