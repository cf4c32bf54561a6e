import { expect, test } from "vitest";
import { forgetMachine, type Scene, sceneWith } from "../lifecycle/scene.js";
import type { Goal } from "../support/simulated-engine.js";
import { mailsOf, rowsOf, TYPE } from "./team.js";

const EMAIL = "ana@example.com";

const document = (name: string) => ({
  name,
  base64File: Buffer.from(`%PDF-1.4\n${name}\n%%EOF\n`).toString("base64"),
  invitations: [{ email: EMAIL }],
});

type Contracts = Readonly<Record<string, string>>;

/** A set whose rows hold these contracts, by their keys. */
const holding = (rows: Contracts, more: object = {}): Goal => ({
  name: "ndas",
  type: TYPE,
  inputs: {
    documents: Object.fromEntries(Object.entries(rows).map(([key, name]) => [key, document(name)])),
    ...more,
  } as unknown as Goal["inputs"],
});

/** The contracts that state holds, by the service's books. */
function heldIn(s: Scene): Contracts {
  const made = s.service.ledger.documents();
  const nameOf = (id: unknown) => made.find(each => each.id === id)?.name ?? "";
  return Object.fromEntries(Object.entries(rowsOf(s)).map(([key, row]) => [key, nameOf(row["documentId"])]));
}

const SWAPS: [string, Contracts, Contracts, string[]][] = [
  ["two rows swap", { a: "Lease", b: "NDA" }, { a: "NDA", b: "Lease" }, []],
  ["three rows go round", { a: "Lease", b: "NDA", c: "Loan" }, { a: "NDA", b: "Loan", c: "Lease" }, []],
  ["a row comes first", { 1: "Lease", 2: "NDA" }, { 1: "Loan", 2: "Lease", 3: "NDA" }, ["Loan"]],
  ["the first row goes", { 1: "Lease", 2: "NDA", 3: "Loan" }, { 1: "NDA", 2: "Loan" }, []],
  ["a row takes what another one has no more", { a: "Lease", b: "NDA" }, { a: "NDA", b: "Loan" }, ["Loan"]],
  ["a new row takes what another one has no more", { a: "Lease" }, { a: "Loan", b: "Lease" }, ["Loan"]],
];

test.each(SWAPS)("%s: only new contracts are sent", async (_, before, after, sent) => {
  await using s = await sceneWith([holding(before)]);
  const mails = mailsOf(s).length;
  const went = await s.stack.up([holding(after)]);
  expect(went.error).toBeUndefined();
  expect(went.previewLines.join("\n").match(/will mail .*"(.*)"/g) ?? []).toHaveLength(sent.length);
  expect(heldIn(s)).toEqual(after);
  expect(mailsOf(s).slice(mails)).toEqual(sent.map(() => EMAIL));
  const superseded = Object.values(rowsOf(s)).flatMap(({ supersedes, supersededContents }) => [
    ...((supersedes ?? []) as string[]),
    ...Object.keys(supersededContents ?? {}),
  ]);
  expect(superseded).not.toEqual(expect.arrayContaining([expect.toBeOneOf(held(s))]));
  const again = await s.stack.up([holding(after)]);
  expect(again.calls.filter(call => /^(create|update|delete)/.test(call))).toEqual([]);

  // And back.
  expect((await s.stack.up([holding(before)])).error).toBeUndefined();
  expect(heldIn(s)).toEqual(before);
  expect(mailsOf(s)).toHaveLength(mails + sent.length);
});

const held = (s: Scene): unknown[] => Object.values(rowsOf(s)).map(({ documentId }) => documentId);

test("on a machine that remembers nothing, nobody is mailed either", async () => {
  await using s = await sceneWith([holding({ a: "Lease", b: "NDA" })]);
  await forgetMachine(s);
  const mails = mailsOf(s).length;
  expect((await s.stack.up([holding({ a: "NDA", b: "Lease" })])).error).toBeUndefined();
  expect(heldIn(s)).toEqual({ a: "NDA", b: "Lease" });
  expect(mailsOf(s)).toHaveLength(mails);
});

test("a row that fails has let go of what another row took, and is sent once by the next run", async () => {
  await using s = await sceneWith([holding({ a: "Lease", b: "NDA" })]);
  const mails = mailsOf(s).length;
  s.service.faults.push({ kind: "status", status: 422, when: "before" }, "createDocument");
  const after = { a: "NDA", b: "Loan" };
  expect((await s.stack.up([holding(after)])).error).toContain("1 of 2 rows are done, 1 is not");
  expect(heldIn(s)).toEqual({ a: "NDA" });
  expect((await s.stack.up([holding(after)])).error).toBeUndefined();
  expect(heldIn(s)).toEqual(after);
  expect(mailsOf(s).slice(mails)).toEqual([EMAIL]);
});
