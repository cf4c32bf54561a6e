import { expect, it } from "vitest";
import { tableOf } from "../../commands/fleet/display.js";

it("a run's stacks are listed by what came of them, and then as a person counts", () => {
  const job = { id: "1", losses: 0, outcome: undefined, seconds: undefined };
  const table = tableOf([
    { ...job, stack: "p10", state: "ok" },
    { ...job, stack: "p2", state: "failed" },
    { ...job, stack: "p1", state: "ok" },
    { ...job, stack: "p3", state: "ok" },
  ]);
  const listed = table.split("\n").flatMap(line => /^p\d+/.exec(line)?.[0] ?? []);
  expect(listed).toEqual(["p1", "p3", "p10", "p2"]);
});
