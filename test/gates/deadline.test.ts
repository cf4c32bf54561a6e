import { describe, expect, test } from "vitest";
import type { Values } from "../../kit/values.js";
import { PartialFailure, UserError } from "../../provider/resources/resource.js";
import { deadlineOf } from "../../provider/resources/signature-gate/declaration.js";
import { GATE, gate, gatesIn, HOUR, rejection, setStage, textsOf, uploaded } from "./support.js";

const ANA = "ana@example.com";
const BOB = "bob@example.org";

const document = { id: "7", createdAt: "2027-01-31T18:00:00.000-06:00" };

test.each([
  ["a date, to its end at the service's offset", "2027-03-01", "2027-03-02T05:59:59.999Z"],
  ["a moment", "2027-03-01T12:00:00+01:00", "2027-03-01T11:00:00.000Z"],
  ["a time after creation", "30d", "2027-03-03T00:00:00.000Z"],
])("a deadline is %s", (_, given, moment) => {
  expect(new Date(deadlineOf(given, document) ?? 0).toISOString()).toBe(moment);
});

test("a time after creation needs the time of creation, a date doesn't", () => {
  expect(() => deadlineOf("30d", { id: "7", createdAt: null })).toThrow(UserError);
  expect(deadlineOf("2027-03-01", { id: "7", createdAt: null })).toBe(Date.parse("2027-03-01T23:59:59.999Z"));
  expect(deadlineOf(undefined, document)).toBeUndefined();
});

test.each(["2027-02-30", "tomorrow", "", "30", "0d", "2027-03-01T12:00:00", 30])("%j is no deadline", async given => {
  await using stage = await setStage();
  const gates = gatesIn(stage.run.runtime.context);
  const { failures } = await gates.check(stage.run.call("gate", { type: GATE }), {
    news: gate("7", { deadline: given }),
  });
  expect(failures.map(({ property }) => property)).toEqual(["deadline"]);
});

async function dayLate(more: Values) {
  const stage = await setStage();
  const id = uploaded(stage.service, ANA, BOB);
  stage.service.people.sign(id, ANA);
  const inputs = gate(id, { deadline: "24h", ...more });
  const gates = gatesIn(stage.run.runtime.context);
  return Object.assign(stage, { id, inputs, gates, call: stage.run.call("gate", { type: GATE }) });
}

describe("past its deadline", () => {
  const LATE = /still waits for bob@example.org to sign \(1 of 2 signed\), and the deadline has passed: .*Z\./;

  test.each(["wait", "require"])("%s fails at once, names who is late, and waits no longer", async mode => {
    await using stage = await dayLate({ mode });
    stage.service.clock.advance(25 * HOUR);
    const error = await rejection(stage.gates.create(stage.call, { inputs: stage.inputs }), UserError);
    expect(error.message).toMatch(LATE);
    expect(stage.service.ledger.requests("getDocument")).toHaveLength(1);
  });

  test("observe warns, and says what it waits for", async () => {
    await using stage = await dayLate({ mode: "observe" });
    stage.service.clock.advance(25 * HOUR);
    const { outputs } = await stage.gates.create(stage.call, { inputs: stage.inputs });
    expect(outputs).toMatchObject({ satisfied: false, missing: [`${BOB} to sign (1 of 2 signed)`] });
    expect(textsOf(stage.run).at(-1)).toMatch(LATE);
  });

  test("what was signed after it doesn't satisfy it, and a later deadline does", async () => {
    await using stage = await dayLate({ mode: "require" });
    const { service, gates, call, inputs, id } = stage;
    service.clock.advance(25 * HOUR);
    service.people.sign(id, BOB);
    expect((await rejection(gates.create(call, { inputs }), UserError)).message).toContain("signatures by ");
    const { outputs } = await gates.create(call, { inputs: { ...inputs, deadline: "2d" } });
    expect(outputs).toMatchObject({ satisfied: true, missing: [], deadlineAt: expect.any(String) });
  });

  test("a gate that was satisfied in time stays so", async () => {
    await using stage = await dayLate({ mode: "require" });
    const { service, gates, call, inputs, id } = stage;
    service.people.sign(id, BOB);
    const { outputs } = await gates.create(call, { inputs });
    service.clock.advance(100 * HOUR);
    expect(await gates.update(call, { id, olds: outputs, oldInputs: inputs, news: inputs })).toEqual(outputs);
    expect((await gates.read(call, { id, inputs, outputs })).outputs["satisfied"]).toBe(true);
  });
});

test("wait ends at the deadline, before its time-out", async () => {
  await using stage = await dayLate({ mode: "wait", deadline: "1h" });
  const { run, gates, inputs, service } = stage;
  service.faults.otherwise(() => {
    service.clock.advance(HOUR / 4);
    return undefined;
  });
  const failure = await rejection(gates.create(stage.call, { inputs }), PartialFailure);
  expect(failure.reasons).toEqual([expect.stringContaining("the deadline has passed")]);
  expect(textsOf(run).some(text => text.includes("waiting for bob@example.org"))).toBe(true);
});
