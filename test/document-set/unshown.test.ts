import { describe, expect, test } from "vitest";
import { forgetMachine, scene } from "../lifecycle/scene.js";
import type { Goal } from "../support/simulated-engine.js";
import { mailsOf, TYPE } from "./team.js";

const contract = (name: string) => ({
  name,
  base64File: Buffer.from(`%PDF-1.4\n${name}\n%%EOF\n`).toString("base64"),
  invitations: [{ email: `${name.toLowerCase()}@example.com` }],
});

const single = (resource: string, name: string): Goal => ({ name: resource, inputs: contract(name) });
const set = (resource: string, rows: Readonly<Record<string, string>>): Goal => ({
  name: resource,
  type: TYPE,
  inputs: {
    documents: Object.fromEntries(Object.entries(rows).map(([key, name]) => [key, contract(name)])),
  } as Goal["inputs"],
});

const DIALECTS = [
  ["no hash", { sha256: "null", downloads: "missing" }],
  ["the hash of a PDF it rewrote", { sha256: "stamped" }],
  ["no hash, and two rows of a list", { sha256: "null", downloads: "missing", pageSize: 2, order: "shuffled" }],
] as const;

const MOVES: readonly (readonly [string, readonly Goal[], readonly Goal[]])[] = [
  ["a document has another name", [single("nda", "NDA")], [single("other", "NDA")]],
  ["two documents swap", [single("a", "NDA"), single("b", "Lease")], [single("a", "Lease"), single("b", "NDA")]],
  [
    "a row becomes a document",
    [set("leases", { a: "NDA", b: "Lease" })],
    [single("nda", "NDA"), set("leases", { b: "Lease" })],
  ],
  [
    "a document becomes a row",
    [single("nda", "NDA"), set("leases", { b: "Lease" })],
    [set("leases", { a: "NDA", b: "Lease" })],
  ],
  [
    "a row goes to a set that comes before its own",
    [set("one", { a: "NDA" }), set("two", { a: "Loan", b: "Lease" })],
    [set("one", { a: "NDA", b: "Lease" }), set("two", { a: "Loan" })],
  ],
];

describe.each(DIALECTS)("of a service that shows %s the journal knows what is there already:", (_, dialect) => {
  test.each(MOVES)("%s, and nobody is mailed again", async (_, before, after) => {
    await using s = await scene({ dialect });
    expect((await s.stack.up(before)).error).toBeUndefined();
    const mails = mailsOf(s);
    for (const skipPreview of [false, true]) {
      expect((await s.stack.up(after, { skipPreview })).error).toContain("[docsign/duplicate]");
      expect(mailsOf(s)).toEqual(mails);
    }
    expect((await s.stack.up(before)).error).toBeUndefined();
    expect(mailsOf(s)).toEqual(mails);
  });
});

test.each(MOVES)("a machine that knows from state alone mails nobody again where %s", async (_, before, after) => {
  await using s = await scene({ dialect: { sha256: "null", downloads: "missing" } });
  expect((await s.stack.up(before)).error).toBeUndefined();
  const mails = mailsOf(s);
  await forgetMachine(s);
  expect((await s.stack.refresh()).error).toBeUndefined();
  for (const skipPreview of [false, true]) {
    expect((await s.stack.up(after, { skipPreview })).error).toMatch(/\[docsign\/(duplicate|same-name)\]/);
    expect(mailsOf(s)).toEqual(mails);
  }
  expect((await s.stack.up(before)).error).toBeUndefined();
  expect(mailsOf(s)).toEqual(mails);
});

test.each(DIALECTS)(
  "of a service that shows %s, what a document was replaced for is taken back in the same run",
  async (_, dialect) => {
    await using s = await scene({ dialect });
    expect((await s.stack.up([single("a", "NDA")])).error).toBeUndefined();
    const mails = mailsOf(s).length;
    expect((await s.stack.up([single("a", "Lease"), single("b", "NDA")], { skipPreview: true })).error).toBeUndefined();
    expect(mailsOf(s).slice(mails)).toEqual(["lease@example.com"]);
    expect(s.stack.entry("b").id).toBe(s.id());
  },
);
