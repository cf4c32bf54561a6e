import { describe, expect, test } from "vitest";
import { UNKNOWN, type Values } from "../../kit/values.js";
import { UserError } from "../../provider/resources/resource.js";
import { GATE, gate, gatesIn, HOUR, rejection, setStage, uploaded } from "./support.js";

const ANA = "ana@example.com";
const DAY = 24 * HOUR;

/** A gate that waits for the end of a contract, two days after now by the service's clock. */
async function ending(more: Values = {}) {
  const stage = await setStage();
  const id = uploaded(stage.service, ANA);
  const last = new Date(stage.service.clock.now() + 2 * DAY).toISOString().slice(0, 10);
  const inputs = gate(id, { until: "expiresAt", expiresAt: last, ...more });
  const gates = gatesIn(stage.run.runtime.context);
  return Object.assign(stage, { id, last, inputs, gates, call: stage.run.call("gate", { type: GATE }) });
}

describe("a gate that waits for a contract's end", () => {
  test("is closed up to its last day's end by the service's clock, and open from then on, whoever has signed", async () => {
    await using stage = await ending();
    const { outputs } = await stage.gates.create(stage.call, { inputs: stage.inputs });
    expect(outputs).toMatchObject({ satisfied: false, opensAt: expect.stringMatching(/:59\.999Z$/) });
    expect(outputs["missing"]).toEqual([`its end at ${String(outputs["opensAt"])}`]);
    stage.service.clock.advance(4 * DAY);
    const args = { id: stage.id, olds: outputs, oldInputs: stage.inputs, news: stage.inputs };
    expect(await stage.gates.update(stage.call, args)).toMatchObject({ satisfied: true, missing: [] });
  });

  test("opens sooner by the time that a renewal needs", async () => {
    await using stage = await ending({ renewBefore: "10d" });
    const { outputs } = await stage.gates.create(stage.call, { inputs: stage.inputs });
    expect(outputs["satisfied"]).toBe(true);
  });

  test("with require, fails until then and says when that is", async () => {
    await using stage = await ending({ mode: "require" });
    const { message } = await rejection(stage.gates.create(stage.call, { inputs: stage.inputs }), UserError);
    expect(message).toMatch(/waits for its end at .*Z, and the gate requires it/);
  });

  test("counts the signatures of `signers` too", async () => {
    await using stage = await ending({ renewBefore: "10d", signers: [ANA] });
    const { outputs } = await stage.gates.create(stage.call, { inputs: stage.inputs });
    expect(outputs).toMatchObject({ satisfied: false, pendingSigners: [ANA] });
  });

  test("closes again where the program gives a later end", async () => {
    await using stage = await ending({ renewBefore: "10d" });
    const { outputs } = await stage.gates.create(stage.call, { inputs: stage.inputs });
    const news = { ...stage.inputs, expiresAt: "2999-01-01" };
    const args = { id: stage.id, olds: outputs, oldInputs: stage.inputs, news };
    expect(await stage.gates.update(stage.call, args)).toMatchObject({ satisfied: false });
  });

  test.each([
    [{ until: "expiresAt" }, "expiresAt: expected the contract's last day beside `until: expiresAt`, got none"],
    [{ expiresAt: "2027-03-01" }, "expiresAt: expected `until: expiresAt` beside it, got another"],
    [{ until: "all", renewBefore: "30d" }, "renewBefore: expected `until: expiresAt` beside it, got another"],
    [
      { until: "expiresAt", expiresAt: "2027-03-01", documentId: null, documentIds: ["7"] },
      "documentId: expected one document beside `until: expiresAt`, got `documentIds`",
    ],
  ])("%j is refused", async (more, reason) => {
    await using stage = await setStage();
    const gates = gatesIn(stage.run.runtime.context);
    const { failures } = await gates.check(stage.run.call("gate", { type: GATE }), { news: gate("7", more) });
    expect(failures.map(failure => failure.reason)).toEqual([reason]);
  });

  test("takes an end that isn't known yet", async () => {
    await using stage = await setStage();
    const gates = gatesIn(stage.run.runtime.context);
    const news = gate("7", { until: "expiresAt", expiresAt: UNKNOWN });
    expect((await gates.check(stage.run.call("gate", { type: GATE }), { news })).failures).toEqual([]);
  });
});
