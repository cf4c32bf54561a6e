import { dirname, resolve } from "node:path";
import { createService } from "../../provider/client/client.js";
import { type Environment, settingsFrom } from "../../provider/config.js";
import type { Clock } from "../../provider/core/clock.js";
import { createRuntime } from "../../provider/runtime.js";
import { type Lock, type LockOptions, SILENT, tryLock } from "../../scripts/setup/lock.mjs";
import { messageOf, parseFlags, readGiven, UsageError } from "../cli/flags.js";
import { makeFolder } from "../cli/folder.js";
import { flags, HELP } from "./flags.js";
import { notify } from "./notify.js";
import { parseSettings, type WatchSettings } from "./settings.js";
import { type Effects, Watcher } from "./watcher.js";

export interface CommandIo {
  readonly env: Environment;
  readonly cwd: string;
  /** For the lock on the watcher's memory. */
  readonly lock: Pick<LockOptions, "self" | "isAlive">;
  readonly clock: Clock;
  readonly effects: Effects;
  readonly stop: AbortSignal;
  readonly version: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** What \`docsign watch\` does; returns its exit code. */
export async function main(argv: readonly string[], io: CommandIo): Promise<number> {
  try {
    const { values, positionals } = parseFlags(argv, flags);
    const [file = "", ...more] = positionals;
    if (values.help) io.out(HELP);
    else if (file === "" || more.length > 0)
      throw new UsageError(`expected one file with settings, got ${positionals.join(" ") || "none"}`);
    else await watch(file, values.once ?? false, io);
    return 0;
  } catch (error) {
    const isUsage = error instanceof UsageError;
    io.err(`docsign watch: ${messageOf(error)}\n${isUsage ? `\n${HELP}` : ""}`);
    return isUsage ? 2 : 1;
  }
}

/** Fails only once everybody was told who could be. */
async function tell({ notify: channels }: WatchSettings, folder: string, io: CommandIo): Promise<void> {
  if (channels.length === 0) return;
  const { env, clock, effects, version, stop } = io;
  const runtime = createRuntime({ env, version, engine: undefined, pid: process.pid, clock });
  try {
    const about = { service: runtime.context.service(), journal: runtime.context.journal, say: sayIn(io) };
    const failed: string[] = [];
    for (const channel of channels)
      if (!(await notify(channel, { ...about, folder, env, clock, effects, signal: stop }))) failed.push(channel.name);
    if (failed.length > 0) throw new Error(`not all could be told: ${failed.join(", ")}. The next run goes on`);
  } finally {
    await runtime.close();
  }
}

const sayIn =
  ({ clock, out }: CommandIo) =>
  (line: string): void =>
    out(`${new Date(clock.now()).toISOString()} ${line}\n`);

async function watch(file: string, once: boolean, io: CommandIo): Promise<void> {
  const { env, clock, effects, version } = io;
  const path = resolve(io.cwd, file);
  const settings = parseSettings(readGiven(path).toString("utf8"), file);
  if (settings.notify.length > 0 && !once)
    throw new UsageError("expected --once with `notify`: a scheduler starts it again and again");
  const { baseUrl, credentials, obstacles, ...given } = settingsFrom({}, env);
  if (baseUrl === undefined || credentials === undefined || obstacles.length > 0) throw new Error(obstacles.join("\n"));
  const folder = dirname(path);
  await tell(settings, folder, io);
  if (settings.wake.length === 0) return;
  const memoryPath = resolve(folder, settings.memory);
  const lost = new AbortController();
  using _ = lock(`${memoryPath}.watcher`, { ...io.lock, onLost: () => lost.abort() });
  const stop = AbortSignal.any([io.stop, lost.signal]);
  const service = createService({
    ...{ ...given, baseUrl, credentials, clock, maxConcurrency: 1, firstConcurrency: 1 },
    userAgent: `pulumi-docsign-watch/${version}`,
    // One request for each question: what fails is asked again when its turn comes.
    limits: { callMs: 0 },
  });
  try {
    const watcher = new Watcher({ settings, folder, memoryPath, service, clock, effects, say: sayIn(io) });
    if (once) await watcher.once(stop);
    else await watcher.run(stop);
    if (lost.signal.aborted)
      throw new Error("another watcher took over: this one gave no sign of life for a minute, and stops");
  } finally {
    await service.close();
  }
}

/** One watcher for a memory: two would ask twice as often, and wake everybody twice. */
export function lock(path: string, options: LockOptions): Lock {
  makeFolder(dirname(path));
  const { lock: taken, holder } = tryLock(path, options);
  if (taken) return taken;
  throw new Error(
    `expected to be the only watcher of its memory, got process ${holder.pid} on ${holder.host} (${path}.lock). ` +
      `One that has ended without a word, on another machine or in another container, is taken over from after ${SILENT / 1000} seconds.`,
  );
}
