import type { Clock } from "../../provider/core/clock.js";
import { counted, firstFew } from "../../provider/core/text.js";
import { CommandError } from "../cli/flags.js";
import { EXIT } from "../gate-status/verdict.js";
import type { Display } from "./display.js";
import type { Leases } from "./leases.js";
import type { Queue, RunInfo, StackJob } from "./queue.js";

const POLL_MS = 500;

interface FollowOptions {
  readonly queue: Queue;
  readonly leases: Leases;
  readonly display: Display;
  readonly clock: Clock;
  /** Ends the following, and not the run. */
  readonly leave: AbortSignal;
}

/** Follows a run to its end, or until it is left. A data base that is away is waited for. */
export async function follow(run: RunInfo, { queue, leases, display, clock, leave }: FollowOptions) {
  let jobs: StackJob[] = [];
  /** Since the last look. Undefined: any may be, and all are read. */
  let settled: Set<string> | undefined;
  let news = new AbortController();
  const wake = () => news.abort();
  leave.addEventListener("abort", wake, { once: true });
  const heard = (id: string | undefined) => {
    if (id === undefined) settled = undefined;
    else settled?.add(id);
    wake();
  };
  // Where nothing can be heard, looks every now and then have to do.
  await queue.onSettled(heard).catch(() => undefined);
  while (!leave.aborted) {
    news = new AbortController();
    const ids = settled;
    settled = new Set();
    const reading = ids ? queue.someJobs(run, [...ids]) : queue.jobs(run);
    const answers = await Promise.all([reading, leases.all()]).catch(() => undefined);
    if (answers) {
      const [read, running] = answers;
      jobs = [...new Map([...jobs, ...read].map(job => [job.id, job])).values()];
      // A job that has begun isn't read again for that: its lease tells.
      const held = new Set(running.map(({ stack }) => stack));
      const begun = ({ state, stack }: StackJob) => state === "queued" && held.has(stack);
      display.update(
        jobs.map(job => (begun(job) ? { ...job, state: "running" } : job)),
        running,
      );
      if (jobs.every(isFinished)) break;
    } else settled = undefined;
    await clock.wait(POLL_MS, news.signal).then(
      () => (settled = undefined),
      () => undefined,
    );
  }
  display.clear();
  return jobs;
}

export const isFinished = ({ state }: StackJob): boolean => state !== "queued" && state !== "running";

export function exitCodeOf(jobs: readonly StackJob[]): number {
  if (jobs.every(({ state }) => state === "ok")) return EXIT.ok;
  return jobs.every(({ state }) => state === "ok" || state === "waiting") ? EXIT.waiting : EXIT.wrong;
}

/** Refuses an up whose preview says something else than the person expects. */
export function refuseOtherMails(jobs: readonly StackJob[], expected: number): void {
  const failed = jobs.filter(({ state }) => state !== "ok");
  if (failed.length > 0)
    throw new CommandError(`expected a preview of every stack, got none of ${some(failed)}; nothing was begun`);
  const unknown = jobs.filter(({ outcome }) => outcome?.mails === undefined);
  if (unknown.length > 0)
    throw new CommandError(
      `expected to know whom every stack mails, got people not known yet in ${some(unknown)}; nothing was begun`,
    );
  const mails = mailsOf(jobs);
  if (mails !== expected)
    throw new CommandError(`expected ${counted(expected, "mail")}, got ${counted(mails, "mail")}; nothing was begun`);
}

const some = (jobs: readonly StackJob[]): string =>
  firstFew(
    jobs.map(({ stack }) => stack),
    5,
  );

const mailsOf = (jobs: readonly StackJob[]): number =>
  jobs.reduce((sum, { outcome }) => sum + (outcome?.mails ?? 0), 0);

/** How many mails an up would send, by its preview. */
export function previewTotal(jobs: readonly StackJob[]): string {
  const unknown = jobs.filter(({ outcome }) => outcome?.mails === undefined).length;
  const more = unknown === 0 ? "" : `, and people not known yet in ${counted(unknown, "stack")}`;
  return `${counted(mailsOf(jobs), "mail")} would be sent${more}\n`;
}

/** Which stacks of a run didn't go well. */
export function toRetry(jobs: readonly StackJob[], names: readonly string[]): string[] {
  const wrong = jobs.filter(job => isFinished(job) && job.state !== "ok").map(({ stack }) => stack);
  const wanted = names.length === 0 ? wrong : wrong.filter(stack => names.includes(stack));
  if (wanted.length > 0) return wanted;
  throw new CommandError("expected stacks of the last run that didn't go well, got none");
}
