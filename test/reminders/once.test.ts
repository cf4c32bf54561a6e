import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Values } from "../../kit/values.js";
import { PartialFailure } from "../../provider/resources/resource.js";
import {
  HOUR,
  plugin,
  REMINDER,
  rejection,
  remindersIn,
  type Stage,
  setStage,
  uploaded,
  urn,
} from "../gates/support.js";
import { within } from "../support/calibration.js";
import { StatusError } from "../support/engine-client.js";
import type { Fault } from "../support/independent-service/index.js";

const ANA = "ana@example.com";
const BOB = "bob@example.org";
const CLEO = "cleo@example.net";

const remindersTo = ({ service }: Pick<Stage, "service">): string[] =>
  service.ledger.mails("reminder").map(mail => mail.to);

async function dayOld(...emails: string[]) {
  const stage = await setStage();
  const id = uploaded(stage.service, ...emails);
  stage.service.clock.advance(25 * HOUR);
  const reminders = remindersIn(stage.run.runtime.context);
  const call = stage.run.call("weekly", { type: REMINDER });
  const inputs: Values = { documentId: id, triggers: 1 };
  return Object.assign(stage, { id, reminders, call, inputs });
}

const sentIn = (outputs: Values) =>
  (outputs["sent"] as Values[]).map(row => `${String(row["email"])} ${String(row["outcome"])}`);

const LOST: [string, Fault][] = [
  ["a reset after it was done", { kind: "reset", when: "after" }],
  ["a reset before it was done", { kind: "reset", when: "before" }],
  ["500", { kind: "status", when: "after", status: 500 }],
  ["503", { kind: "status", when: "before", status: 503 }],
  ["429", { kind: "status", when: "before", status: 429, retryAfter: "0" }],
  ["429 after it was done", { kind: "status", when: "after", status: 429, retryAfter: "0" }],
  ["503 with Retry-After, after it was done", { kind: "status", when: "after", status: 503, retryAfter: "0" }],
  ["408", { kind: "status", when: "before", status: 408 }],
  ["a web page", { kind: "html", when: "after" }],
];

describe("an answer that was lost", () => {
  test.each(LOST)("%s: counts as sent, is warned of, and up succeeds", async (_, fault) => {
    await using stage = await dayOld(ANA, BOB);
    const { service, reminders, call, inputs, id } = stage;
    service.faults.push(fault, "remind");
    const { outputs } = await reminders.create(call, { inputs });
    expect(service.ledger.requests("remind")).toHaveLength(2);
    expect(sentIn(outputs)).toEqual([`${ANA} unknown`, `${BOB} sent`]);
    const warnings = stage.run.lines.filter(line => line.severity === "warn");
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.text).toContain(`it isn't known whether the reminder for ${ANA} went out`);

    const again = await reminders.update(call, { id, olds: outputs, oldInputs: inputs, news: inputs });
    expect(again["sent"]).toEqual(outputs["sent"]);
    expect(service.ledger.requests("remind")).toHaveLength(2);
  });
});

describe("a definite failure for one", () => {
  test.each<[string, Fault]>([
    ["501", { kind: "status", when: "before", status: 501 }],
    ["a redirect", { kind: "redirect", when: "before", status: 302, location: "/elsewhere" }],
    ["ok: false", { kind: "not-ok", when: "before" }],
  ])("%s: it fails, names the method to try, and reminds at the next up", async (_, fault) => {
    await using stage = await dayOld(ANA, BOB);
    const { service, reminders, call, inputs, id } = stage;
    service.faults.push(fault, "remind");
    const failure = await rejection(reminders.create(call, { inputs }), PartialFailure);
    expect(sentIn(failure.outputs)).toEqual([`${BOB} sent`]);
    expect(failure.reasons[0]).toMatch(/^ana@example.com wasn't reminded: .* docsign:reminderMethod GET`$/);
    await reminders.update(call, { id, olds: failure.outputs, oldInputs: inputs, news: inputs });
    expect(remindersTo(stage)).toEqual([BOB, ANA]);
  });

  test.each([404, 422])("%i: the others are reminded, and nobody twice at the next up", async status => {
    await using stage = await dayOld(ANA, BOB, CLEO);
    const { service, reminders, call, inputs, id } = stage;
    service.faults.push(
      { kind: "status", when: "before", status },
      { operation: "remind", method: "POST" },
      { skip: 1 },
    );
    service.faults.push({ kind: "status", when: "before", status: 405 }, { operation: "remind", method: "GET" });
    const failure = await rejection(reminders.create(call, { inputs }), PartialFailure);
    expect(failure.id).toBe(id);
    expect(sentIn(failure.outputs)).toEqual([`${ANA} sent`, `${CLEO} sent`]);
    expect(failure.reasons).toEqual([
      expect.stringContaining(`${BOB} wasn't reminded: `),
      "Run `pulumi up` again: whoever was reminded isn't reminded again.",
    ]);
    const healed = await reminders.update(call, { id, olds: failure.outputs, oldInputs: inputs, news: inputs });
    expect(sentIn(healed)).toEqual([`${ANA} sent`, `${CLEO} sent`, `${BOB} sent`]);
    expect(remindersTo(stage)).toEqual([ANA, CLEO, BOB]);
  });

  test("a refresh in between doesn't make it look finished", async () => {
    await using stage = await dayOld(ANA, BOB);
    const { service, reminders, call, inputs, id } = stage;
    service.faults.push({ kind: "status", when: "before", status: 422 }, "remind", { skip: 1 });
    const { outputs } = await rejection(reminders.create(call, { inputs }), PartialFailure);
    const refreshed = await rejection(reminders.read(call, { id, inputs, outputs }), PartialFailure);
    expect(refreshed.outputs).toEqual(outputs);
    const healed = await reminders.update(call, { id, olds: outputs, oldInputs: inputs, news: inputs });
    expect(await reminders.read(call, { id, inputs, outputs: healed })).toEqual({ id, inputs, outputs: healed });
    expect(remindersTo(stage)).toEqual([ANA, BOB]);
  });

  test("nor does another sentence in state", async () => {
    await using stage = await dayOld(ANA, BOB);
    const { service, reminders, call, inputs, id } = stage;
    service.faults.push({ kind: "status", when: "before", status: 422 }, "remind", { skip: 1 });
    const { outputs } = await rejection(reminders.create(call, { inputs }), PartialFailure);
    expect(outputs["skipped"]).toEqual([{ email: BOB, reason: "the reminder couldn't be sent", unfinished: true }]);
    const reworded = { ...outputs, skipped: [{ email: BOB, reason: "is to be reminded", unfinished: true }] };
    await rejection(reminders.read(call, { id, inputs, outputs: reworded }), PartialFailure);
    const [before] = outputs["sent"] as Values[];
    const healed = await reminders.update(call, { id, olds: reworded, oldInputs: inputs, news: inputs });
    expect((healed["sent"] as Values[])[0]).toEqual(before);
    expect(healed["skipped"]).toEqual([]);
    expect(remindersTo(stage)).toEqual([ANA, BOB]);
  });

  test("the same where state lost what the failed run answered", async () => {
    await using stage = await dayOld(ANA, BOB);
    const { service, reminders, call, inputs } = stage;
    service.faults.push({ kind: "status", when: "before", status: 422 }, "remind", { skip: 1 });
    await rejection(reminders.create(call, { inputs }), PartialFailure);
    const { outputs } = await reminders.create(call, { inputs });
    expect(sentIn(outputs)).toEqual([`${ANA} sent`, `${BOB} sent`]);
    expect(remindersTo(stage)).toEqual([ANA, BOB]);
  });

  test("taking the triggers back after an update that failed half-way reminds nobody", async () => {
    await using stage = await dayOld(ANA, BOB);
    const { service, reminders, call, id } = stage;
    const one: Values = { documentId: id, triggers: 1, minInterval: "0s" };
    const two: Values = { ...one, triggers: 2 };
    const { outputs } = await reminders.create(call, { inputs: one });
    service.faults.push({ kind: "status", when: "before", status: 422 }, "remind", { skip: 1 });
    const args = { id, oldInputs: one };
    const failure = await rejection(reminders.update(call, { ...args, olds: outputs, news: two }), PartialFailure);
    // The engine keeps the new outputs beside the old inputs.
    const back = await reminders.update(call, { ...args, olds: failure.outputs, news: one });
    expect(remindersTo(stage)).toEqual([ANA, BOB, ANA]);
    const forward = await reminders.update(call, { ...args, olds: back, news: two });
    expect(sentIn(forward)).toEqual([`${ANA} sent`, `${BOB} sent`]);
    expect(remindersTo(stage)).toEqual([ANA, BOB, ANA, BOB]);
  });

  test("a key that isn't valid any more ends the round: nobody else is tried", async () => {
    await using stage = await dayOld(ANA, BOB);
    stage.service.faults.push({ kind: "status", when: "before", status: 401 }, "remind", { times: 9 });
    const failure = await rejection(stage.reminders.create(stage.call, { inputs: stage.inputs }), PartialFailure);
    expect(failure.reasons).toHaveLength(3);
    expect(stage.service.ledger.requests("remind")).toHaveLength(1);
  });
});

describe("a crash", () => {
  test("between sending and the answer: the next up reminds the others only", async () => {
    await using stage = await dayOld(ANA, BOB, CLEO);
    const { service, reminders, call, inputs } = stage;
    const ofBob = service.ledger.documents()[0]?.invitations[1]?.id;
    using held = service.gate("processed", request => request.path.includes(`/${ofBob}/`));
    const lost = reminders.create(call, { inputs }).catch(() => undefined);
    await held.reached;

    const next = stage.again();
    const { outputs } = await remindersIn(next.runtime.context).create(next.call("weekly", { type: REMINDER }), {
      inputs,
    });
    expect(sentIn(outputs)).toEqual([`${ANA} sent`, `${BOB} unknown`, `${CLEO} sent`]);
    expect(next.lines).toEqual([
      {
        severity: "warn",
        text: `an earlier run was interrupted while it reminded ${BOB}: that counts as sent, and isn't sent again`,
      },
    ]);
    expect(remindersTo(stage)).toEqual([ANA, BOB, CLEO]);
    held.cut();
    await stage.run.kill();
    await lost;
  });

  test("on another trigger counts for that one, and for minInterval", async () => {
    await using stage = await dayOld(ANA);
    const { reminders, call, inputs, id, service } = stage;
    const { outputs } = await reminders.create(call, { inputs });
    service.clock.advance(25 * HOUR);
    const second = { ...inputs, triggers: 2 };
    // What this update answers never gets into state.
    await reminders.update(call, { id, olds: outputs, oldInputs: inputs, news: second });
    const again = await reminders.update(call, { id, olds: outputs, oldInputs: inputs, news: second });
    expect(sentIn(again)).toEqual([`${ANA} sent`]);
    const third = await reminders.update(call, {
      id,
      olds: outputs,
      oldInputs: inputs,
      news: { ...inputs, triggers: 3 },
    });
    expect((third["skipped"] as Values[])[0]?.["reason"]).toContain("was reminded less than 24h ago");
    expect(remindersTo(stage)).toEqual([ANA, ANA]);
  });

  test("a forced replacement reminds nobody twice, and says why, in the preview as well", async () => {
    await using stage = await dayOld(ANA);
    const { reminders, call, inputs, id } = stage;
    const first = await reminders.create(call, { inputs });
    const [at] = (first.outputs["sent"] as Values[]).map(row => String(row["at"]));
    await reminders.create({ ...call, preview: true }, { inputs });
    await reminders.delete(call, { id, inputs, outputs: {} });
    const second = await reminders.create(call, { inputs });
    expect(stage.run.lines.map(({ text }) => text)).toEqual(
      ["will remind nobody", "reminded nobody"].map(
        said => `${said} of document ${id}\n  not ${ANA}: was reminded for the same triggers already, ${at}`,
      ),
    );
    expect(sentIn(second.outputs)).toEqual(sentIn(first.outputs));
    expect(second.id).toBe(id);
    expect(remindersTo(stage)).toEqual([ANA]);
  });

  test("what is remembered is on disk before the request, readable by its owner alone, and names nobody", async () => {
    await using stage = await dayOld(ANA);
    const { service, reminders, call, inputs } = stage;
    using held = service.gate("received-body", "remind");
    const done = reminders.create(call, { inputs });
    await held.reached;
    const journal = join(stage.machine.folder, "journal");
    const files = readdirSync(journal, { recursive: true, encoding: "utf8" }).filter(name => name.endsWith(".jsonl"));
    expect(files).toHaveLength(1);
    const path = join(journal, files[0] ?? "");
    const text = readFileSync(path, "utf8");
    expect(JSON.parse(text.trim().split("\n").at(-1) ?? "")).toMatchObject({
      op: "remind",
      rows: [{ outcome: "unknown" }],
    });
    expect(text).not.toContain("ana@");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    held.open();
    await done;
    expect(readFileSync(path, "utf8")).toContain('"op":"reminded"');
  });
});

describe("over gRPC", () => {
  test("Cancel with a reminder under way: it counts as sent, the others wait for the next up", async () => {
    await using stage = await dayOld(ANA, BOB);
    const { service, machine, inputs } = stage;
    await using engine = await plugin(service, machine);
    using held = service.gate("processed", "remind");
    const creating = rejection(engine.create({ urn: urn(REMINDER), inputs: { ...inputs } }), StatusError);
    await held.reached;
    const failed = await within(1_000, async () => {
      await engine.cancel();
      return creating;
    });
    const olds = failed.partial?.outputs.values ?? {};
    expect(sentIn(olds)).toEqual([`${ANA} unknown`]);
    expect(failed.partial?.reasons).toContainEqual(`${BOB} wasn't reminded: cancelled before it was sent`);
    held.open();

    await using next = await plugin(service, machine);
    const id = failed.partial?.id ?? "";
    const diff = await next.diff({ urn: urn(REMINDER), id, olds, oldInputs: { ...inputs }, news: { ...inputs } });
    expect(diff.changes).toBe("none");
    const done = await next.update({ urn: urn(REMINDER), id, olds, oldInputs: { ...inputs }, news: { ...inputs } });
    expect(sentIn(done.values)).toEqual([`${ANA} unknown`, `${BOB} sent`]);
    expect(remindersTo(stage)).toEqual([ANA, BOB]);
  });

  test("a preview and a run whose triggers are secret: no request but one GET, and no trigger in state", async () => {
    const { secret } = await import("../support/engine-client.js");
    await using stage = await dayOld(ANA);
    const { service, machine, id } = stage;
    await using engine = await plugin(service, machine);
    const inputs = { documentId: id, triggers: secret({ pin: "12345" }) };
    await engine.create({ urn: urn(REMINDER), inputs, preview: true });
    expect(service.ledger.requests().map(request => request.operation)).toEqual(["getDocument"]);
    const created = await engine.create({ urn: urn(REMINDER), inputs });
    expect(created.secrets).toContain("round");
    expect(JSON.stringify(created.values)).not.toContain("12345");
  });
});
