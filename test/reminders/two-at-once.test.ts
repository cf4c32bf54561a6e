import { describe, expect, test } from "vitest";
import type { Values } from "../../kit/values.js";
import { HOUR, REMINDER, remindersIn, uploaded } from "../gates/support.js";
import { type IndependentService, startIndependentService } from "../support/independent-service/index.js";
import { type Run, startMachine } from "../support/machine.js";

const ANA = "ana@example.com";
const BOB = "bob@example.org";

const urnIn = (stack: string, name = "weekly"): string => `urn:pulumi:${stack}::contracts::${REMINDER}::${name}`;

interface Who {
  readonly stack?: string;
  readonly name?: string;
  readonly backend?: string;
}

/** Runs over one journal, and a document of yesterday. */
async function scene() {
  const service = await startIndependentService();
  const machine = startMachine();
  const id = uploaded(service, ANA, BOB);
  service.clock.advance(25 * HOUR);
  const runs: Run[] = [];
  return {
    service,
    inputs: { documentId: id, triggers: 1 } as Values,
    /** A run with a process of its own, that reminds. */
    run({ stack = "test", name, backend }: Who = {}) {
      const env = backend === undefined ? {} : { PULUMI_BACKEND_URL: backend };
      const run = machine.run({ baseUrl: service.url, apiKey: service.apiKey }, { env });
      runs.push(run);
      const call = run.call("", { urn: urnIn(stack, name), preview: false });
      const reminder = remindersIn(run.runtime.context);
      return { run, up: async (inputs: Values) => (await reminder.create(call, { inputs })).outputs };
    },
    async [Symbol.asyncDispose]() {
      for (const run of runs) await run.kill();
      machine[Symbol.dispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

const remindersTo = (service: IndependentService): string[] =>
  service.ledger
    .mails("reminder")
    .map(({ to }) => to)
    .sort();

const peopleIn = (outputs: Values, list: "sent" | "skipped"): unknown[] =>
  (outputs[list] as Values[]).map(({ email }) => email);

const PAIRS: [string, Who, Who][] = [
  ["one stack on two machines", {}, {}],
  ["two back ends of one stack", { backend: "file:///a" }, { backend: "file:///b" }],
  ["two stacks", { stack: "dev" }, { stack: "prod" }],
  ["two Reminders of one program", { name: "one" }, { name: "other" }],
];

describe.each(PAIRS)("%s", (_, first, second) => {
  test("that have both decided: everybody is reminded once", async () => {
    await using stage = await scene();
    const { service, inputs } = stage;
    const read = service.gate("processed", "getDocument");
    const early = stage.run(first).up(inputs);
    await read.reached;
    const late = await stage.run(second).up(inputs);
    read.open();
    await early;
    expect(peopleIn(late, "sent")).toEqual([ANA, BOB]);
    expect(remindersTo(service)).toEqual([ANA, BOB]);
  });

  test("of which one's request is on its way: the other sends none", async () => {
    await using stage = await scene();
    const { service, inputs } = stage;
    const underWay = service.gate("received-body", "remind");
    const early = stage.run(first).up(inputs);
    await underWay.reached;
    await stage.run(second).up(inputs);
    underWay.open();
    await early;
    expect(remindersTo(service)).toEqual([ANA, BOB]);
  });
});

test("whom another stack has reminded is skipped for the same triggers, and says by whom", async () => {
  await using stage = await scene();
  await stage.run({ stack: "dev" }).up(stage.inputs);
  stage.service.clock.advance(25 * HOUR);
  const outputs = await stage.run({ stack: "prod" }).up({ ...stage.inputs, signers: [ANA] });
  expect(outputs["sent"]).toEqual([]);
  expect(outputs["skipped"]).toMatchObject([
    { email: ANA, reason: expect.stringContaining(`was reminded for the same triggers by ${urnIn("dev")}, `) },
  ]);
  expect(remindersTo(stage.service)).toEqual([ANA, BOB]);
});

test("other triggers of another stack remind after `minInterval`, counted from whoever reminded last", async () => {
  await using stage = await scene();
  const { service, inputs } = stage;
  await stage.run({ stack: "dev" }).up(inputs);
  const next: Values = { ...inputs, triggers: 2, signers: [ANA] };
  const soon = await stage.run({ stack: "prod" }).up(next);
  expect((soon["skipped"] as Values[])[0]?.["reason"]).toContain("was reminded less than 24h ago");
  service.clock.advance(25 * HOUR);
  await stage.run({ stack: "prod" }).up(next);
  expect(remindersTo(service)).toEqual([ANA, ANA, BOB]);
});

test("triggers that take a value on again remind again", async () => {
  await using stage = await scene();
  const { service, inputs } = stage;
  for (const triggers of [1, 2, 1]) {
    await stage.run().up({ ...inputs, triggers, signers: [ANA] });
    service.clock.advance(25 * HOUR);
  }
  expect(remindersTo(service)).toEqual([ANA, ANA, ANA]);
});

test("what one run couldn't send holds back no other", async () => {
  await using stage = await scene();
  const { service, inputs } = stage;
  service.faults.push({ kind: "status", when: "before", status: 422 }, { operation: "remind", method: "POST" });
  service.faults.push({ kind: "status", when: "before", status: 405 }, { operation: "remind", method: "GET" });
  await expect(stage.run({ stack: "dev" }).up({ ...inputs, signers: [ANA] })).rejects.toThrow();
  await stage.run({ stack: "prod" }).up({ ...inputs, signers: [ANA] });
  expect(remindersTo(service)).toEqual([ANA]);
});
