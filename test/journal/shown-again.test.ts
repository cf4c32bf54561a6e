import { expect, test } from "vitest";
import { JournalContents } from "../../provider/resources/journal/contents.js";
import { stackOf, tokenOf } from "../../provider/resources/journal/contract.js";
import type { EntryOf } from "../../provider/resources/journal/entry.js";
import { snapshotsOf } from "../../provider/resources/journal/log.js";

const service = "https://example.com";
const urnOf = (name: string) => `urn:pulumi:prod::contracts::docsign:index:Document::${name}`;
const line = (name: string, id: string) => ({ service, urn: urnOf(name), run: "r", at: 1, id, supersedes: [] });
const claim = (name: string, id: string): EntryOf<"claim"> => ({
  ...line(name, id),
  op: "claim",
  fingerprint: `content ${id}`,
  contract: `contract ${id}`,
});
const show = (name: string, id: string): EntryOf<"show"> => ({
  ...line(name, id),
  op: "show",
  imported: false,
  besides: [],
});

/** Two resources swap their names: state is shown without the first one's document before the second one has it. */
const half = [claim("a", "1"), claim("b", "2"), show("a", "1"), show("b", "2"), show("a", "2")];
const end = show("b", "1");

test.each(["line by line", "from a snapshot", "from a stack's snapshot"])(
  "%s: what a document was made of is known under its new name",
  how => {
    const first = new JournalContents();
    for (const each of half) first.apply(each);
    expect(first.owner(service, "1", "document")).toBeUndefined();
    let journal = first;
    if (how !== "line by line") {
      journal = new JournalContents();
      const whole = first.snapshot(1);
      const parts = how === "from a snapshot" ? [whole] : snapshotsOf(whole, [stackOf(urnOf("a"))]);
      for (const each of parts) journal.apply(JSON.parse(JSON.stringify(each)));
    }
    journal.apply(end);
    expect(journal.owner(service, "1", "document")).toMatchObject({ urn: urnOf("b"), fingerprint: "content 1" });
    expect(journal.ofContract(service, "contract 1")).toHaveLength(1);
  },
);

test("what a person let go of isn't known again", () => {
  const journal = new JournalContents();
  for (const each of half) journal.apply(each);
  journal.apply({ op: "forget", tokens: [tokenOf(service, "1")] });
  journal.apply(end);
  expect(journal.owner(service, "1", "document")?.fingerprint).toBeUndefined();
});
