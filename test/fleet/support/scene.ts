import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Database, openDatabase, SCHEMA } from "../../../commands/fleet/database.js";
import type { Engine, Hooks, Outcome, Task } from "../../../commands/fleet/engine.js";
import { parseFleet } from "../../../commands/fleet/file.js";
import { type LocalPostgres, startLocalPostgres } from "../../../commands/fleet/local-postgres.js";
import { planFleet } from "../../../commands/fleet/plan.js";
import { Queue, type RunInfo, type StackJob } from "../../../commands/fleet/queue.js";
import { runWorker, type WorkerOptions } from "../../../commands/fleet/worker.js";
import { systemClock } from "../../../provider/core/clock.js";
import { root } from "../../support/engine/found.js";
import { scratchFolder } from "../../support/scratch.js";

export interface TestPostgres extends LocalPostgres, AsyncDisposable {
  restart(): Promise<void>;
}

/** A Postgres of the product's own making: this machine's, or the one that its npm packages bring. */
export async function openPostgres(): Promise<TestPostgres> {
  const folder = scratchFolder("docsign-fleet-postgres-");
  const where = { folder, path: process.env["PATH"], packagesFrom: [join(root, "package.json")] };
  let server = await startLocalPostgres(where);
  return {
    ...server,
    stop: () => server.stop(),
    async restart() {
      await server.stop();
      server = await startLocalPostgres({ ...where, port: server.port });
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const fleetText = (stacks: readonly string[], more = ""): string =>
  `name: leases\nstacks: { list: [${stacks.map(name => `{ name: ${name} }`).join(", ")}] }\nworkers: { lease: 10s }\n${more}`;

export const OK: Outcome = { status: "ok", reasons: [], mails: 0, changes: {} };

/** An engine that is played: what a run comes to is the test's to say. */
export function playedEngine(
  play: (task: Task, hooks: Hooks) => Promise<Outcome> | Outcome,
): Engine & { ran: string[] } {
  const ran: string[] = [];
  return {
    ran,
    exportState: async () => undefined,
    importState: async () => undefined,
    async run(task, hooks) {
      ran.push(`${task.command} ${task.stack.name}`);
      return play(task, hooks);
    },
  };
}

/** A fleet on a data base of its own. */
export class Scene implements AsyncDisposable {
  readonly plan;
  readonly lines: string[] = [];
  readonly #stops: (() => Promise<void>)[] = [];

  private constructor(
    readonly db: Database,
    readonly text: string,
  ) {
    this.plan = planFleet(parseFleet(text, "fleet.yaml"), text, "/nowhere");
  }

  static async open(url: string, text: string): Promise<Scene> {
    const db = await openDatabase({ url, supervises: false, onError: () => undefined });
    await db.sql.unsafe(`truncate ${SCHEMA}.lease, ${SCHEMA}.worker, ${SCHEMA}.run, ${SCHEMA}.fleet`);
    await db.boss.deleteAllJobs();
    const scene = new Scene(db, text);
    await scene.queue.open(10);
    return scene;
  }

  get queue(): Queue {
    return new Queue(this.db, this.plan.file.name);
  }

  about(version = "1.0.0") {
    return { version, digest: this.plan.digest };
  }

  /** Starts a worker in this process; disposing the scene drains it. */
  worker(engine: Engine, options: Partial<WorkerOptions> = {}) {
    const [drain, interrupt] = [new AbortController(), new AbortController()];
    const id = `w-${randomUUID().slice(0, 8)}`;
    const ended = runWorker({
      db: this.db,
      plan: this.plan,
      engine,
      identity: { id, host: "here", pid: process.pid, ...this.about() },
      parallel: 2,
      clock: systemClock,
      drain: drain.signal,
      interrupt: interrupt.signal,
      say: line => void this.lines.push(line),
      pollSeconds: 0.5,
      ...options,
    });
    ended.catch(() => undefined);
    const stop = async () => {
      drain.abort();
      await ended.catch(() => undefined);
    };
    this.#stops.push(stop);
    return { ended, drain, interrupt, stop };
  }

  /** The run's jobs once none of them waits or runs. */
  async settled(run: RunInfo): Promise<StackJob[]> {
    for (;;) {
      const jobs = await this.queue.jobs(run);
      if (jobs.every(({ state }) => state !== "queued" && state !== "running")) return jobs;
      await systemClock.wait(50);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const stop of this.#stops) await stop();
    await this.db[Symbol.asyncDispose]();
  }
}
