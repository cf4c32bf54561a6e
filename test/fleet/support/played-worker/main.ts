import { openDatabase } from "../../../../commands/fleet/database.js";
import type { Engine } from "../../../../commands/fleet/engine.js";
import { parseFleet } from "../../../../commands/fleet/file.js";
import { planFleet } from "../../../../commands/fleet/plan.js";
import { runWorker } from "../../../../commands/fleet/worker.js";
import { systemClock } from "../../../../provider/core/clock.js";
import { PlayedEngine, type PlayedOptions } from "../played-engine.js";

interface WorkerArguments extends PlayedOptions {
  readonly id: string;
  readonly fleet: string;
  readonly parallel: number;
  /** Whether each stack's end is a line of JSON with the time and this process's memory. */
  readonly reports?: boolean;
}

/** A worker in a process of its own, whose engine is played. It says `ready` once it takes stacks. */
async function main(given: WorkerArguments): Promise<void> {
  const drain = new AbortController();
  process.on("SIGTERM", () => drain.abort());
  await using db = await openDatabase({ url: given.journal, supervises: true, onError: () => undefined });
  const plan = planFleet(parseFleet(given.fleet, "fleet.yaml"), given.fleet, "/nowhere");
  await runWorker({
    ...{ db, plan, drain: drain.signal, clock: systemClock, parallel: given.parallel, pollSeconds: 0.5 },
    engine: given.reports ? reporting(new PlayedEngine(given)) : new PlayedEngine(given),
    identity: { id: given.id, host: "here", pid: process.pid, version: "1.0.0", digest: plan.digest },
    interrupt: new AbortController().signal,
    say: () => undefined,
  });
}

/** What is in use, and not what waits to be collected. */
function liveBytes(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function reporting(engine: PlayedEngine): Engine {
  return {
    exportState: engine.exportState,
    importState: engine.importState,
    async run(task, hooks) {
      const outcome = await engine.run(task, hooks);
      const line = {
        stack: task.stack.name,
        status: outcome.status,
        reason: outcome.reasons[0],
        at: Date.now(),
        bytes: liveBytes(),
      };
      process.stdout.write(`${JSON.stringify(line)}\n`);
      return outcome;
    },
  };
}

void main(JSON.parse(process.argv[2] ?? "{}") as WorkerArguments).then(() => process.exit(0));
