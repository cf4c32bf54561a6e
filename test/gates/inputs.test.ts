import { describe, expect, test } from "vitest";
import { UNKNOWN, type Values } from "../../kit/values.js";
import { UserError } from "../../provider/resources/resource.js";
import { GATE, gate, gatesIn, rejection, setStage, uploaded } from "./support.js";

const ANA = "ana@example.com";
const BOB = "bob@example.org";

describe("changes", () => {
  const of = async (before: Values, after: Values) => {
    await using stage = await setStage();
    const gates = gatesIn(stage.run.runtime.context);
    const call = stage.run.call("gate", { type: GATE });
    return gates.diff(call, { olds: { satisfied: true }, oldInputs: before, news: after });
  };

  test.each([
    ["a default written out", gate("7"), gate("7", { until: "signed", mode: "observe", pollInterval: "10s" })],
    [
      "addresses in another case and order",
      gate("7", { signers: [ANA, BOB] }),
      gate("7", { signers: [BOB, "ANA@example.com"] }),
    ],
    ["a duration in another unit", gate("7", { pollInterval: "60s" }), gate("7", { pollInterval: "1m" })],
  ])("%s is none", async (_, before, after) => {
    expect((await of(before, after)).changes).toBe("none");
  });

  test.each([
    ["another document", gate("8"), { documentId: "update-replace" }],
    ["a document not known yet", { documentId: UNKNOWN }, { documentId: "update-replace" }],
    ["another condition", gate("7", { until: "all" }), { until: "add" }],
    ["fewer signers", gate("7", { signers: [ANA] }), { signers: "add" }],
  ])("%s", async (_, after, detailed) => {
    expect((await of(gate("7"), after as Values)).detailed).toEqual(detailed);
  });

  test("a satisfied gate that is to wait for more looks again, in place", async () => {
    await using stage = await setStage();
    const { run, service } = stage;
    const gates = gatesIn(run.runtime.context);
    const call = run.call("gate", { type: GATE });
    const id = uploaded(service, ANA);
    service.people.signAll(id);
    const { outputs } = await gates.create(call, { inputs: gate(id) });
    const news = gate(id, { until: "nom151" });
    expect((await gates.update(call, { id, olds: outputs, oldInputs: gate(id), news }))["satisfied"]).toBe(false);
  });

  test("a document of another service is not asked about", async () => {
    await using stage = await setStage();
    const { run, service } = stage;
    const gates = gatesIn(run.runtime.context);
    const olds = { documentId: "7", satisfied: false, service: "https://elsewhere.example" };
    const args = { id: "7", olds, oldInputs: gate("7"), news: gate("7") };
    const error = await rejection(gates.update(run.call("gate", { type: GATE }), args), UserError);
    expect(error.message).toContain("document 7 lives at https://elsewhere.example");
    expect(service.ledger.requests()).toHaveLength(0);
  });
});

test("checks name every wrong input with its path", async () => {
  await using stage = await setStage();
  const gates = gatesIn(stage.run.runtime.context);
  const call = stage.run.call("gate", { type: GATE });
  const { failures } = await gates.check(call, {
    news: { documentId: "0x1", until: "tomorrow", mode: "hope", signers: [ANA, "bob"], pollInterval: "100ms" },
  });
  expect(failures.map(failure => failure.property)).toEqual([
    "documentId",
    "until",
    "mode",
    "signers[1]",
    "pollInterval",
  ]);
  const none = await gates.check(call, { news: gate("7", { signers: [] }) });
  expect(none.failures.map(failure => failure.reason)).toEqual([
    "signers: expected at least one address (left out, everyone's signature counts), got an empty list",
  ]);
  expect((await gates.check(call, { news: { documentId: 4711 } })).inputs).toEqual({ documentId: "4711" });
  const unknowns: Values = { documentId: UNKNOWN, signers: [UNKNOWN, ANA], pollInterval: UNKNOWN };
  expect((await gates.check(call, { news: unknowns })).failures).toEqual([]);
});
