import { once } from "node:events";
import type { Job } from "pg-boss";
import type { Clock } from "../../provider/core/clock.js";
import { CommandError, messageOf } from "../cli/flags.js";
import type { Database } from "./database.js";
import { type Engine, failed, type Outcome } from "./engine.js";
import { leaseSeconds } from "./file.js";
import { LeaseKeeper, Leases } from "./leases.js";
import { type FleetPlan, writeTable } from "./plan.js";
import { type JobData, Queue } from "./queue.js";
import { type Identity, Workers } from "./workers.js";

export interface WorkerOptions {
  readonly db: Database;
  readonly plan: FleetPlan;
  readonly engine: Engine;
  readonly identity: Identity;
  readonly parallel: number;
  readonly clock: Clock;
  /** Takes no new stack from then on, and ends those that run. */
  readonly drain: AbortSignal;
  /** Interrupts those that run, too: others take them. */
  readonly interrupt: AbortSignal;
  readonly say: (line: string) => void;
  /** Seconds between looks at the queue. */
  readonly pollSeconds?: number;
}

/** Runs stacks until it is drained. */
export async function runWorker(options: WorkerOptions): Promise<void> {
  const { db, plan, identity, parallel, drain, clock, say, pollSeconds = 1 } = options;
  const seconds = leaseSeconds(plan.file);
  const queue = new Queue(db, plan.file.name);
  const workers = new Workers(db, plan.file.name);
  await workers.join(identity, seconds);
  const left = new AbortController();
  const beating = beat();
  try {
    const work = {
      localConcurrency: parallel,
      pollingIntervalSeconds: pollSeconds,
      // A job that waits for its time, or for its worker's lease to be over, is no news.
      notifyPollingIntervalSeconds: pollSeconds,
      heartbeatRefreshSeconds: seconds / 4,
    };
    await db.boss.work<JobData>(queue.name, work, async ([job]) => {
      if (!job) throw new Error("expected a job, got none");
      await queue.settle(job.id, await runJob(options, job));
    });
    say(`worker ${identity.id} takes up to ${parallel} stacks of ${plan.file.name} at a time`);
    if (!drain.aborted) await once(drain, "abort");
    say(`worker ${identity.id} drains`);
    await db.boss.offWork(queue.name, { wait: true });
  } finally {
    left.abort();
    await beating;
    await workers.leave(identity.id).catch(() => undefined);
  }

  async function beat(): Promise<void> {
    while (!left.signal.aborted) {
      // A data base that is away is waited for: leases say whether this worker may go on.
      await workers.heartbeat(identity.id).catch(() => undefined);
      await clock.wait((seconds * 1000) / 4, left.signal).catch(() => undefined);
    }
  }
}

async function runJob(options: WorkerOptions, { data }: Job<JobData>): Promise<Outcome> {
  const { db, plan, engine, identity, say, clock, interrupt } = options;
  if (data.version !== identity.version)
    return failed(
      `expected a job of version ${identity.version}, got one of ${data.version}; \`docsign fleet retry\` runs it with this version`,
    );
  if (data.digest !== identity.digest)
    return failed(
      "expected a job of this worker's fleet file, got one of another; `docsign fleet retry` runs it with this file",
    );
  const stack = plan.stacks.find(({ name }) => name === data.stack);
  if (!stack) return failed(`expected a stack of the fleet ${plan.file.name}, got ${data.stack}`);
  const leases = new Leases(db, plan.file.name);
  const seconds = leaseSeconds(plan.file);
  const takenAt = clock.now();
  const taken = await leases.take(stack.name, { worker: identity.id, host: identity.host }, seconds);
  if ("heldBy" in taken)
    throw new CommandError(
      `expected ${stack.name} to be free, got it run by ${taken.heldBy.worker} on ${taken.heldBy.host}`,
    );
  const { lease } = taken;
  const gone = lease.gone.at(-1);
  if (gone) say(`${stack.name}: taken over from ${gone.worker}, which was silent for longer than its lease`);
  else say(`${stack.name}: ${data.command}`);
  const keeper = new LeaseKeeper(leases, lease, seconds, takenAt, clock, interrupt);
  try {
    writeTable(stack);
    // A schedule's configuration goes over the stack's own.
    const configured = { ...stack, config: { ...stack.config, ...data.config } };
    const task = { command: data.command, stack: configured, program: plan.program, gone: lease.gone };
    const outcome = await engine.run(task, keeper.hooks).catch((error: unknown) => failed(messageOf(error)));
    keeper.assertHeld();
    if (interrupt.aborted && outcome.status !== "ok")
      throw new CommandError(`${stack.name} was interrupted; another worker goes on with it`);
    const result: Outcome =
      keeper.isCancelled && outcome.status !== "ok" ? { ...outcome, status: "cancelled" } : outcome;
    say(`${stack.name}: ${result.status}${result.reasons[0] === undefined ? "" : `, ${result.reasons[0]}`}`);
    return result;
  } finally {
    await keeper.end();
  }
}
