import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { UNKNOWN, type Value, type Values } from "../../kit/values.js";
import { packed } from "../../provider/resources/document/content.js";
import { type CheckedInputs, hashesOf, type InputHashes } from "../../provider/resources/document/declaration.js";
import { changesBetween, ofKind } from "../../provider/resources/document-set/changes.js";
import { outputsOf, type RowState, stateIn } from "../../provider/resources/document-set/declaration.js";

const inputs = (more: Values = {}): Values => ({
  name: "NDA",
  base64File: `sha256:${"a".repeat(64)}`,
  invitations: [{ email: "ana@example.com", name: "Ana" }],
  ...more,
});
type Rows = Record<string, Values>;

/** As they are: Check would leave out what isn't of its type. */
const checked = (inputs: Values) => inputs as Values & CheckedInputs;
const hashes = (inputs: Values) => hashesOf(checked(inputs));

/** The keys of rows by what happens to them, and which of their inputs changed. */
async function diffRows(before: Rows, after: Rows) {
  const content = (inputs: Values) => packed(hashes(inputs));
  const rows = Object.entries(before).map(([key, inputs]) => [key, { content: content(inputs) } as RowState] as const);
  const changes = await changesBetween(
    { ...stateIn({}), rows: new Map(rows) },
    new Map(Object.entries(after).map(([key, inputs]) => [key, checked(inputs)])),
  );
  const of = (kind: Parameters<typeof ofKind>[1]) => ofKind(changes, kind).map(({ key }) => key);
  const withFields = (kind: "changed" | "uncertain") =>
    ofKind(changes, kind).map(({ key, fields }) => ({ key, fields }));
  return {
    added: of("added"),
    changed: withFields("changed"),
    uncertain: withFields("uncertain"),
    removed: of("removed"),
    unchanged: of("unchanged"),
  };
}

describe("rows are compared by key", () => {
  test.each<[string, Values, string[]]>([
    ["a name", { name: "Other" }, ["name"]],
    ["a description", { description: "D" }, ["description"]],
    ["a folder", { folderId: "12" }, ["folderId"]],
    ["a person", { invitations: [{ email: "bob@example.org" }] }, ["invitations"]],
    ["a stage", { invitations: [{ email: "ana@example.com", name: "Ana", stage: 2 }] }, ["invitations"]],
    ["a PDF", { base64File: `sha256:${"b".repeat(64)}` }, ["pdf"]],
    ["another parameter", { extraParameters: { kyc: true } }, ["extraParameters"]],
  ])("%s changes its row, and no other", async (_name, more, fields) => {
    const before = { ana: inputs(), bob: inputs() };
    const after = { ana: inputs(more), bob: inputs() };
    expect(await diffRows(before, after)).toEqual({
      added: [],
      changed: [{ key: "ana", fields }],
      uncertain: [],
      removed: [],
      unchanged: ["bob"],
    });
  });

  test.each<[string, Values]>([
    ["a message", { invitations: [{ email: "ana@example.com", name: "Ana", message: "Hello" }] }],
    ["the case of an address", { invitations: [{ email: "ANA@example.com", name: "Ana" }] }],
    ["a space around a name", { invitations: [{ email: "ana@example.com", name: "Ana " }] }],
    ["what is given as nothing", { description: "", folderId: null, extraParameters: null }],
  ])("%s changes nothing", async (_name, more) => {
    expect((await diffRows({ ana: inputs() }, { ana: inputs(more) })).unchanged).toEqual(["ana"]);
  });

  test("state keeps a row's hashes in the order in which the inputs are declared, which no new one changes", () => {
    const known = ["name", "description", "folderId", "invitations", "pdf", "extraParameters"];
    expect(Object.keys(hashes(inputs())).slice(0, known.length)).toEqual(known);
  });

  test("a person without a name is the same as one whose name is empty", () => {
    const named = (name: Value): InputHashes => hashes(inputs({ invitations: [{ email: "ana@example.com", name }] }));
    expect(named("")).toEqual(named(null));
  });

  test("the same folder as a number and as a text is no change", () => {
    expect(hashes(inputs({ folderId: 12 }))).toEqual(hashes(inputs({ folderId: "12" })));
  });

  test("what isn't known yet may be a change, and is one beside a change that is known", async () => {
    const before = { ana: inputs(), bob: inputs() };
    const after = { ana: inputs({ name: UNKNOWN }), bob: inputs({ name: UNKNOWN, description: "D" }) };
    expect(await diffRows(before, after)).toMatchObject({
      changed: [{ key: "bob", fields: ["description"] }],
      uncertain: [{ key: "ana", fields: ["name"] }],
    });
  });

  test("a key in another case is the same row", async () => {
    expect(await diffRows({ "ana@example.com": inputs() }, { "Ana@Example.com": inputs() })).toMatchObject({
      added: [],
      removed: [],
      unchanged: ["Ana@Example.com"],
    });
  });
});

describe("laws", () => {
  const key = fc.constantFrom("a", "b", "c", "d", "e");
  const entry = fc.record({ name: fc.constantFrom("NDA", "Lease"), folderId: fc.option(fc.constantFrom("1", "2")) });
  const table = fc.dictionary(key, entry.map(inputs as (more: Values) => Values), {
    maxKeys: 5,
    noNullPrototype: true,
  });

  test("a set has no diff with itself, in any order", async () => {
    await fc.assert(
      fc.asyncProperty(table, async each => {
        const turned = Object.fromEntries(Object.entries(each).reverse());
        expect(await diffRows(each, turned)).toMatchObject({
          added: [],
          changed: [],
          uncertain: [],
          removed: [],
        });
      }),
    );
  });

  test("every key is in exactly one list", async () => {
    await fc.assert(
      fc.asyncProperty(table, table, async (before, after) => {
        const { added, changed, uncertain, removed, unchanged } = await diffRows(before, after);
        const all = [
          ...added,
          ...changed.map(each => each.key),
          ...uncertain.map(each => each.key),
          ...removed,
          ...unchanged,
        ];
        expect(all.sort()).toEqual([...new Set([...Object.keys(before), ...Object.keys(after)])].sort());
      }),
    );
  });

  test("what one direction adds, the other removes", async () => {
    await fc.assert(
      fc.asyncProperty(table, table, async (before, after) => {
        const there = await diffRows(before, after);
        const back = await diffRows(after, before);
        expect(back.removed.toSorted()).toEqual(there.added.toSorted());
        expect(back.changed.map(each => each.key).sort()).toEqual(there.changed.map(each => each.key).sort());
      }),
    );
  });
});

test("state keeps when each row's document was created, whoever is waited for", () => {
  const createdAt = "2026-01-01T00:00:00Z";
  const row = (about: Partial<RowState>): RowState => ({
    documentId: "1",
    status: "unsigned",
    pendingSigners: ["ana@example.com"],
    signedFileUrl: null,
    certificates: { status: "", ready: false, btcUrl: null, ethUrl: null },
    content: "",
    createdAt,
    ...about,
  });
  const later = { emails: ["bob@example.com"] };
  const rows = new Map([
    ["later stage", row({ waiting: later })],
    ["plain", row({})],
    ["first stage", row({ waiting: { ...later, since: createdAt } })],
    ["signed", row({ status: "signed", pendingSigners: [] })],
  ]);
  const outputs = outputsOf({ ...stateIn({}), rows });
  expect(stateIn(outputs).rows).toEqual(rows);
  const { plain, signed } = outputs["documents"] as Record<string, object>;
  expect([plain, signed].map(each => Object.hasOwn(each as object, "createdAt"))).toEqual([false, true]);
});
