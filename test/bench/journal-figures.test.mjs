import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { figuresIn, journalFigures } from "../../scripts/bench/report/pages.mjs";

const docs = join(import.meta.dirname, "..", "..", "docs");

test("the page about the journal has the figures that were measured", () => {
  const page = readFileSync(join(docs, "bench", "journal.md"), "utf8");
  const results = JSON.parse(readFileSync(join(docs, "bench", "journal.json"), "utf8"));
  expect(figuresIn(page, journalFigures(results), "journal")).toBe(page);
});
