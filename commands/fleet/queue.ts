import { randomUUID } from "node:crypto";
import type { JobWithMetadata } from "pg-boss";
import { firstFew } from "../../provider/core/text.js";
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

const DAY_SECONDS = 86_400;

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
      // A worker that is lost is no fault of the stack: another tries, as often as it takes.
      retryLimit: 1000,
      retryDelay: 2,
      expireInSeconds: DAY_SECONDS,
      deleteAfterSeconds: 30 * DAY_SECONDS,
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
    const busy = await this.busy(stacks);
    if (busy.length > 0) throw occupied(busy);
    const run = randomUUID();
    const { version, digest, config } = about;
    const common = { run, command, version, digest, ...(config ? { config } : {}) };
    const jobs = stacks.map(stack => ({ data: { ...common, stack } satisfies JobData, singletonKey: stack }));
    const added = (await this.db.boss.insert(this.name, jobs, { returnId: true })) ?? [];
    if (added.length < jobs.length) {
      // Another `up` came in between. None of its jobs has this run.
      await this.db.boss.cancel(this.name, added);
      throw occupied(await this.busy(stacks));
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
    const byStack = new Map(found.map(job => [job.data.stack, stackJob(job)]));
    return run.stacks.flatMap(stack => byStack.get(stack) ?? []);
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
    const busy = await this.busy(stacks);
    const waiting = busy.filter(({ state }) => state !== "active");
    const ids = waiting.map(({ id }) => id);
    if (ids.length > 0) await this.db.boss.cancel(this.name, ids);
    return { taken: stacksOf(waiting), running: stacksOf(busy.filter(({ state }) => state === "active")) };
  }

  /** Takes back what a run left that ended with its process: nobody else is there to go on with it. */
  async abandon(): Promise<void> {
    await this.db.boss.supervise(this.name);
    await this.cancel(stacksOf(await this.busy()));
  }

  /** Jobs of these stacks, or of all, that wait or run, of any run. */
  async busy(stacks?: readonly string[]): Promise<JobWithMetadata<JobData>[]> {
    const all = await this.db.boss.findJobs<JobData>(this.name, {});
    const busy = all.filter(({ state }) => ["created", "retry", "active"].includes(state));
    return busy
      .filter(({ data }) => !stacks || stacks.includes(data.stack))
      .sort((a, b) => (a.data.stack < b.data.stack ? -1 : 1));
  }
}

const stacksOf = (jobs: readonly JobWithMetadata<JobData>[]): string[] => jobs.map(({ data }) => data.stack);

function occupied(jobs: readonly JobWithMetadata<JobData>[]): CommandError {
  const stacks = jobs.map(
    ({ data, state }) => `${data.stack} (${data.command}, ${state === "active" ? "running" : "queued"})`,
  );
  return new CommandError(
    `expected stacks without a job, got ${firstFew(stacks, 5)}. \`docsign fleet status\` shows them, \`docsign fleet cancel\` ends them.`,
  );
}

function stackJob({ id, data, state, output, retryCount, startedOn, completedOn }: JobWithMetadata<JobData>): StackJob {
  const outcome = state === "completed" ? (output as Outcome) : undefined;
  const queued = state === "created" || state === "retry";
  const unsettled = queued ? "queued" : state === "active" ? "running" : state === "cancelled" ? state : "failed";
  return {
    id,
    stack: data.stack,
    state: outcome?.status ?? unsettled,
    losses: retryCount,
    outcome,
    seconds: startedOn && completedOn ? (completedOn.getTime() - startedOn.getTime()) / 1000 : undefined,
  };
}
