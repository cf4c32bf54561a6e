import { describe, expect, test } from "vitest";
import type { Values } from "../../kit/values.js";
import { base64, type Scene, sceneWith } from "../lifecycle/scene.js";
import { type Goal, Ref } from "../support/simulated-engine.js";
import { outputsOf, rowsOf, TYPE } from "./team.js";

const folder: Goal = { name: "leases", type: "docsign:index:Folder", inputs: { name: "Leases" } };
const lease = (name: string): Goal => ({
  name,
  inputs: {
    name: `Lease of ${name}`,
    invitations: [{ email: `${name}@example.com`, name }],
    base64File: base64(name),
    folderId: new Ref("leases", "folderId"),
  } as unknown as Goal["inputs"],
});
const NAMES = ["ana", "bob"];

const folderOf = (s: Scene): string => s.service.ledger.folders()[0]?.id ?? "";

async function imported(id: (folder: string) => string) {
  const s = await sceneWith([folder, ...NAMES.map(lease)]);
  const outcome = await s.stack.import({ name: "ndas", type: TYPE }, id(folderOf(s)));
  return { s, outcome };
}

describe("the import of a folder", () => {
  test.each([
    [
      "",
      (s: Scene, name: string) => s.service.ledger.documents().find(each => each.name === `Lease of ${name}`)?.id ?? "",
    ],
    ["/name", (_: Scene, name: string) => `Lease of ${name}`],
    ["/email", (_: Scene, name: string) => `${name}@example.com`],
  ] as const)(
    "folder/ID%s keys each document, sends nothing, and the program it prints has no diff",
    async (field, keyOf) => {
      const { s, outcome } = await imported(id => `folder/${id}${field}`);
      await using _scene = s;
      expect(outcome.error).toBeUndefined();
      expect(Object.keys(rowsOf(s)).toSorted()).toEqual(NAMES.map(name => keyOf(s, name)).toSorted());
      expect(outputsOf(s)["summary"]).toMatchObject({ total: 2, unsigned: 2 });
      const { inputs } = s.stack.entry("ndas");
      const program: Goal = { name: "ndas", type: TYPE, inputs };
      s.stack.entries = s.stack.entries.filter(({ goal }) => goal.name === "ndas");
      const again = await s.stack.up([program]);
      expect(again.error).toBeUndefined();
      expect(again.calls.filter(call => /^(create|update|delete)/.test(call))).toEqual([]);
      expect(s.sent()).toEqual({ creates: 0, mails: 0 });
      expect(Object.values(rowsOf(s)).every(row => (row as Values)["documentId"] !== undefined)).toBe(true);
    },
  );

  test.each([
    [(_: string): string => "1234", "expected `folder/<id>`"],
    [(id: string): string => `folder/${id}/colour`, "expected `folder/<id>`"],
    [(_: string): string => "folder/999999", "expected documents in folder 999999, got an empty list"],
    [(id: string): string => `folder/${id}/description`, "expected a description, got none"],
  ] as const)("refuses what isn't one", async (id, reason) => {
    const { s, outcome } = await imported(id);
    await using _scene = s;
    expect(outcome.error).toContain(reason);
    expect(s.sent()).toEqual({ creates: 0, mails: 0 });
  });
});

test("an imported row that this set sent stays as it is where the service keeps other texts than it was sent", async () => {
  const row = (name: string) => ({
    name: `Lease of ${name}, first floor`,
    invitations: [{ email: `${name}@example.com`, name }],
    base64File: base64(name),
  });
  const keyed = Object.fromEntries(NAMES.map(name => [`${name}@example.com`, row(name)]));
  const set: Goal = { name: "ndas", type: TYPE, inputs: { documents: keyed } as unknown as Goal["inputs"] };
  await using s = await sceneWith([set], {
    dialect: { stores: wanted => ({ ...wanted, name: wanted.name.slice(0, 18) }) },
  });
  const ids = NAMES.map((_, index) => s.id(index));
  s.stack.entries = [];
  expect(
    (await s.stack.import({ name: "ndas", type: TYPE }, `documents/${ids.join(",")}/email`)).error,
  ).toBeUndefined();
  expect((await s.stack.up([set])).error).toBeUndefined();
  expect(Object.values(rowsOf(s)).map(({ documentId }) => documentId)).toEqual(ids);
  expect(s.sent()).toEqual({ creates: 0, mails: 0 });
});

test("of an imported row, a description that the service doesn't show is no change, and said", async () => {
  const { s } = await imported(id => `folder/${id}`);
  await using _scene = s;
  const { inputs } = s.stack.entry("ndas");
  const program: Goal = { name: "ndas", type: TYPE, inputs: { ...inputs, defaults: { description: "Flat" } } };
  s.stack.entries = s.stack.entries.filter(({ goal }) => goal.name === "ndas");
  const { error, previewLines } = await s.stack.up([program]);
  expect(error).toBeUndefined();
  expect(previewLines.join("\n")).toMatch(/^warning: \d+: the service shows no description of document/m);
  expect(s.sent()).toEqual({ creates: 0, mails: 0 });
  const again = await s.stack.up([program]);
  expect([again.error, again.previewLines, again.lines]).toEqual([undefined, [], []]);
});
