import { expect, test } from "vitest";
import { JournalContents } from "../../provider/resources/journal/contents.js";
import { type Entry, entry } from "../../provider/resources/journal/entry.js";
import { SERVICE, scopeOf } from "./conformance.js";

const shown = (name: string, id: string, more: object = {}): Entry =>
  entry.parse({ op: "show", ...scopeOf(name), run: name, id, supersedes: [], imported: false, besides: [], ...more });

test.each([
  ["whole", false],
  ["compacted in between", true],
])("a document that is a resource's again keeps to that one's backend, where it isn't known: %s", (_, compacted) => {
  let contents = new JournalContents();
  contents.apply(shown("nda", "5001"));
  contents.apply(shown("lease", "5001", { backend: "s3://one" }));
  if (compacted) {
    const line: Entry = entry.parse(JSON.parse(JSON.stringify(contents.snapshot(0))));
    contents = new JournalContents();
    contents.apply(line);
  }
  contents.apply(shown("lease", "5002", { backend: "s3://one" }));
  expect(contents.owner(SERVICE, "5001", "document")).toMatchObject(scopeOf("nda"));
  expect(contents.heldBy({ ...scopeOf("nda"), backend: "s3://two" }).map(({ id }) => id)).toEqual(["5001"]);
});
