import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { readFixture } from "../../conformance/fixture.js";
import { run } from "../../conformance/run.js";
import { scratchFolder } from "../support/scratch.js";

const { DOCSIGN_TEST_NOTES: notes } = process.env;
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** What conformance/README.md says of pulumi-go-provider. */
const FOUND = [
  ["schema-describes", "expected descriptions, found none of notes:index:Note"],
  ["empty-messages-are-answered", "expected an answer to an empty call, got call answered UNAVAILABLE"],
  ["import-shows-no-difference", "expected no change after its import, got one in text"],
  ["import-keeps-secrets", "expected the input text to be secret, got it as plain text"],
  ["read-of-nothing-is-answered", "expected no outputs for nothing, got some, if empty"],
  ["a-forced-replacement-loses-nothing", 'expected the new resource to be there, got "" from Read'],
];

it.skipIf(!notes)("a provider on pulumi-go-provider breaks these laws and no other", async () => {
  const folder = join(scratchFolder("conformance-"), "notes");
  mkdirSync(folder);
  const { results } = await run({
    target: { command: [notes ?? ""] },
    fixture: { ...readFixture(here("go-provider/fixture.json")), environment: { NOTES: folder } },
    engines: ["newest"],
    seed: "test",
    // What ends at all ends within it, on a machine as slow as it likes.
    soonMs: 300_000,
  });
  const failed = results.filter(({ outcome }) => outcome === "failed");
  expect(failed.map(({ law, message }) => [law, message])).toEqual(
    FOUND.map(([law, message]) => [law, expect.stringContaining(message ?? "")]),
  );
});
