import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { figuresIn, fleetFigures } from "../../scripts/bench/report/pages.mjs";

const docs = join(import.meta.dirname, "..", "..", "docs");

test("the page about fleets has the figures that were measured", () => {
  const page = readFileSync(join(docs, "bench", "fleet.md"), "utf8");
  const results = JSON.parse(readFileSync(join(docs, "bench", "fleet.json"), "utf8"));
  expect(figuresIn(page, fleetFigures(results))).toBe(page);
});
