import { expect, test } from "vitest";
import type { Raw } from "../../sdk/dynamic/encoding.js";
import type { IndependentService } from "../support/independent-service/index.js";
import { keyOf } from "./support/host.js";
import { asset, open, unknown } from "./support/scene.js";

const GATE = "docsign:index:SignatureGate";
const REMINDER = "docsign:index:Reminder";
const ANA = "ana@example.com";
const BOB = "bob@example.org";
const secret = (value: unknown) => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  value,
});

const uploaded = (service: IndependentService): string =>
  service.people.upload("first", { name: "NDA", pdf: Buffer.from("%PDF-1.4\nx\n%%EOF\n"), emails: [ANA, BOB] });

const remindersTo = (service: IndependentService): string[] => service.ledger.mails("reminder").map(mail => mail.to);

test("a gate is read again until it is satisfied, and sends no request afterwards", async () => {
  await using scene = await open();
  const { service } = scene;
  const documentId = uploaded(service);
  const first = scene.host();
  const program = first.program("signed", { documentId }, GATE);
  await first.preview(program);
  expect(first.said.join()).toContain(`document ${documentId} waits for ${ANA}, ${BOB} to sign`);
  const entry = await first.create(program);
  expect(entry).toMatchObject({ id: documentId, outputs: { satisfied: false, pendingSigners: [ANA, BOB] } });

  service.people.sign(documentId, ANA);
  const preview = scene.host();
  expect(await preview.previewAgain(entry, program)).toMatchObject({ changes: true, replaces: [] });
  expect(preview.said.join()).toContain(`waits for ${BOB} to sign (1 of 2 signed)`);
  const half = await scene.host().update(entry, program);
  expect(half.outputs).toMatchObject({ satisfied: false, pendingSigners: [BOB] });
  const refreshed = await scene.host().refresh(half);
  expect(refreshed.outputs).toEqual(half.outputs);

  service.people.sign(documentId, BOB);
  const whole = await scene.host().update(half, program);
  expect(whole.outputs).toMatchObject({ satisfied: true, pendingSigners: [] });
  const asked = service.ledger.requests().length;
  const last = scene.host();
  expect(await last.previewAgain(whole, program)).toMatchObject({ changes: false });
  await last.remove(whole);
  expect(service.ledger.requests()).toHaveLength(asked);
});

test("a refresh's own Diff of an open gate is no change and asks nothing, also after a Check", async () => {
  await using scene = await open();
  const documentId = uploaded(scene.service);
  const host = scene.host();
  const program = host.program("signed", { documentId }, GATE);
  const entry = await host.create(program);
  await host.check(entry.inputs, { ...program, __preview: true });
  const asked = scene.service.ledger.requests().length;
  const { id, props } = await host.frontEnd.read(entry.id, entry.outputs);
  expect(await host.frontEnd.diff(id, props, entry.inputs)).toMatchObject({ changes: false });
  expect(scene.service.ledger.requests()).toHaveLength(asked + 1);
});

test("a waiting gate waits as long as customTimeouts say, and is kept when they are over", async () => {
  await using scene = await open();
  const documentId = uploaded(scene.service);
  const host = scene.host();
  const args = { documentId, mode: "wait", __timeouts: { create: "2h", update: "90m" } };
  const program = host.program("signed", args, GATE);
  await host.preview(program);
  expect(host.said.join()).toContain("`pulumi up` waits for it, up to 2h");
  const inputs = await host.check(undefined, program);
  expect(JSON.stringify(inputs)).not.toContain("2h");
  const failed = (await host.frontEnd.create(inputs).catch((error: unknown) => error)) as { properties: Raw };
  expect(failed).toMatchObject({
    id: documentId,
    properties: { satisfied: false, resourceKey: keyOf("signed", GATE), __unfinished: true },
    reasons: [expect.stringContaining("the 2h to wait for it are over"), expect.any(String)],
  });

  const entry = { id: documentId, inputs, outputs: { ...failed.properties } };
  const later = scene.host();
  await later.previewAgain(entry, program);
  expect(later.said.join()).toContain("up to 1h30m");
  await expect(later.update(entry, program)).rejects.toThrow("the 1h30m to wait for it are over");
  scene.service.people.signAll(documentId);
  const whole = await scene.host().update(entry, program);
  expect(whole.outputs).toMatchObject({ satisfied: true });
  expect(whole.outputs).not.toHaveProperty("__unfinished");
});

test("people are reminded once for each value of triggers, and a preview says whom", async () => {
  await using scene = await open();
  const { service } = scene;
  const documentId = uploaded(service);
  const args = (week: number, more: object = {}) => ({ documentId, minInterval: "0s", triggers: { week }, ...more });
  const first = scene.host();
  const program = first.program("weekly", args(1), REMINDER);
  await first.preview(program);
  expect(first.said.join()).toContain(`will mail ${ANA}, ${BOB}: a reminder of document ${documentId}`);
  expect(remindersTo(service)).toEqual([]);
  const entry = await first.create(program);
  expect(remindersTo(service)).toEqual([ANA, BOB]);
  expect(entry.outputs).toMatchObject({ sent: [{ email: ANA, outcome: "sent" }, { email: BOB }], skipped: [] });
  const asked = service.ledger.requests().length;
  expect(await first.previewAgain(entry, program)).toMatchObject({ changes: false });
  expect((await scene.host().refresh(entry)).outputs).toEqual(entry.outputs);
  expect(service.ledger.requests()).toHaveLength(asked);

  service.people.sign(documentId, ANA);
  const preview = scene.host();
  const next = preview.program("weekly", args(2), REMINDER);
  expect(await preview.previewAgain(entry, next)).toMatchObject({ changes: true, replaces: [] });
  expect(preview.said.join()).toContain(`will mail ${BOB}: a reminder of document ${documentId} (changed: triggers)`);
  expect(remindersTo(service)).toEqual([ANA, BOB]);
  const after = await scene.host().update(entry, next);
  expect(remindersTo(service)).toEqual([ANA, BOB, BOB]);
  expect(after.outputs).toMatchObject({ skipped: [{ email: ANA, reason: "has signed" }] });
});

test("a reminder this machine sent is not sent again by a resource that state never got to know", async () => {
  await using scene = await open();
  const documentId = uploaded(scene.service);
  const args = { documentId, minInterval: "0s" };
  const killed = scene.host();
  await killed.create(killed.program("weekly", args, REMINDER));
  const again = scene.host();
  const entry = await again.create(again.program("weekly", args, REMINDER));
  expect(remindersTo(scene.service)).toEqual([ANA, BOB]);
  expect(entry.outputs).toMatchObject({ sent: [{ email: ANA }, { email: BOB }] });
});

test("whoever couldn't be reminded is reminded by the next up, which says so before, also after a refresh", async () => {
  await using scene = await open();
  const { service } = scene;
  const documentId = uploaded(service);
  const host = scene.host();
  const program = host.program("weekly", { documentId, minInterval: "0s" }, REMINDER);
  const inputs = await host.check(undefined, program);
  service.faults.push({ kind: "status", when: "before", status: 422 }, "remind");
  const failed = (await host.frontEnd.create(inputs).catch((error: unknown) => error)) as { properties: Raw };
  expect(failed).toMatchObject({
    id: documentId,
    reasons: [expect.stringContaining(`${ANA} wasn't`), expect.any(String)],
  });
  expect(remindersTo(service)).toEqual([BOB]);

  const kept = await scene.host().refresh({ id: documentId, inputs, outputs: failed.properties });
  const preview = scene.host();
  expect(await preview.previewAgain(kept, program)).toMatchObject({ changes: true, replaces: [] });
  expect(preview.said.join()).toContain(`will mail ${ANA}: a reminder`);
  const whole = await scene.host().update(kept, program);
  expect(remindersTo(service)).toEqual([BOB, ANA]);
  expect(await scene.host().diff(whole, program)).toMatchObject({ changes: false });
});

test("another document is another gate and another reminder", async () => {
  await using scene = await open();
  const host = scene.host();
  const documentId = uploaded(scene.service);
  for (const type of [GATE, REMINDER]) {
    const entry = await host.create(host.program("one", { documentId }, type));
    const next = host.program("one", { documentId: uploaded(scene.service) }, type);
    expect(await host.diff(entry, next)).toEqual({
      changes: true,
      replaces: ["documentId"],
      deleteBeforeReplace: false,
    });
    expect(await host.diff(entry, host.program("one", { documentId: unknown }, type))).toMatchObject({
      replaces: ["documentId"],
    });
  }
});

test("assets among triggers and secret signers are accepted", async () => {
  await using scene = await open();
  const documentId = uploaded(scene.service);
  const host = scene.host();
  const args = {
    documentId,
    minInterval: "0s",
    signers: [ANA],
    secretInputs: ["signers"],
    triggers: { pdf: asset("a") },
  };
  const program = host.program("weekly", args, REMINDER);
  await host.preview(program);
  expect(host.said.join()).toContain("will mail 1 person");
  expect(host.said.join()).not.toContain(ANA);
  const entry = await host.create({ ...program, sent: secret([]) });
  expect(JSON.stringify(entry.outputs)).not.toContain("c44067f5952c0a294b673a41bacd8c17");
  expect(await host.diff(entry, program)).toMatchObject({ changes: false });
  expect((await scene.host().refresh(entry)).outputs).toEqual(entry.outputs);
  expect(remindersTo(scene.service)).toEqual([ANA]);
});

test("`get` reads a document's status", async () => {
  await using scene = await open();
  const documentId = uploaded(scene.service);
  const { frontEnd, program } = scene.host();
  const looked = { ...program("theirs", {}, GATE), __lookup: true };
  const { props } = await frontEnd.read(documentId, looked);
  expect(props).toMatchObject({ documentId, satisfied: false, __lookup: true });
  scene.service.people.signAll(documentId);
  expect((await frontEnd.read(documentId, props)).props).toMatchObject({ satisfied: true });
});
