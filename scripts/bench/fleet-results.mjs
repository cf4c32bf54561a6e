// docs/bench/fleet.json has a part for each measurement; docs/bench/fleet.md shows what they say.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { figuresIn, fleetFigures } from "./report/fleet.mjs";

const docs = join(import.meta.dirname, "../..", "docs");

/** Puts one part's figures into both. */
export async function writeFleetFigures(part, figures) {
  const path = join(docs, "bench", "fleet.json");
  const results = { ...JSON.parse(await readFile(path, "utf8")), [part]: figures };
  const written = JSON.stringify(results, brief, 1);
  await writeFile(path, `${written}\n`);
  const page = join(docs, "bench", "fleet.md");
  // Of what is written: a figure may be rounded twice.
  const text = fleetFigures(JSON.parse(written));
  await writeFile(page, figuresIn(await readFile(page, "utf8"), text));
  process.stdout.write(`${text}\n`);
}

/** Milliseconds are enough. */
const brief = (_, value) => (typeof value === "number" ? Math.round(value * 1000) / 1000 : value);
