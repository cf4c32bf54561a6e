import { describe, expect, test } from "vitest";
import { UNKNOWN, type Values } from "../../kit/values.js";
import { UserError } from "../../provider/resources/resource.js";
import { GATE, gatesIn, HOUR, rejection, setStage, textsOf, uploaded } from "./support.js";

const ANA = "ana@example.com";
const BOB = "bob@example.org";

async function three() {
  const stage = await setStage();
  const gates = gatesIn(stage.run.runtime.context);
  const ids = [ANA, BOB, ANA].map(email => uploaded(stage.service, email));
  const [first = "", second = "", third = ""] = ids;
  const read = (): string[] =>
    stage.service.ledger.requests("getDocument").map(({ path }) => path.split("/").at(-1) ?? "");
  return Object.assign(stage, { gates, ids, first, second, third, read, call: stage.run.call("gate", { type: GATE }) });
}

describe("a gate in front of several documents", () => {
  test("is satisfied once all have signed, and doesn't read again what is signed", async () => {
    await using stage = await three();
    const { gates, call, ids, first, second, third, service, read } = stage;
    const inputs: Values = { documentIds: ids };
    service.people.signAll(second);
    const { id, outputs } = await gates.create(call, { inputs });
    expect(id).toMatch(/^documents-[0-9a-f]{16}$/);
    expect(outputs).toMatchObject({
      satisfied: false,
      satisfiedIds: [second],
      pendingSigners: [ANA],
      missing: [`document ${first}: ${ANA} to sign`, `document ${third}: ${ANA} to sign`],
    });
    expect(outputs).not.toHaveProperty("documentId");
    expect(read().sort()).toEqual([...ids].sort());
    expect(textsOf(stage.run).at(-1)).toBe(
      `the gate waits for 2 of 3 documents: document ${first}: ${ANA} to sign; document ${third}: ${ANA} to sign`,
    );

    service.people.signAll(first);
    const half = await gates.update(call, { id, olds: outputs, oldInputs: inputs, news: inputs });
    expect(half["satisfiedIds"]).toEqual([second, first]);
    expect(read().slice(3).sort()).toEqual([first, third].sort());

    service.people.signAll(third);
    const whole = await gates.update(call, { id, olds: half, oldInputs: inputs, news: inputs });
    expect(whole).toMatchObject({ satisfied: true, pendingSigners: [], missing: [] });
    expect(read().slice(5)).toEqual([third]);
    expect((await gates.read(call, { id, inputs, outputs: whole })).outputs).toEqual(whole);
    expect(read()).toHaveLength(6);
  });

  test("names the first few of many in its message, and all of them in `missing`", async () => {
    await using stage = await three();
    const { gates, call, ids, service } = stage;
    const all = [...ids, ...Array.from({ length: 9 }, () => uploaded(service, ANA))];
    const { outputs } = await gates.create(call, { inputs: { documentIds: all } });
    expect(outputs["missing"]).toHaveLength(12);
    const text = textsOf(stage.run).at(-1) ?? "";
    expect(text).toMatch(/^the gate waits for 12 of 12 documents: (document \d+: \S+ to sign; ){3}and 9 more$/);
  });

  test("is satisfied once `minimum` of them have signed", async () => {
    await using stage = await three();
    const { gates, call, ids, first, second, service } = stage;
    const inputs: Values = { documentIds: ids, minimum: 2, mode: "require" };
    service.people.signAll(first);
    const error = await rejection(gates.create(call, { inputs }), UserError);
    expect(error.message).toContain("the gate waits for 1 more of 3 documents: ");
    service.people.signAll(second);
    expect((await gates.create(call, { inputs })).outputs).toMatchObject({
      satisfied: true,
      satisfiedIds: [first, second],
    });
  });

  test("waits for all of them, and asks only for those that are open", async () => {
    await using stage = await three();
    const { gates, call, ids, first, second, third, service, read } = stage;
    service.people.signAll(first);
    let polls = 0;
    service.faults.otherwise(() => {
      if (++polls === 5) service.people.signAll(second);
      if (polls === 7) service.people.signAll(third);
      return undefined;
    });
    const { outputs } = await gates.create(call, { inputs: { documentIds: ids, mode: "wait" } });
    expect(outputs["satisfied"]).toBe(true);
    expect(read().filter(id => id === first)).toHaveLength(1);
    expect(read().length).toBeLessThan(9);
  });

  test("looks at another list in place, and keeps what is signed", async () => {
    await using stage = await three();
    const { gates, call, ids, first, second, third, service, read } = stage;
    const before: Values = { documentIds: [first, second] };
    service.people.signAll(first);
    service.people.signAll(second);
    const { id, outputs } = await gates.create(call, { inputs: before });
    const news: Values = { documentIds: ids };
    const args = { id, olds: outputs, oldInputs: before, news };
    expect((await gates.diff(call, args)).detailed).toEqual({ documentIds: "update" });
    const more = await gates.update(call, args);
    expect(more).toMatchObject({ satisfied: false, satisfiedIds: [first, second] });
    expect(read().slice(2)).toEqual([third]);
    const same = {
      id,
      olds: { satisfied: true },
      oldInputs: news,
      news: { documentIds: [third, first, second, first] },
    };
    await gates.check(call, { news });
    expect((await gates.diff(call, same)).changes).toBe("none");
  });

  test("fails for good once too few can be signed in time", async () => {
    await using stage = await three();
    const { gates, call, ids, first, service } = stage;
    service.people.signAll(first);
    const inputs: Values = { documentIds: ids, minimum: 2, deadline: "2h", mode: "wait" };
    service.clock.advance(3 * HOUR);
    const error = await rejection(gates.create(call, { inputs }), UserError);
    expect(error.message).toMatch(/^the gate still waits for 1 more of 3 documents: .*, and the deadline has passed: /);
  });
});

test("checks want one of documentId and documentIds, and a minimum that can be reached", async () => {
  await using stage = await three();
  const { gates, call } = stage;
  const reasons = async (news: Values) => (await gates.check(call, { news })).failures.map(({ reason }) => reason);
  expect(await reasons({})).toEqual(["documentId: expected either documentId or documentIds, got neither"]);
  expect(await reasons({ documentId: "1", documentIds: ["2"] })).toEqual([
    "documentId: expected either documentId or documentIds, got both",
  ]);
  expect(await reasons({ documentIds: ["1", "2"], minimum: 3 })).toEqual([
    "minimum: expected 2 at most, as many as documentIds, got 3",
  ]);
  expect(await reasons({ documentId: "1", minimum: 1 })).toEqual(["minimum: expected documentIds beside it, got none"]);
  expect(await reasons({ documentIds: [] })).toHaveLength(1);
  expect(await reasons({ documentIds: UNKNOWN, minimum: 3 })).toEqual([]);
  const { inputs } = await gates.check(call, { news: { documentIds: [7, "8"] } });
  expect(inputs).toEqual({ documentIds: ["7", "8"] });
});

test("an id twice in documentIds counts once, for `minimum` as well", async () => {
  await using stage = await three();
  const { gates, call, first, second, service } = stage;
  const inputs: Values = { documentIds: [first, first, second], minimum: 2 };
  service.people.signAll(first);
  expect((await gates.create(call, { inputs })).outputs).toMatchObject({ satisfied: false, satisfiedIds: [first] });
  const { failures } = await gates.check(call, { news: { documentIds: [first, first], minimum: 2 } });
  expect(failures.map(({ reason }) => reason)).toEqual(["minimum: expected 1 at most, as many as documentIds, got 2"]);
});

describe("a document that can't be read", () => {
  test.each([[500], [404]])("with %i: the gate stays open, says which, and looks at the others", async status => {
    await using stage = await three();
    const { gates, call, ids, first, second, third, service, run } = stage;
    for (const id of [first, third]) service.people.signAll(id);
    const broken = { kind: "status", when: "before", status } as const;
    service.faults.otherwise(({ path }) => (path.endsWith(`/${second}`) ? broken : undefined));
    const { outputs } = await gates.create(call, { inputs: { documentIds: ids } });
    expect(outputs).toMatchObject({ satisfied: false });
    expect((outputs["satisfiedIds"] as string[]).toSorted()).toEqual([first, third].toSorted());
    expect(textsOf(run).join("\n")).toContain(`1 of 3 documents couldn't be read:\n  document ${second}: `);
    expect(textsOf(run).at(-1)).toContain(`the gate waits for 1 of 3 documents: document ${second}: an answer of`);
    const refreshed = await gates.read(call, { id: "documents-1", inputs: { documentIds: ids }, outputs });
    expect(refreshed.outputs).toMatchObject({ satisfied: false });
    // Enough of the others have signed.
    const enough = await gates.create(call, { inputs: { documentIds: ids, minimum: 2 } });
    expect(enough.outputs).toMatchObject({ satisfied: true });
  });

  test("where none can be read, the gate fails", async () => {
    await using stage = await three();
    const { gates, call, ids, service } = stage;
    service.faults.otherwise(() => ({ kind: "status", when: "before", status: 401 }));
    await expect(gates.create(call, { inputs: { documentIds: ids } })).rejects.toThrow();
  });
});
