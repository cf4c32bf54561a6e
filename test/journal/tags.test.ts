import { describe, expect, test } from "vitest";
import { contractName, contractOf, stackOf, tokenOf } from "../../provider/resources/journal/contract.js";
import type { Entry, EntryOf } from "../../provider/resources/journal/entry.js";
import { snapshotsOf, tagsOf } from "../../provider/resources/journal/log.js";
import { contentOf, SERVICE, scopeOf } from "./conformance.js";

const nda = scopeOf("nda");
const own = stackOf(nda.urn);
const id = tokenOf(SERVICE, "5001");
const contract = contractOf(contentOf());
const f1 = contractName(SERVICE, contract);
const attempt = { ...nda, ...contentOf(), token: "0a0a0a0a", run: "r", startedAt: 1, supersedes: ["4"], hints: ["7"] };
const owned = { ...nda, id: "5001", run: "r", supersedes: ["4"], shown: true, replaced: false };
const reminders = { ...nda, at: 1, rows: [] };
const snapshot = { op: "snapshot", version: 1, attempts: [attempt], owned: [owned], reminders: [reminders] } as const;

const LINES: [Entry, ReturnType<typeof tagsOf>][] = [
  [
    { op: "begin", ...attempt, owned: ["4"] },
    { stacks: [own], ids: [], keys: ["0a0a0a0a", f1] },
  ],
  [
    { op: "begin", ...attempt, owned: ["4"], knows: [] },
    { stacks: [own], ids: [f1], keys: [f1, "0a0a0a0a"] },
  ],
  [
    { op: "hint", ...nda, token: "0a0a0a0a", id: "5001" },
    { stacks: [own], ids: [], keys: [] },
  ],
  [
    { op: "withdraw", ...nda, token: "0a0a0a0a" },
    { stacks: [own], ids: [], keys: [] },
  ],
  [
    { op: "claim", ...nda, run: "r", at: 5, id: "5001", fingerprint: "f1", contract, supersedes: ["4"] },
    { stacks: [own], ids: [id], keys: [id, f1] },
  ],
  [
    { op: "show", ...nda, run: "r", at: 5, id: "5001", supersedes: ["4"], imported: false, besides: ["6"] },
    { stacks: [own], ids: [id], keys: [id] },
  ],
  [
    { op: "replace", ...nda, run: "r", at: 5, id: "5001", supersedes: ["4"] },
    { stacks: [own], ids: [id], keys: [id] },
  ],
  [
    { op: "release", ...nda, run: "r", id: "5001", at: 1, supersedes: [] },
    { stacks: [own], ids: [id], keys: [id] },
  ],
  [
    { op: "forget", tokens: ["0a0a0a0a", id] },
    { stacks: [], ids: ["0a0a0a0a", id], keys: ["0a0a0a0a", id] },
  ],
  [
    { op: "remind", ...reminders },
    { stacks: [own], ids: [], keys: [] },
  ],
  [
    { ...snapshot, attempts: [attempt], owned: [owned], reminders: [reminders] },
    { stacks: [own], ids: [id], keys: ["0a0a0a0a", f1, id] },
  ],
];

test.each(LINES)("%j is tagged with its stack, the id it changes and what may be asked for", (line, tags) => {
  expect(tagsOf(line)).toEqual(tags);
});

describe("the name of a stack", () => {
  const urn = "urn:pulumi:dev::contracts::docsign:index:Document::nda";

  test("is the same for all its resources, below others too", () => {
    expect(stackOf("urn:pulumi:dev::contracts::my:index:Parent$docsign:index:Folder::x")).toBe(stackOf(urn));
  });

  test.each([
    "urn:pulumi:prod::contracts::docsign:index:Document::nda",
    "urn:pulumi:dev::other::docsign:index:Document::nda",
  ])("is another than that of %s", other => {
    expect(stackOf(other)).not.toBe(stackOf(urn));
  });
});

test("a snapshot is one of each stack, an empty one where it has nothing", () => {
  const other = { ...owned, id: "6001", urn: nda.urn.replace(":test:", ":prod:") };
  const all = { ...snapshot, attempts: [attempt], owned: [owned, other], reminders: [reminders] };
  const empty: EntryOf<"snapshot"> = { ...all, attempts: [], owned: [], reminders: [] };
  expect(snapshotsOf(all, [own, stackOf(other.urn), "stack-0"])).toEqual([
    { ...all, stacks: [own], owned: [owned] },
    { ...empty, stacks: [stackOf(other.urn)], owned: [other] },
    { ...empty, stacks: ["stack-0"] },
  ]);
});
