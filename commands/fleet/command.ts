import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Environment } from "../../provider/config.js";
import type { Clock } from "../../provider/core/clock.js";
import { counted, firstFew } from "../../provider/core/text.js";
import { boardOf, boardPage, readExport } from "../board/index.js";
import { exportStack } from "../board/read.js";
import { CommandError, messageOf, UsageError } from "../cli/flags.js";
import { EXIT } from "../gate-status/verdict.js";
import { Display, tableOf, totalsOf } from "./display.js";
import type { Engine } from "./engine.js";
import { exported } from "./export.js";
import type { FleetCommand } from "./file.js";
import { COMMANDS, type Flags, help, readFlags, usage } from "./flags.js";
import { moveRows, refusalOf, rememberShards, shardChangeOf } from "./moves.js";
import { chosen } from "./plan.js";
import { exitCodeOf, follow, isFinished, previewTotal, refuseOtherMails, toRetry } from "./runs.js";
import { openSession, readPlan, refuseMissing, type Session } from "./session.js";
import { runWorker, type WorkerOptions } from "./worker.js";
import { refuseOthers } from "./workers.js";

export interface CommandIo {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly isTerminal: boolean;
  readonly env: Environment;
  readonly cwd: string;
  readonly version: string;
  readonly host: string;
  readonly pid: number;
  readonly packagesFrom: readonly string[];
  readonly clock: Clock;
  /** The first Ctrl-C, and the second. */
  readonly drain: AbortSignal;
  readonly interrupt: AbortSignal;
  readonly engine: (session: Session) => Engine & Disposable;
}

/** What `docsign fleet` does; answers its exit code. */
export async function main(argv: readonly string[], io: CommandIo): Promise<number> {
  try {
    const flags = readFlags(argv);
    if (flags.wants === "help") return say(io, help);
    if (flags.wants === "version") return say(io, `docsign fleet ${io.version}\n`);
    if (flags.wants === "export") return say(io, exported(readPlan(flags.file, io.cwd), flags));
    await using session = await openSession(flags.file, flags.wants === "worker", io);
    return await inSession(session, flags, io);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    io.err(`docsign fleet: ${error.message}\n${error instanceof UsageError ? `${usage}\n` : ""}`);
    return error instanceof UsageError ? EXIT.usage : EXIT.wrong;
  }
}

function say({ out }: CommandIo, text: string): number {
  out(text);
  return EXIT.ok;
}

async function inSession(session: Session, flags: Flags, io: CommandIo): Promise<number> {
  const { wants } = flags;
  if (wants === "worker") return worker(session, flags, io);
  if (wants === "status") return status(session, flags, io);
  if (wants === "cancel") return cancel(session, flags, io);
  if (wants === "retry") {
    const last = await session.queue.lastRun();
    if (!last) throw new CommandError("expected a run before, got none");
    return run(session, last.command, toRetry(await session.queue.jobs(last), flags.stacks), flags, io);
  }
  const command = COMMANDS.find(one => one === wants);
  if (command === undefined) throw new UsageError(`expected a command, got ${wants}`);
  const stacks = chosen(session.plan, flags.stacks).map(({ name }) => name);
  return run(session, command, stacks, flags, io);
}

async function worker(session: Session, flags: Flags, io: CommandIo): Promise<number> {
  refuseMissing(session.plan, io.env);
  await register(session);
  await work(session, flags, io, { drain: io.drain, say: line => io.out(`${line}\n`) });
  return EXIT.ok;
}

async function work(
  session: Session,
  { parallel }: Flags,
  io: CommandIo,
  how: Pick<WorkerOptions, "drain" | "say" | "pollSeconds">,
): Promise<void> {
  using engine = io.engine(session);
  const { clock, interrupt } = io;
  await runWorker({
    ...{ ...session, engine, clock, interrupt, ...how },
    parallel: parallel ?? session.plan.file.workers.parallel,
  });
}

/** Enqueues a job for each stack and follows them; works, too, where nobody else does. */
async function run(
  session: Session,
  command: FleetCommand,
  stacks: readonly string[],
  flags: Flags,
  io: CommandIo,
): Promise<number> {
  const { queue, leases, workers, identity, plan } = session;
  const works = session.isAlone || flags.work;
  const others = await workers.alive();
  refuseOthers(others, identity);
  if (works) refuseMissing(plan, io.env);
  if (!works && others.length === 0)
    io.err("docsign fleet: no worker runs; `docsign fleet worker` starts one, --work makes this process one\n");
  if (session.isAlone && others.length === 0) await queue.abandon();
  await grow(session, command, flags, io);
  const drain = new AbortController();
  const how = { drain: AbortSignal.any([drain.signal, io.drain]), say: () => undefined, pollSeconds: 0.5 };
  const helper = works ? work(session, flags, io, how) : undefined;
  const helped = helper?.catch(() => drain.abort());
  // Who works here drains before leaving.
  const leave = works ? AbortSignal.any([io.interrupt, drain.signal]) : io.drain;
  const display = new Display(io.out, io.isTerminal);
  const around = { queue, leases, display, clock: io.clock, leave };
  const takeBack = () => void queue.cancel(stacks).catch(() => undefined);
  const one = async (each: FleetCommand) => {
    const info = await queue.begin(each, stacks, identity);
    if (works) leave.addEventListener("abort", takeBack, { once: true });
    if (works) io.drain.addEventListener("abort", takeBack, { once: true });
    io.out(`${each} of ${counted(stacks.length, "stack")} of ${plan.file.name} begins\n`);
    return follow(info, around);
  };
  try {
    if (flags.expectMails !== undefined) {
      const previewed = await one("preview");
      if (!leave.aborted) refuseOtherMails(previewed, flags.expectMails);
    }
    if (io.drain.aborted) return EXIT.wrong;
    const jobs = await one(command);
    if (leave.aborted && !works) {
      io.out(
        "The run goes on without this process: `docsign fleet status` shows it, `docsign fleet cancel` ends it.\n",
      );
      return EXIT.wrong;
    }
    io.out(`\n${tableOf(jobs)}${command === "preview" ? previewTotal(jobs) : ""}`);
    if (flags.board !== undefined) await writeBoard(resolve(io.cwd, flags.board), session, io);
    return exitCodeOf(jobs);
  } finally {
    drain.abort();
    await helped;
    await helper;
  }
}

/** A number of shards that changed is refused, unless the rows may move first. */
async function grow(session: Session, command: FleetCommand, flags: Flags, io: CommandIo): Promise<void> {
  const growth = await shardChangeOf(session);
  if (growth && !flags.move) throw refusalOf(growth);
  if (growth) {
    using engine = io.engine(session);
    await moveRows(session, growth, engine);
    io.out(`${growth.moves} contracts are in the states of their new stacks; nobody was mailed\n`);
  }
  if (command === "up") await rememberShards(session);
}

async function status({ queue, leases, workers, plan }: Session, flags: Flags, io: CommandIo): Promise<number> {
  const last = await queue.lastRun();
  const [jobs, running, alive] = await Promise.all([last ? queue.jobs(last) : [], leases.all(), workers.alive()]);
  if (flags.json) {
    const run = last && { id: last.id, command: last.command, jobs };
    return say(io, `${JSON.stringify({ fleet: plan.file.name, run, running, workers: alive }, null, 2)}\n`);
  }
  const lines = running.map(
    ({ stack, worker, note, silent }) => `${stack}: ${silent ? "silent" : note || "starts"} (${worker})`,
  );
  const named = alive.length > 0 ? `: ${alive.map(({ id }) => id).join(", ")}` : "";
  const workersLine = `${counted(alive.length, "worker")}${named}`;
  if (!last) return say(io, `${workersLine}\nNothing was run yet.\n`);
  io.out([workersLine, ...lines, `Last run: ${last.command}`, "", tableOf(jobs)].join("\n"));
  return exitCodeOf(jobs.filter(isFinished));
}

async function cancel({ queue, leases, plan }: Session, flags: Flags, io: CommandIo): Promise<number> {
  const { taken, running } = await queue.cancel(chosen(plan, flags.stacks).map(({ name }) => name));
  await leases.cancel(running);
  if (taken.length > 0) io.out(`taken out of the queue: ${firstFew(taken, 5)}\n`);
  if (running.length > 0) io.out(`asked to stop: ${firstFew(running, 5)}\n`);
  if (taken.length + running.length === 0) io.out(`nothing of ${plan.file.name} waits or runs\n`);
  const last = await queue.lastRun();
  if (last) io.out(`${totalsOf(await queue.jobs(last))}\n`);
  return EXIT.ok;
}

// ---- The board's page ----

const LATE_AFTER_DAYS = 14;

/** The board's page over every stack of the fleet. */
async function writeBoard(path: string, { plan }: Session, { env, clock, out, err }: CommandIo): Promise<void> {
  const states = [];
  for (const stack of plan.stacks) {
    const state = await exportStack(stack.name, { cwd: plan.program, env: { ...env, ...stack.env } }).catch(
      (error: unknown) => {
        err(`docsign fleet: ${stack.name} isn't on the board: ${messageOf(error)}\n`);
        return undefined;
      },
    );
    if (state !== undefined) states.push(readExport(state, stack.name));
  }
  await writeFile(path, boardPage(boardOf(states, { now: new Date(clock.now()), lateAfterDays: LATE_AFTER_DAYS })));
  out(`The board is in ${path}\n`);
}

// ---- Schedules ----

/**
 * Gives the job engine the fleet file's schedules, and forgets those that it no longer has. Whichever worker takes a
 * schedule's job begins the run; stacks that have a job from before are left out.
 */
async function register({ db, plan, queue, identity }: Session): Promise<void> {
  const { boss } = db;
  const { schedules } = plan.file;
  const name = `fleet.${plan.file.name}.schedule`;
  await boss.createQueue(name, { policy: "singleton", retryLimit: 0, expireInSeconds: 600 });
  for (const { key } of await boss.getSchedules(name))
    if (!schedules.some(schedule => schedule.name === key)) await boss.unschedule(name, key);
  for (const { name: key, cron, timezone: tz } of schedules) {
    await boss.schedule(name, cron, { schedule: key }, { tz, key, singletonKey: key }).catch((error: Error) => {
      throw new CommandError(
        `schedule ${key}: expected a cron expression such as "0 2 * * *", got ${cron} (${error.message})`,
      );
    });
  }
  await boss.work<{ schedule: string }>(name, { pollingIntervalSeconds: 5 }, async ([job]) => {
    const schedule = schedules.find(each => each.name === job?.data.schedule);
    if (!schedule) return;
    const busy = new Set((await queue.busy()).map(each => each.data.stack));
    const stacks = plan.stacks.map(stack => stack.name).filter(stack => !busy.has(stack));
    const { version, digest } = identity;
    const { command, config } = schedule;
    if (stacks.length > 0) await queue.begin(command, stacks, { version, digest, ...(config && { config }) });
  });
}
