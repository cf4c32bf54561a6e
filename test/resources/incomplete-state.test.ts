import { expect, test } from "vitest";
import type { Values } from "../../kit/values.js";
import { gatesIn, remindersIn, setStage, uploaded } from "../gates/support.js";

const ANA = "ana@example.com";

/** As an edited or imported state has it: each property in turn is missing, and of another type. */
const damaged = (outputs: Values): [string, Values][] =>
  Object.keys(outputs).flatMap((name): [string, Values][] => {
    const { [name]: _, ...rest } = outputs;
    return [
      [`without ${name}`, rest],
      [`with another ${name}`, { ...rest, [name]: 5 }],
    ];
  });

test("a reminder whose state lacks something goes on, and reminds nobody again", async () => {
  await using stage = await setStage();
  const { service, run } = stage;
  const id = uploaded(service, ANA);
  service.clock.advance(25 * 3_600_000);
  const reminders = remindersIn(run.runtime.context);
  const call = run.call("weekly", { type: "docsign:index:Reminder" });
  const inputs: Values = { documentId: id };
  const { outputs } = await reminders.create(call, { inputs });
  for (const [, olds] of damaged(outputs)) {
    const existing = { id, olds, oldInputs: inputs, news: inputs };
    await reminders.check(call, { olds: inputs, news: inputs });
    expect(await reminders.diff(call, existing)).toMatchObject({ changes: "none" });
    expect(await reminders.update(call, existing)).toMatchObject({ lastSentAt: expect.anything() });
    expect((await reminders.read(call, { id, inputs, outputs: olds })).id).toBe(id);
  }
  expect(service.ledger.mails("reminder").map(({ to }) => to)).toEqual([ANA]);
});

test("a gate whose state lacks something looks again, and opens for nothing less than it waits for", async () => {
  await using stage = await setStage();
  const { service, run } = stage;
  const id = uploaded(service, ANA);
  const gates = gatesIn(run.runtime.context);
  const call = run.call("signed", { type: "docsign:index:SignatureGate" });
  const inputs: Values = { documentId: id };
  const { outputs } = await gates.create(call, { inputs });
  for (const [, olds] of damaged(outputs)) {
    const existing = { id, olds, oldInputs: inputs, news: inputs };
    await gates.check(call, { olds: inputs, news: inputs });
    await gates.diff(call, existing);
    const { checkedAt: _, ...others } = outputs;
    expect(await gates.update(call, existing)).toMatchObject(others);
    for (const until of ["signed", "everyone", 5])
      expect((await gates.read(call, { id, inputs: { ...inputs, until }, outputs: olds })).outputs).toMatchObject(
        others,
      );
  }
});
