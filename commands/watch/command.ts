import { dirname, resolve } from "node:path";
import { createService } from "../../provider/client/client.js";
import { type Environment, settingsFrom } from "../../provider/config.js";
import type { Clock } from "../../provider/core/clock.js";
import { createRuntime } from "../../provider/runtime.js";
import { type LockOptions, SILENT, tryLock } from "../../scripts/setup/lock.mjs";
import { messageOf, parseFlags, readGiven, UsageError } from "../cli/flags.js";
import { makeFolder } from "../cli/folder.js";
import { flags, HELP } from "./flags.js";
import { notify } from "./notify.js";
import { parseSettings, SettingsError, type WatchSettings } from "./settings.js";
import type { Effects } from "./wake.js";
import { Watcher } from "./watcher.js";

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
  let file = "";
  try {
    const { values, positionals } = parseFlags(argv, flags);
    if (values.help) {
      io.out(HELP);
      return 0;
    }
    file = positionals[0] ?? "";
    if (positionals.length !== 1)
      throw new UsageError(`expected one file with settings, got ${positionals.join(" ") || "none"}`);
    await watch(resolve(io.cwd, file), values.once ?? false, io);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      io.err(`docsign watch: ${error.message}\n\n${HELP}`);
      return 2;
    }
    const where = error instanceof SettingsError ? `${file}: ` : "";
    io.err(`docsign watch: ${where}${messageOf(error)}\n`);
    return 1;
  }
}

/** Fails only once everybody was told who could be. */
async function tell({ notify: channels }: WatchSettings, folder: string, io: CommandIo): Promise<void> {
  if (channels.length === 0) return;
  const { env, clock, effects, version, stop } = io;
  const runtime = createRuntime({ env, version, engine: undefined, pid: process.pid, clock });
  try {
    const { service, journal } = { service: runtime.context.service(), journal: runtime.journal() };
    const say = sayIn(io);
    const failed: string[] = [];
    for (const channel of channels)
      if (!(await notify(channel, { folder, env, service, journal, clock, effects, signal: stop, say })))
        failed.push(channel.name);
    if (failed.length > 0) throw new Error(`not all could be told: ${failed.join(", ")}. The next run goes on`);
  } finally {
    await runtime.close();
  }
}

const sayIn =
  ({ clock, out }: CommandIo) =>
  (line: string): void =>
    out(`${new Date(clock.now()).toISOString()} ${line}\n`);

async function watch(path: string, once: boolean, io: CommandIo): Promise<void> {
  const { env, clock, effects, version } = io;
  const settings = parseSettings(readGiven(path).toString("utf8"));
  if (settings.notify.length > 0 && !once)
    throw new UsageError("expected --once with `notify`: a scheduler starts it again and again");
  const { baseUrl, credentials, obstacles, requestTimeoutMs } = settingsFrom({}, env);
  if (baseUrl === undefined || credentials === undefined || obstacles.length > 0) throw new Error(obstacles.join("\n"));
  const folder = dirname(path);
  await tell(settings, folder, io);
  if (settings.wake.length === 0) return;
  const memoryPath = resolve(folder, settings.memory);
  const lost = new AbortController();
  using _ = lock(`${memoryPath}.watcher`, { ...io.lock, onLost: () => lost.abort() });
  const stop = AbortSignal.any([io.stop, lost.signal]);
  const userAgent = `pulumi-docsign-watch/${version}`;
  // One request for each question: what fails is asked again when its turn comes.
  const limits = { callMs: 0 };
  const service = createService({
    baseUrl,
    credentials,
    requestTimeoutMs,
    clock,
    userAgent,
    limits,
    maxConcurrency: 1,
  });
  try {
    const say = sayIn(io);
    const watcher = new Watcher({ settings, folder, memoryPath, service, clock, effects, say });
    if (once) await watcher.once(stop);
    else await watcher.run(stop);
    if (lost.signal.aborted)
      throw new Error("another watcher took over: this one gave no sign of life for a minute, and stops");
  } finally {
    await service.close();
  }
}

/** One watcher for a memory: two would ask twice as often, and wake everybody twice. */
export function lock(path: string, options: LockOptions): Disposable {
  makeFolder(dirname(path));
  const { lock: taken, holder } = tryLock(path, options);
  if (taken) return { [Symbol.dispose]: () => taken.release() };
  throw new Error(
    `expected to be the only watcher of its memory, got process ${holder.pid} on ${holder.host} (${path}.lock). ` +
      `One that has ended without a word, on another machine or in another container, is taken over from after ${SILENT / 1000} seconds.`,
  );
}
