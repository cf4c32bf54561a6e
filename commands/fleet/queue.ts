import { randomUUID } from "node:crypto";
import type { JobWithMetadata } from "pg-boss";
import { CommandError } from "../cli/flags.js";
import { type Database, SCHEMA } from "./database.js";
import type { Outcome } from "./engine.js";
import type { FleetCommand } from "./file.js";

/** What a job says. A worker of another version or with another fleet file doesn't run it. */
export interface JobData {
  readonly run: string;
  readonly stack: string;
  readonly command: FleetCommand;
  readonly version: string;
  readonly digest: string;
  /** Configuration of a schedule, over the stack's own. */
  readonly config?: Readonly<Record<string, string>>;
}

export interface RunInfo {
  readonly id: string;
  readonly command: FleetCommand;
  readonly stacks: readonly string[];
}

export type JobState = "queued" | "running" | Outcome["status"];

/** A stack's part in a run. */
export interface StackJob {
  readonly id: string;
  readonly stack: string;
  readonly state: JobState;
  /** How often a worker was lost with it. */
  readonly losses: number;
  readonly outcome: Outcome | undefined;
  readonly seconds: number | undefined;
}

/** A worker that is lost is no fault of the stack: another tries, as often as it takes. */
const LOST_WORKERS = 1000;
const RETRY_SECONDS = 2;
const LONGEST_RUN_SECONDS = 86_400;
const KEPT_SECONDS = 30 * 86_400;

/** A channel of the data base's. */
const SETTLED = `${SCHEMA}.settled`;

/** The fleet's jobs. Each stack has one at most that waits or runs, whoever asked for it. */
export class Queue {
  readonly name: string;

  constructor(
    private readonly db: Database,
    private readonly fleet: string,
  ) {
    this.name = `fleet.${fleet}`;
  }

  async open(leaseSeconds: number): Promise<void> {
    const settings = {
      heartbeatSeconds: leaseSeconds,
      retryLimit: LOST_WORKERS,
      retryDelay: RETRY_SECONDS,
      expireInSeconds: LONGEST_RUN_SECONDS,
      deleteAfterSeconds: KEPT_SECONDS,
      // Workers needn't look to learn of a job.
      notify: true,
    };
    await this.db.boss.createQueue(this.name, { policy: "exclusive", ...settings });
    await this.db.boss.updateQueue(this.name, settings);
  }

  /** A job for each stack, all or none. */
  async begin(
    command: FleetCommand,
    stacks: readonly string[],
    about: Pick<JobData, "version" | "digest" | "config">,
  ): Promise<RunInfo> {
    const busy = (await this.busy()).filter(job => stacks.includes(job.data.stack));
    if (busy.length > 0) throw new CommandError(occupied(busy));
    const run = randomUUID();
    const { version, digest, config } = about;
    const common = { run, command, version, digest, ...(config ? { config } : {}) };
    const jobs = stacks.map(stack => ({
      data: { ...common, stack } satisfies JobData,
      singletonKey: stack,
    }));
    const added = (await this.db.boss.insert(this.name, jobs, { returnId: true })) ?? [];
    if (added.length < jobs.length) {
      // Another `up` came in between. None of its jobs has this run.
      await this.db.boss.cancel(this.name, added);
      throw new CommandError(occupied((await this.busy()).filter(job => stacks.includes(job.data.stack))));
    }
    await this.db.sql`
      insert into ${this.db.sql(`${SCHEMA}.run`)} (id, fleet, command, stacks, version)
      values (${run}, ${this.fleet}, ${command}, ${[...stacks]}, ${about.version})`;
    return { id: run, command, stacks };
  }

  async lastRun(): Promise<RunInfo | undefined> {
    const [row] = await this.db.sql`
      select id, command, stacks from ${this.db.sql(`${SCHEMA}.run`)}
      where fleet = ${this.fleet} order by started_at desc limit 1`;
    return row as RunInfo | undefined;
  }

  /** Every stack of a run, in its order. */
  async jobs(run: RunInfo): Promise<StackJob[]> {
    const found = await this.db.boss.findJobs<JobData>(this.name, { data: { run: run.id } });
    const byStack = new Map(found.map(job => [job.data.stack, job]));
    return run.stacks.flatMap(stack => {
      const job = byStack.get(stack);
      return job ? [stackJob(job)] : [];
    });
  }

  /** Those of a run's jobs. */
  async someJobs(run: RunInfo, ids: readonly string[]): Promise<StackJob[]> {
    const data = { run: run.id };
    const found = await Promise.all(ids.map(id => this.db.boss.findJobs<JobData>(this.name, { id, data })));
    return found.flat().map(stackJob);
  }

  /** Writes what came of a job, and tells who follows it. */
  async settle(id: string, outcome: Outcome): Promise<void> {
    await this.db.boss.complete(this.name, id, outcome);
    await this.db.sql`select pg_notify(${SETTLED}, ${id})`.catch(() => undefined);
  }

  /** Calls `heard` with each job that is settled, of any fleet; with none where some may have gone unheard. */
  onSettled(heard: (id: string | undefined) => void): Promise<void> {
    return this.db.listen(SETTLED, id => heard(id || undefined));
  }

  /** Takes jobs that wait out of the queue; answers the stacks that run, whose workers have to be asked. */
  async cancel(stacks: readonly string[]): Promise<{ taken: string[]; running: string[] }> {
    const busy = (await this.busy()).filter(job => stacks.includes(job.data.stack));
    const waiting = busy.filter(({ state }) => state !== "active");
    if (waiting.length > 0)
      await this.db.boss.cancel(
        this.name,
        waiting.map(({ id }) => id),
      );
    const running = busy.filter(({ state }) => state === "active").map(({ data }) => data.stack);
    return { taken: waiting.map(({ data }) => data.stack), running };
  }

  /** Takes back what a run left that ended with its process: nobody else is there to go on with it. */
  async abandon(): Promise<void> {
    await this.db.boss.supervise(this.name);
    await this.cancel((await this.busy()).map(({ data }) => data.stack));
  }

  /** Jobs that wait or run, of any run. */
  async busy(): Promise<JobWithMetadata<JobData>[]> {
    const all = await this.db.boss.findJobs<JobData>(this.name, {});
    const busy = all.filter(({ state }) => ["created", "retry", "active"].includes(state));
    return busy.sort((a, b) => (a.data.stack < b.data.stack ? -1 : 1));
  }
}

function occupied(jobs: readonly JobWithMetadata<JobData>[]): string {
  const stacks = jobs
    .slice(0, 5)
    .map(({ data, state }) => `${data.stack} (${data.command}, ${state === "active" ? "running" : "queued"})`);
  const more = jobs.length > 5 ? ` and ${jobs.length - 5} more` : "";
  return `expected stacks without a job, got ${stacks.join(", ")}${more}. \`docsign fleet status\` shows them, \`docsign fleet cancel\` ends them.`;
}

function stackJob({ id, data, state, output, retryCount, startedOn, completedOn }: JobWithMetadata<JobData>): StackJob {
  const outcome = state === "completed" ? (output as Outcome) : undefined;
  const states = {
    created: "queued",
    retry: "queued",
    active: "running",
    cancelled: "cancelled",
    failed: "failed",
  } as const;
  return {
    id,
    stack: data.stack,
    state: state === "completed" ? (outcome?.status ?? "failed") : states[state],
    losses: retryCount,
    outcome,
    seconds: startedOn && completedOn ? (completedOn.getTime() - startedOn.getTime()) / 1000 : undefined,
  };
}
