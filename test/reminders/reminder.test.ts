import { describe, expect, test } from "vitest";
import { isUnknown, UNKNOWN, type Value, type Values } from "../../kit/values.js";
import { UserError } from "../../provider/resources/resource.js";
import {
  HOUR,
  REMINDER,
  rejection,
  remindersIn,
  type Stage,
  setStage,
  staged,
  textsOf,
  uploaded,
} from "../gates/support.js";
import { mixedDialects } from "../support/independent-service/index.js";

const ANA = "ana@example.com";
const BOB = "bob@example.org";
const CLEO = "cleo@example.net";

const remindersTo = ({ service }: Pick<Stage, "service">): string[] =>
  service.ledger.mails("reminder").map(mail => mail.to);

/** Hours pass at the service, and on this machine. */
async function pass({ run, service }: Stage, hours: number): Promise<void> {
  service.clock.advance(hours * HOUR);
  await run.runtime.context.clock.wait(hours * HOUR, new AbortController().signal);
}

/** A reminder that was created a day and an hour after the invitations went out. */
async function created(stage: Stage, id: string, more: Values = {}) {
  stage.service.clock.advance(25 * HOUR);
  const inputs: Values = { documentId: id, triggers: { week: 1 }, ...more };
  const call = stage.run.call("weekly", { type: REMINDER });
  const reminders = remindersIn(stage.run.runtime.context);
  const { outputs } = await reminders.create(call, { inputs });
  const update = (olds: Values, news: Values, oldInputs = inputs) =>
    reminders.update(call, { id, olds, oldInputs, news });
  return { reminders, call, inputs, outputs, update };
}

describe.each(mixedDialects)("a service of the dialect $name:", ({ settings }) => {
  test("reminds those who haven't signed, one request each", async () => {
    await using stage = await setStage(settings.dialect);
    const { service } = stage;
    const id = uploaded(service, ANA, BOB, CLEO);
    service.people.sign(id, BOB);
    const { outputs } = await created(stage, id);
    expect(remindersTo(stage)).toEqual([ANA, CLEO]);
    const invitations = service.ledger.documents()[0]?.invitations ?? [];
    expect(service.ledger.requests("remind").map(({ method, path }) => `${method} ${path}`)).toEqual([
      `POST /v1/invitations/${invitations[0]?.id}/reminder`,
      `POST /v1/invitations/${invitations[2]?.id}/reminder`,
    ]);
    expect(service.ledger.requests("getDocument")).toHaveLength(1);
    expect((outputs["sent"] as Values[]).map(row => [row["invitationId"], row["outcome"]])).toEqual([
      [invitations[0]?.id, "sent"],
      [invitations[2]?.id, "sent"],
    ]);
    expect((outputs["skipped"] as Values[]).map(row => row["reason"])).toEqual(["has signed"]);
  });
});

describe("who is reminded", () => {
  test("only the stage whose turn it is, by the service's word", async () => {
    await using stage = await setStage({ form: "extended" });
    const id = await staged(stage, { [ANA]: 1, [BOB]: 2, [CLEO]: 2 });
    const { update, outputs, inputs } = await created(stage, id);
    expect(remindersTo(stage)).toEqual([ANA]);
    expect(outputs["skipped"]).toEqual([
      { email: BOB, reason: "is of stage 2, and it is the turn of stage 1" },
      { email: CLEO, reason: "is of stage 2, and it is the turn of stage 1" },
    ]);
    stage.service.people.sign(id, ANA);
    const again = await update(outputs, { ...inputs, triggers: { week: 2 } });
    expect(remindersTo(stage)).toEqual([ANA, BOB, CLEO]);
    expect(again["skipped"]).toEqual([{ email: ANA, reason: "has signed" }]);
  });

  test.each([
    ["without a word about the stage, the lowest with a signature missing", undefined],
    ["where nobody waits in the stage the service names, the same", 7],
  ])("%s", async (_, signing_stage) => {
    await using stage = await setStage({ form: "extended" });
    const id = await staged(stage, { [ANA]: 3, [BOB]: 2 });
    stage.service.faults.push({ kind: "edit", edit: json => edited(json, { signing_stage }) }, "getDocument", {
      times: 9,
    });
    await created(stage, id);
    expect(remindersTo(stage)).toEqual([BOB]);
  });

  test("a stage someone might still be in isn't over: an unknown status holds it, and isn't reminded", async () => {
    await using stage = await setStage({ form: "extended" });
    const id = await staged(stage, { [ANA]: 1, [BOB]: 2 });
    stage.service.people.forceSignerStatus(id, ANA, "delegated");
    const { outputs } = await created(stage, id);
    expect(remindersTo(stage)).toEqual([]);
    expect(outputs["skipped"]).toEqual([
      { email: ANA, reason: "is delegated" },
      { email: BOB, reason: "is of stage 2, and it is the turn of stage 1" },
    ]);
  });

  test("without stages, everyone", async () => {
    await using stage = await setStage({ form: "basic" });
    await created(stage, await staged(stage, { [ANA]: 1, [BOB]: 2 }));
    expect(remindersTo(stage)).toEqual([ANA, BOB]);
  });

  test("a subset, in any case; nobody for an empty one; an error for someone who isn't invited", async () => {
    await using stage = await setStage();
    const id = uploaded(stage.service, ANA, BOB);
    const { reminders, call } = await created(stage, id, { signers: ["Bob@Example.org", BOB] });
    expect(remindersTo(stage)).toEqual([BOB]);
    const of = (signers: string[]) =>
      reminders.create(stage.run.call("other", { type: REMINDER }), { inputs: { documentId: id, signers } });
    expect((await of([])).outputs).toMatchObject({ sent: [], skipped: [] });
    const error = await rejection(of(["eve@example.net"]), UserError);
    expect(error.message).toContain(`Invited: ${ANA}, ${BOB}.`);
    expect(remindersTo(stage)).toEqual([BOB]);
    expect(call.urn).toContain("weekly");
  });

  test("nobody of a document whose status nobody knows, or that is said to be signed", async () => {
    await using stage = await setStage();
    const id = uploaded(stage.service, ANA);
    stage.service.people.forceStatus(id, "voided");
    const { outputs } = await created(stage, id);
    expect(outputs["skipped"]).toEqual([{ email: ANA, reason: "the document is voided" }]);
    expect(remindersTo(stage)).toEqual([]);
  });

  test("nobody where a signature can't be attributed", async () => {
    await using stage = await setStage({ emailOn: "neither" });
    const id = uploaded(stage.service, ANA, BOB);
    stage.service.people.sign(id, ANA);
    await created(stage, id);
    expect(remindersTo(stage)).toEqual([]);
  });
});

describe("minInterval", () => {
  test.each([
    ["a fresh document is not followed by a reminder", {}, 0, []],
    ["nor one an hour short of a day", {}, 23 * HOUR, []],
    ["a day later it is", {}, 24 * HOUR + 10_000, [ANA]],
    ["0s reminds at once", { minInterval: "0s" }, 0, [ANA]],
    ["a shorter one is kept too", { minInterval: "90m" }, HOUR, []],
    ["and ends", { minInterval: "90m" }, 2 * HOUR, [ANA]],
  ] as const)("%s", async (_, more, age, reminded) => {
    await using stage = await setStage();
    // By the service's clock, however wrong it is by ours.
    stage.service.clock.skew(-400 * HOUR);
    const id = uploaded(stage.service, ANA);
    stage.service.clock.advance(age - 25 * HOUR);
    const { outputs } = await created(stage, id, more);
    expect(remindersTo(stage)).toEqual(reminded);
    if (reminded.length === 0)
      expect((outputs["skipped"] as Values[])[0]?.["reason"]).toMatch(/^was invited less than (24h|1h30m) ago, /);
  });

  test("a reminder made too soon stays due, says when, and is sent once", async () => {
    await using stage = await setStage();
    const { run, service } = stage;
    const id = uploaded(service, ANA);
    service.clock.advance(-24 * HOUR);
    const { reminders, call, inputs, outputs, update } = await created(stage, id);
    const diff = async (olds: Values) => {
      await reminders.check(call, { news: inputs });
      return (await reminders.diff(call, { olds, oldInputs: inputs, news: inputs })).detailed;
    };
    expect(remindersTo(stage)).toEqual([]);
    const [skipped] = outputs["skipped"] as { dueAt: string; reason: string }[];
    expect(textsOf(run).at(-1)).toContain(`due from ${skipped?.dueAt} on`);
    expect(await diff(outputs)).toEqual({});

    await pass(stage, 24);
    const preview = run.call("weekly", { type: REMINDER, preview: true });
    expect(await diff(outputs)).toEqual({ skipped: "update" });
    await reminders.update(preview, { id, olds: outputs, oldInputs: inputs, news: inputs });
    expect(textsOf(run).at(-1)).toBe(
      `will mail ${ANA}: a reminder of document ${id} (it was too soon in an earlier run)`,
    );
    const sent = await update(outputs, inputs);
    expect(remindersTo(stage)).toEqual([ANA]);
    expect(sent["skipped"]).toEqual([]);
    await pass(stage, 48);
    expect(await diff(sent)).toEqual({});
    await update(sent, inputs);
    expect(remindersTo(stage)).toEqual([ANA]);
  });

  test("a due reminder is no update in a refresh", async () => {
    await using stage = await setStage();
    const { service } = stage;
    const id = uploaded(service, ANA);
    service.clock.advance(-25 * HOUR);
    const { reminders, call, inputs, outputs } = await created(stage, id);
    await pass(stage, 25);
    await reminders.read(call, { id, inputs, outputs });
    const swapped = { olds: outputs, oldInputs: inputs, news: inputs };
    expect((await reminders.diff(call, swapped)).changes).toBe("none");
    await reminders.check(call, { news: inputs });
    expect((await reminders.diff(call, swapped)).changes).toBe("some");
  });

  test("counts from the last reminder over several ups", async () => {
    await using stage = await setStage();
    const { service } = stage;
    const first = await created(stage, uploaded(service, ANA));
    service.clock.advance(HOUR);
    const second = await first.update(first.outputs, { ...first.inputs, triggers: { week: 2 } });
    expect(remindersTo(stage)).toEqual([ANA]);
    expect(second["sent"]).toEqual([]);
    expect((second["skipped"] as Values[])[0]?.["reason"]).toMatch(/^was reminded less than 24h ago, /);
    expect(second["lastSentAt"]).toEqual(first.outputs["lastSentAt"]);
    service.clock.advance(24 * HOUR);
    await first.update(second, { ...first.inputs, triggers: { week: 3 } });
    expect(remindersTo(stage)).toEqual([ANA, ANA]);
  });

  test("where the service returns no dates at all, nobody is mailed by mistake", async () => {
    await using stage = await setStage({ date: "none" });
    const id = uploaded(stage.service, ANA);
    const undated = { created_at: null };
    stage.service.faults.push({ kind: "edit", edit: json => edited(json, undated, undated) }, "getDocument", {
      times: 9,
    });
    const { outputs } = await created(stage, id);
    expect(outputs["skipped"]).toEqual([{ email: ANA, reason: "the service doesn't say when they were invited" }]);
    expect(remindersTo(stage)).toEqual([]);
  });
});

describe("triggers", () => {
  const diffOf = async (before: Values, after: Values) => {
    await using stage = await setStage();
    const diff = await remindersIn(stage.run.runtime.context).diff(stage.run.call("weekly"), {
      olds: { skipped: [] },
      oldInputs: { documentId: "7", ...before },
      news: { documentId: "7", ...after },
    });
    expect(stage.service.ledger.requests()).toHaveLength(0);
    return diff.detailed;
  };

  test.each([
    ["the same, keys in another order", { triggers: { a: 1, b: [2] } }, { triggers: { b: [2], a: 1 } }, {}],
    ["another week", { triggers: [12] }, { triggers: [13] }, { triggers: "update" }],
    ["none before", {}, { triggers: "now" }, { triggers: "add" }],
    ["not known yet", { triggers: 1 }, { triggers: { at: UNKNOWN } }, { triggers: "update" }],
    ["another document", {}, { documentId: "8" }, { documentId: "update-replace" }],
    ["the default written out", {}, { minInterval: "1440m" }, {}],
    ["addresses in another case", { signers: [ANA] }, { signers: ["ANA@example.com"] }, {}],
  ])("%s", async (_, before, after, detailed) => {
    expect(await diffOf(before as Values, after as Values)).toEqual(detailed);
  });

  test("another signer in the same round is reminded, nobody twice", async () => {
    await using stage = await setStage();
    const id = uploaded(stage.service, ANA, BOB);
    const { update, outputs, inputs } = await created(stage, id, { signers: [ANA], minInterval: "0s" });
    const wider = await update(outputs, { ...inputs, signers: [ANA, BOB] });
    expect(remindersTo(stage)).toEqual([ANA, BOB]);
    expect((wider["sent"] as Values[]).map(row => row["email"])).toEqual([ANA, BOB]);
    await update(wider, { ...inputs, signers: [BOB] });
    expect(remindersTo(stage)).toEqual([ANA, BOB]);
  });

  test("back to an earlier value is a change like any other", async () => {
    await using stage = await setStage();
    const id = uploaded(stage.service, ANA);
    const { update, outputs, inputs } = await created(stage, id, { minInterval: "0s" });
    stage.service.clock.advance(5000);
    const next = { ...inputs, triggers: { week: 2 } };
    const second = await update(outputs, next);
    stage.service.clock.advance(5000);
    await update(second, inputs, next);
    expect(remindersTo(stage)).toEqual([ANA, ANA, ANA]);
  });

  test("back to an earlier value counts, also after one that reminded nobody", async () => {
    await using stage = await setStage();
    const first = await created(stage, uploaded(stage.service, ANA));
    stage.service.clock.advance(HOUR);
    const next = { ...first.inputs, triggers: { week: 2 } };
    const second = await first.update(first.outputs, next);
    expect(remindersTo(stage)).toEqual([ANA]);
    stage.service.clock.advance(25 * HOUR);
    await first.update(second, first.inputs, next);
    expect(remindersTo(stage)).toEqual([ANA, ANA]);
  });
});

describe("previews send nothing", () => {
  test("and say who would be mailed, why, and who wouldn't", async () => {
    await using stage = await setStage();
    const { run, service } = stage;
    const reminders = remindersIn(run.runtime.context);
    const preview = run.call("weekly", { type: REMINDER, preview: true });
    const id = uploaded(service, ANA, BOB);
    service.people.sign(id, BOB);
    service.clock.advance(25 * HOUR);
    const { outputs } = await reminders.create(preview, { inputs: { documentId: id } });
    expect(isUnknown(outputs["sent"])).toBe(true);
    expect(run.lines).toEqual([
      {
        severity: "info",
        text: `will mail ${ANA}: a reminder of document ${id} (the reminder is new)\n  not ${BOB}: has signed`,
      },
    ]);
    const { call, inputs, outputs: olds } = await created(stage, id);
    expect(call.preview).toBe(false);
    service.clock.advance(25 * HOUR);
    await reminders.update(preview, { id, olds, oldInputs: inputs, news: { ...inputs, triggers: { week: 2 } } });
    expect(textsOf(run).at(-1)).toContain(`will mail ${ANA}: a reminder of document ${id} (changed: triggers)`);
    expect(remindersTo(stage)).toEqual([ANA]);
  });

  test.each<[string, Values, Value]>([
    ["as a whole", { week: 1 }, UNKNOWN],
    ["in part", { week: 1 }, { week: 1, at: UNKNOWN }],
  ])("and say who would be mailed if triggers change that aren't known %s", async (_, triggers, then) => {
    await using stage = await setStage();
    const { run, service } = stage;
    const id = uploaded(service, ANA);
    const { reminders, inputs, outputs: olds } = await created(stage, id, { triggers });
    service.clock.advance(25 * HOUR);
    const preview = run.call("weekly", { type: REMINDER, preview: true });
    await reminders.update(preview, { id, olds, oldInputs: inputs, news: { ...inputs, triggers: then } });
    expect(textsOf(run).at(-1)).toBe(`will mail ${ANA}: a reminder of document ${id} (if \`triggers\` change)`);
  });

  test("and ask nothing while the document isn't known", async () => {
    await using stage = await setStage();
    const { run, service } = stage;
    const reminders = remindersIn(run.runtime.context);
    const preview = run.call("weekly", { type: REMINDER, preview: true });
    await reminders.create(preview, { inputs: { documentId: UNKNOWN, triggers: UNKNOWN } });
    expect(service.ledger.requests()).toHaveLength(0);
    expect(run.lines).toHaveLength(1);
  });
});

test("refresh asks nothing and keeps what was; an import is refused; deleting says nothing", async () => {
  await using stage = await setStage();
  const id = uploaded(stage.service, ANA);
  const { reminders, call, inputs, outputs } = await created(stage, id);
  const count = stage.service.ledger.requests().length;
  const lines = stage.run.lines.length;
  expect(await reminders.read(call, { id, inputs, outputs })).toEqual({ id, inputs, outputs });
  await rejection(reminders.read(call, { id, inputs: undefined, outputs: undefined }), UserError);
  await reminders.delete(call, { id, inputs, outputs: {} });
  expect(stage.service.ledger.requests()).toHaveLength(count);
  expect(stage.run.lines).toHaveLength(lines);
});

type Json = Parameters<Extract<Parameters<Stage["service"]["faults"]["push"]>[0], { kind: "edit" }>["edit"]>[0];

/** The document in an answer with other values, and its invitations too. */
function edited(json: Json, document: Record<string, unknown>, invitation: Record<string, unknown> = {}): Json {
  const { payload, ...rest } = json as unknown as { payload: { invitations: object[] } };
  const invitations = payload.invitations.map(one => ({ ...one, ...invitation }));
  return { ...rest, payload: { ...payload, invitations, ...document } } as unknown as Json;
}
