import { CommandError } from "../cli/flags/errors.js";
import type { JobData } from "./queue.js";
import type { Session } from "./session.js";

/** A schedule's jobs: each begins a run over all stacks. */
export const scheduleQueue = (fleet: string): string => `fleet.${fleet}.schedule`;

/**
 * Gives the job engine the fleet file's schedules, and forgets those that it no longer has. Whichever worker takes a
 * schedule's job begins the run; stacks that have a job from before are left out.
 */
export async function register({ db, plan, queue, identity }: Session): Promise<void> {
  const { boss } = db;
  const { name: fleet, schedules } = plan.file;
  const name = scheduleQueue(fleet);
  await boss.createQueue(name, { policy: "singleton", retryLimit: 0, expireInSeconds: 600 });
  for (const { key } of await boss.getSchedules(name))
    if (!schedules.some(schedule => schedule.name === key)) await boss.unschedule(name, key);
  for (const { name: key, cron, timezone } of schedules) {
    await boss
      .schedule(name, cron, { schedule: key }, { tz: timezone, key, singletonKey: key })
      .catch((error: Error) => {
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
    const about: Pick<JobData, "version" | "digest" | "config"> = { version, digest };
    if (stacks.length > 0)
      await queue.begin(schedule.command, stacks, schedule.config ? { ...about, config: schedule.config } : about);
  });
}
