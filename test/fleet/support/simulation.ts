import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { scratchFolder } from "../../support/scratch.js";
import { fleetText, openPostgres, Scene } from "./scene.js";

const WORKER = join(import.meta.dirname, "played-worker/main.ts");

export interface SimulationOptions {
  readonly stacks: number;
  /** Of each stack. */
  readonly documents: number;
  readonly service: { readonly url: string; readonly apiKey: string };
}

/** A part of a run: what a contract took in it, and what the worker's memory holds at most, once it was collected. */
export interface Part {
  /** Contracts that were out at its end. */
  readonly contracts: number;
  readonly msPerContract: number;
  readonly memoryMB: number;
}

const PARTS = 10;

/** One worker runs a fleet whose engine is played: the queue, the leases, the journal and the client are the real ones. */
export async function simulate({ stacks, documents, service }: SimulationOptions): Promise<Part[]> {
  const names = Array.from({ length: stacks }, (_, nth) => `s${nth}`);
  // The default lease: a machine that others use as well stalls for seconds.
  const fleet = fleetText(names).replace("lease: 10s", "lease: 30s");
  const folder = scratchFolder("docsign-fleet-simulation-");
  await using postgres = await openPostgres();
  await using scene = await Scene.open(postgres.url, fleet);
  const given = {
    ...{ id: "w-1", fleet, parallel: 1, documents, service, journal: postgres.url, reports: true },
    ...{ backend: join(folder, "backend"), memory: join(folder, "memory") },
    // The look before the first create of a run lists everything: that is the service's cost, and not the fleet's.
    settings: { duplicatePolicy: "create" },
  };
  const worker = spawn(process.execPath, ["--expose-gc", "--import", "tsx", WORKER, JSON.stringify(given)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const gone = new Promise(resolve => worker.once("exit", resolve));
  const reports: { at: number; bytes: number }[] = [];
  try {
    await scene.queue.begin("up", names, scene.about());
    for await (const line of createInterface({ input: worker.stdout })) {
      const { stack, status, reason, ...report } = JSON.parse(line) as {
        stack: string;
        status: string;
        reason?: string;
        at: number;
        bytes: number;
      };
      if (status !== "ok") throw new Error(`expected ${stack} to go well, got ${status}: ${reason}`);
      if (reports.push(report) === names.length) break;
    }
    if (reports.length < names.length)
      throw new Error(`expected a worker that runs ${names.length} stacks, got one that ended after ${reports.length}`);
  } finally {
    worker.kill("SIGKILL");
    await gone;
    rmSync(folder, { recursive: true, force: true });
  }
  return partsOf(reports, documents);
}

function partsOf(reports: readonly { at: number; bytes: number }[], documents: number): Part[] {
  const size = Math.floor(reports.length / PARTS);
  return Array.from({ length: PARTS }, (_, nth) => {
    // The first stack of all has no beginning of its own.
    const own = reports.slice(Math.max(1, nth * size), (nth + 1) * size);
    const before = reports[Math.max(1, nth * size) - 1]?.at ?? 0;
    const took = (own.at(-1)?.at ?? before) - before;
    return {
      contracts: (nth + 1) * size * documents,
      msPerContract: took / Math.max(1, own.length * documents),
      memoryMB: Math.max(...own.map(({ bytes }) => bytes), 0) / 1e6,
    };
  });
}
