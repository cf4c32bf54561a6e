import { describe, expect, test } from "vitest";
import { NotFoundError, UnauthorizedError } from "../../provider/client/errors.js";
import { PartialFailure, UserError } from "../../provider/resources/resource.js";
import { pauseMs } from "../../provider/resources/signature-gate/signature-gate.js";
import { within } from "../support/calibration.js";
import { StatusError } from "../support/engine-client.js";
import { GATE, gate, gatesIn, plugin, rejection, setStage, textsOf, uploaded, urn } from "./support.js";

const ANA = "ana@example.com";
const BOB = "bob@example.org";

describe("pauses", () => {
  test("are the interval at first, then a tenth of the quiet time, up to five minutes", () => {
    const pauses = [0, 100, 200, 600, 3_000, 86_400].map(seconds => pauseMs(10_000, seconds * 1000) / 1000);
    expect(pauses).toEqual([10, 10, 20, 60, 300, 300]);
  });
  test("an interval longer than five minutes is kept", () => {
    expect([0, 7_200_000, 86_400_000].map(quiet => pauseMs(1_800_000, quiet))).toEqual(Array(3).fill(1_800_000));
  });
});

describe("wait", () => {
  test("asks until the last one has signed, and says who is missing when that changes", async () => {
    await using stage = await setStage();
    const { run, service } = stage;
    const gates = gatesIn(run.runtime.context);
    const id = uploaded(service, ANA, BOB);
    let polls = 0;
    service.faults.otherwise(() => {
      polls++;
      if (polls === 4) service.people.sign(id, BOB);
      if (polls === 6) service.people.sign(id, ANA);
      return undefined;
    });
    const { outputs } = await gates.create(run.call("gate", { type: GATE }), { inputs: gate(id, { mode: "wait" }) });
    expect(outputs["satisfied"]).toBe(true);
    expect(service.ledger.requests()).toHaveLength(6);
    expect(service.ledger.requests().every(({ operation }) => operation === "getDocument")).toBe(true);
    expect(run.lines).toEqual([
      { severity: "progress", text: `waiting for ${ANA}, ${BOB} to sign (0 of 2 signed); asks about every 10s` },
      { severity: "progress", text: `waiting for ${ANA} to sign (1 of 2 signed); asks about every 10s` },
    ]);
  });

  test("asks quickly again after each signature, and says how often it asks", async () => {
    await using stage = await setStage();
    const { run, service } = stage;
    const gates = gatesIn(run.runtime.context);
    const { clock } = run.runtime.context;
    const id = uploaded(service, ANA, BOB);
    const asked: number[] = [];
    service.faults.otherwise(() => {
      asked.push(clock.now());
      if (asked.length === 60) service.people.sign(id, BOB);
      if (asked.length === 63) service.people.sign(id, ANA);
      return undefined;
    });
    await gates.create(run.call("gate", { type: GATE }), { inputs: gate(id, { mode: "wait" }) });
    const pauses = asked.slice(1).map((at, index) => Math.round((at - (asked[index] ?? 0)) / 1000));
    expect([pauses[0], pauses[58], ...pauses.slice(59)]).toEqual([10, 300, 10, 10, 10]);
    const texts = textsOf(run).filter(text => !/ \(for \d+ min\)$/.test(text));
    const both = `waiting for ${ANA}, ${BOB} to sign (0 of 2 signed); asks about every`;
    expect(texts).toEqual([
      ...["10s", "30s", "1m", "2m", "5m"].map(pause => `${both} ${pause}`),
      `waiting for ${ANA} to sign (1 of 2 signed); asks about every 10s`,
    ]);
  });

  test("a day costs some three hundred questions, and its time-out says who is missing", async () => {
    await using stage = await setStage();
    const { run, service } = stage;
    const gates = gatesIn(run.runtime.context);
    const call = run.call("gate", { type: GATE });
    const id = uploaded(service, ANA, BOB);
    const inputs = gate(id, { mode: "wait" });
    const failure = await rejection(gates.create(call, { inputs }), PartialFailure);
    expect(failure.reasons[0]).toBe(
      `document ${id} waits for ${ANA}, ${BOB} to sign (0 of 2 signed), and the 24h to wait for it are over. Longer: the resource option customTimeouts.`,
    );
    expect(failure).toMatchObject({ id, inputs, outputs: { satisfied: false, pendingSigners: [ANA, BOB] } });
    expect(service.ledger.requests().length).toBeGreaterThan(280);
    expect(service.ledger.requests().length).toBeLessThan(360);
    const repeated = run.lines.filter(line => / \(for \d+ min\)$/.test(line.text));
    expect(repeated.length).toBeGreaterThan(90);
    expect(repeated.length).toBeLessThan(150);

    const count = service.ledger.requests().length;
    service.people.signAll(id);
    const resumed = await gates.update(call, { id, olds: failure.outputs, oldInputs: inputs, news: inputs });
    expect(resumed["satisfied"]).toBe(true);
    expect(service.ledger.requests()).toHaveLength(count + 1);
  });

  test("customTimeouts set how long", async () => {
    await using stage = await setStage();
    const { run, service } = stage;
    const gates = gatesIn(run.runtime.context);
    const id = uploaded(service, ANA);
    const call = run.call("gate", { type: GATE, timeoutMs: 90_000 });
    const failure = await rejection(gates.create(call, { inputs: gate(id, { mode: "wait" }) }), PartialFailure);
    expect(failure.message).toContain("and the 1m30s to wait for it are over");
    // Every ten seconds, the first and the last included.
    expect(service.ledger.requests()).toHaveLength(10);
  });

  test("an outage is waited out; one that lasts ends the wait and keeps the gate", async () => {
    await using stage = await setStage();
    const { run, service } = stage;
    const gates = gatesIn(run.runtime.context);
    const call = run.call("gate", { type: GATE });
    const id = uploaded(service, ANA);
    // Five attempts of the client make one question.
    service.faults.push({ kind: "status", when: "before", status: 503 }, "getDocument", { skip: 1, times: 15 });
    service.faults.otherwise(request => {
      if (request.number === 17) service.people.signAll(id);
      return undefined;
    });
    const { outputs } = await gates.create(call, { inputs: gate(id, { mode: "wait" }) });
    expect(outputs["satisfied"]).toBe(true);

    const other = uploaded(service, BOB);
    service.faults.clear();
    service.faults.push({ kind: "status", when: "before", status: 503 }, "getDocument", { skip: 1, times: 1000 });
    const failure = await rejection(gates.create(call, { inputs: gate(other, { mode: "wait" }) }), PartialFailure);
    expect(failure.id).toBe(other);
    expect(failure.message).toContain("503");
  });

  test.each([401, 403, 404])("%i ends the wait at once", async status => {
    await using stage = await setStage();
    const { run, service } = stage;
    const gates = gatesIn(run.runtime.context);
    const id = uploaded(service, ANA);
    service.faults.push({ kind: "status", when: "before", status }, "getDocument", { skip: 2, times: 1000 });
    const call = run.call("gate", { type: GATE });
    const failure = await rejection(gates.create(call, { inputs: gate(id, { mode: "wait" }) }), PartialFailure);
    expect(failure.message).toContain(String(status));
    expect(service.ledger.requests()).toHaveLength(3);
  });

  test("a document or key that was never right is a plain error, and nothing is kept", async () => {
    await using stage = await setStage();
    const { run, service } = stage;
    const gates = gatesIn(run.runtime.context);
    const call = run.call("gate", { type: GATE });
    const id = uploaded(service, ANA);
    await rejection(gates.create(call, { inputs: gate("12345", { mode: "wait" }) }), NotFoundError);
    service.people.rotateKey("first", "another key");
    await rejection(gates.create(call, { inputs: gate(id, { mode: "wait" }) }), UnauthorizedError);
  });

  test("a document just created that isn't shown yet is waited for a moment", async () => {
    await using stage = await setStage();
    const { run, service } = stage;
    const gates = gatesIn(run.runtime.context);
    const id = uploaded(service, ANA);
    service.faults.push({ kind: "status", when: "before", status: 404 }, "getDocument", { times: 3 });
    const created = await gates.create(run.call("gate", { type: GATE }), { inputs: gate(id) });
    expect(created.outputs["satisfied"]).toBe(false);
  });
});

describe("require", () => {
  test("fails with who is missing and keeps nothing; the next up looks again", async () => {
    await using stage = await setStage();
    const { run, service } = stage;
    const gates = gatesIn(run.runtime.context);
    const call = run.call("gate", { type: GATE });
    const id = uploaded(service, ANA, BOB);
    service.people.sign(id, ANA);
    const inputs = gate(id, { mode: "require" });
    const error = await rejection(gates.create(call, { inputs }), UserError);
    expect(error.message).toContain(
      `document ${id} waits for ${BOB} to sign (1 of 2 signed), and the gate requires it`,
    );
    expect(service.ledger.requests()).toHaveLength(1);
    service.people.sign(id, BOB);
    expect((await gates.create(call, { inputs })).outputs["satisfied"]).toBe(true);
  });
});

describe("over gRPC", () => {
  test("Cancel ends a wait within a second; state keeps the gate, and the next up goes on", async () => {
    await using stage = await setStage();
    const { service, machine } = stage;
    const id = uploaded(service, ANA);
    await using engine = await plugin(service, machine);
    const inputs = gate(id, { mode: "wait" });
    const seen = service.ledger.whenSeen("getDocument", { stage: "over" });
    const created = rejection(engine.create({ urn: urn(GATE), inputs }), StatusError);
    await seen;
    while (!engine.log.some(line => line.ephemeral)) await new Promise(setImmediate);
    const failed = await within(1_000, async () => {
      await engine.cancel();
      return created;
    });
    expect(failed.partial).toMatchObject({
      id,
      inputs: { values: inputs },
      reasons: [`cancelled while document ${id} waits for ${ANA} to sign.`, expect.stringContaining("goes on waiting")],
    });

    await using next = await plugin(service, machine);
    const olds = failed.partial?.outputs.values ?? {};
    await next.check({ urn: urn(GATE), olds: inputs, news: inputs });
    const diff = await next.diff({ urn: urn(GATE), id, olds, oldInputs: inputs, news: inputs });
    expect(diff).toMatchObject({ changes: "some", diffs: ["satisfied"], replaces: [] });
    service.people.signAll(id);
    const updated = await next.update({ urn: urn(GATE), id, olds, oldInputs: inputs, news: inputs });
    expect(updated.values).toMatchObject({ satisfied: true, pendingSigners: [] });
    await next.delete({ urn: urn(GATE), id, outputs: updated.values, inputs });
    expect(next.log.filter(line => line.severity === "warning")).toEqual([]);
  });

  test("Cancel ends a question under way as well", async () => {
    await using stage = await setStage();
    const { service, machine } = stage;
    const id = uploaded(service, ANA);
    await using engine = await plugin(service, machine);
    using held = service.gate("received-body", "getDocument");
    const created = rejection(engine.create({ urn: urn(GATE), inputs: gate(id, { mode: "wait" }) }), StatusError);
    await held.reached;
    const failed = await within(1_000, async () => {
      await engine.cancel();
      return created;
    });
    expect(failed.code).toBe("CANCELLED");
  });

  test("secret signers are named nowhere", async () => {
    const { secret } = await import("../support/engine-client.js");
    await using stage = await setStage();
    const { service, machine } = stage;
    const id = uploaded(service, ANA, BOB);
    await using engine = await plugin(service, machine);
    const inputs = { documentId: id, signers: secret([ANA]) };
    const created = await engine.create({ urn: urn(GATE), inputs });
    expect(created.secrets).toContain("pendingSigners");
    expect(engine.log.map(line => line.message)).toEqual([`document ${id} waits for 1 person to sign`]);
  });
});
