import { expect, test } from "vitest";
import { UserError } from "../../provider/resources/resource.js";
import { REMINDER, rejection, remindersIn, setStage } from "../gates/support.js";

const ANA = "ana@example.com";

test("a document of another service reminds nobody", async () => {
  await using stage = await setStage();
  const reminders = remindersIn(stage.run.runtime.context);
  const olds = { documentId: "7", service: "https://elsewhere.example" };
  const args = { id: "7", olds, oldInputs: { documentId: "7" }, news: { documentId: "7", triggers: 2 } };
  await rejection(reminders.update(stage.run.call("weekly", { type: REMINDER }), args), UserError);
  expect(stage.service.ledger.requests()).toHaveLength(0);
});

test("checks name every wrong input with its path", async () => {
  await using stage = await setStage();
  const reminders = remindersIn(stage.run.runtime.context);
  const call = stage.run.call("weekly", { type: REMINDER });
  const { failures } = await reminders.check(call, {
    news: { documentId: "-1", signers: [ANA, "bob"], minInterval: "a while", trigger: 1 },
  });
  expect(failures.map(failure => failure.property)).toEqual(["documentId", "signers[1]", "minInterval", ""]);
  expect(failures[3]?.reason).toBe("trigger: no such property; did you mean triggers?");
  const any = { documentId: 4711, triggers: [null, { deep: [1, "two", false] }] };
  expect(await reminders.check(call, { news: any })).toEqual({ inputs: { ...any, documentId: "4711" }, failures: [] });
});
