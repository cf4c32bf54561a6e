import { describe, expect, test } from "vitest";
import { Asset, type Values } from "../../kit/values.js";
import { type Scene, sceneWith } from "../lifecycle/scene.js";
import type { Goal } from "../support/simulated-engine.js";
import { addressOf, mailsOf, rowsOf, TEMPLATE, TYPE, team } from "./team.js";

const PEOPLE = ["Ana", "Bob"];

/** The document of the set's row, by itself. */
const single = (name: string): Goal => ({
  name: name.toLowerCase(),
  inputs: {
    name: `NDA of ${name}`,
    template: new Asset({ text: TEMPLATE }),
    variables: { name, start: "1 March" },
    invitations: [{ email: addressOf(name), name }],
  } as unknown as Goal["inputs"],
});

const idOf = (s: Scene, name: string): string =>
  s.service.ledger.documents().find(each => each.name === `NDA of ${name}`)?.id ?? "";

test.each([
  ["while nobody has signed", () => {}],
  ["one of them signed", (s: Scene) => s.service.people.sign(idOf(s, "Bob"), addressOf("Bob"))],
])("single documents move into a set and out of it without mail, %s", async (_, before) => {
  await using s = await sceneWith(PEOPLE.map(single));
  before(s);
  const mails = mailsOf(s);
  const ids = PEOPLE.map(name => idOf(s, name));

  const imported = await s.stack.import({ name: "ndas", type: TYPE }, `documents/${ids.join(",")}/email`);
  expect(imported.error).toBeUndefined();
  const preview = await s.stack.up([team(PEOPLE)]);
  expect(preview.error).toBeUndefined();
  expect(preview.previewLines.join("\n")).not.toContain("will mail");
  expect(s.stack.entries.map(({ goal }) => goal.name)).toEqual(["ndas"]);
  expect(PEOPLE.map(name => rowsOf(s)[addressOf(name)]?.["documentId"])).toEqual(ids);
  const second = await s.stack.up([team(PEOPLE)]);
  expect(second.calls.filter(call => /^(create|update|delete)/.test(call))).toEqual([]);

  // A row added later mails its own people alone.
  expect((await s.stack.up([team([...PEOPLE, "Cy"])])).error).toBeUndefined();
  expect(mailsOf(s).slice(mails.length)).toEqual([addressOf("Cy")]);

  const [first = ""] = ids;
  const taken = await s.stack.import({ name: "ana" }, first);
  expect(taken.error).toBeUndefined();
  const apart = await s.stack.up([single("Ana"), team(["Bob", "Cy"])]);
  expect(apart.error).toBeUndefined();
  expect(s.stack.entry("ana").id).toBe(first);
  expect(Object.keys(rowsOf(s)).toSorted()).toEqual([addressOf("Bob"), addressOf("Cy")]);
  expect((await s.stack.up([single("Ana"), team(["Bob", "Cy"])])).error).toBeUndefined();
  expect(mailsOf(s).slice(mails.length)).toEqual([addressOf("Cy")]);
  expect((s.stack.entry("ana").outputs as Values)["documentId"]).toBe(first);
});

describe.each([false, true])("a row that another machine has taken out, signed: %s,", isSigned => {
  test.each([
    ["which the journal here still has", 2],
    ["which no run here has shown since it was made", 1],
  ])("%s, is taken back without mail, as the preview says", async (_, runs) => {
    await using s = await sceneWith([team(PEOPLE)]);
    const { outputs, goal } = s.stack.entry("ndas");
    for (let run = 0; run < runs; run++) expect((await s.stack.up([team([...PEOPLE, "Cy"])])).error).toBeUndefined();
    if (isSigned) s.service.people.sign(idOf(s, "Cy"), addressOf("Cy"));
    Object.assign(s.stack.entry("ndas"), { outputs, goal });
    const mails = mailsOf(s);
    const again = await s.stack.up([team([...PEOPLE, "Cy"])]);
    expect(again.error).toBeUndefined();
    expect(again.previewLines.join("\n")).not.toMatch(/will mail|warning/);
    expect(rowsOf(s)[addressOf("Cy")]?.["documentId"]).toBe(idOf(s, "Cy"));
    expect(mailsOf(s)).toEqual(mails);
  });
});
