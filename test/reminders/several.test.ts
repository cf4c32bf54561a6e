import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Values } from "../../kit/values.js";
import { PartialFailure } from "../../provider/resources/resource.js";
import { HOUR, REMINDER, rejection, remindersIn, setStage, textsOf, uploaded } from "../gates/support.js";

const ANA = "ana@example.com";
const BOB = "bob@example.org";
const CLEO = "cleo@example.net";

async function dayOld() {
  const stage = await setStage();
  const ids = [ANA, BOB, CLEO].map(email => uploaded(stage.service, email));
  stage.service.clock.advance(25 * HOUR);
  const reminders = remindersIn(stage.run.runtime.context);
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

test("a document that can't be read keeps nobody else from being reminded, and its people come with the next up", async () => {
  await using stage = await dayOld();
  const { reminders, call, ids, inputs, mails, service } = stage;
  let isBroken = true;
  const broken = { kind: "status", when: "before", status: 500 } as const;
  service.faults.otherwise(({ path }) => (isBroken && path.endsWith(`/documents/${ids[1]}`) ? broken : undefined));
  const failure = await rejection(reminders.create(call, { inputs }), PartialFailure);
  expect(failure.reasons.join("\n")).toContain(`document ${ids[1]}: couldn't be read, so nobody was reminded of it`);
  expect(mails()).toEqual([ANA, CLEO]);
  // A refresh doesn't make it look finished.
  const { id, outputs } = failure;
  await rejection(reminders.read(call, { id, inputs, outputs }), PartialFailure);
  isBroken = false;
  const after = await reminders.update(call, { id, olds: outputs, oldInputs: inputs, news: inputs });
  expect(mails()).toEqual([ANA, CLEO, BOB]);
  expect(after["skipped"]).toEqual([]);
});

test("what the journal writes for each person doesn't grow with how many there are", async () => {
  await using stage = await setStage();
  const people = Array.from({ length: 60 }, (_, index) => `p${index}@example.com`);
  const ids = people.map(email => uploaded(stage.service, email));
  const reminders = remindersIn(stage.run.runtime.context);
  const bytesFor = async (count: number) => {
    const call = stage.run.call(`of-${count}`, { type: REMINDER });
    const before = journalBytes(stage.machine.folder);
    await reminders.create(call, { inputs: { documentIds: ids.slice(0, count), minInterval: "0s" } });
    return journalBytes(stage.machine.folder) - before;
  };
  const [ten, fifty] = [await bytesFor(10), await bytesFor(50)];
  expect(fifty).toBeLessThan(5.5 * ten);
});

const journalBytes = (folder: string): number =>
  (existsSync(join(folder, "journal"))
    ? readdirSync(join(folder, "journal"), { recursive: true, withFileTypes: true })
    : []
  )
    .filter(entry => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
