// node --import tsx bench/fleet.mjs [stacks] [documents]: a fleet by simulation. One worker, an engine that is played, the
// real queue, journal and client, against the bench's service. Writes docs/bench/fleet.json and its figures in docs/fleet.md.
import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { simulate } from "../test/fleet/support/simulation.ts";
import { figuresIn, fleetFigures } from "./report/fleet.mjs";
import { startService } from "./stand-in.mjs";

const root = join(import.meta.dirname, "..");
const [stacks = 1000, documents = 100] = process.argv.slice(2).map(Number);
const service = await startService(0);
try {
  const load = loadavg()[0];
  const parts = await simulate({ stacks, documents, service: { url: service.url, apiKey: "bench" } });
  const { requests, documents: sent } = await service.counts();
  const results = {
    stacks,
    documents,
    sent,
    requests,
    parts,
    load: { before: load, after: loadavg()[0] },
    cores: availableParallelism(),
    node: process.versions.node,
  };
  await writeFile(join(root, "docs", "bench", "fleet.json"), `${JSON.stringify(results, null, 1)}\n`);
  const page = join(root, "docs", "fleet.md");
  await writeFile(page, figuresIn(await readFile(page, "utf8"), fleetFigures(results)));
  process.stdout.write(`${fleetFigures(results)}\n`);
} finally {
  await service.close();
}
process.exit(0);
