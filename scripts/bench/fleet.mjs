// node --import tsx scripts/bench/fleet.mjs [stacks] [documents]: a fleet by simulation. One worker, an engine that is played, the
// real queue, journal and client, against the bench's service. Writes docs/bench/fleet.json and its figures in docs/bench/fleet.md.
import { availableParallelism, loadavg } from "node:os";
import { simulate } from "../../test/fleet/support/simulation.ts";
import { writeFleetFigures } from "./report/pages.mjs";
import { startService } from "./stand-in.mjs";

const [stacks = 1000, documents = 100] = process.argv.slice(2).map(Number);
const service = await startService(0);
try {
  const load = loadavg()[0];
  const parts = await simulate({ stacks, documents, service: { url: service.url, apiKey: "bench" } });
  const { requests, documents: sent } = await service.counts();
  await writeFleetFigures("simulation", {
    stacks,
    documents,
    sent,
    requests,
    parts,
    load: { before: load, after: loadavg()[0] },
    cores: availableParallelism(),
    node: process.versions.node,
  });
} finally {
  await service.close();
}
process.exit(0);
