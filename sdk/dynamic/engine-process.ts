import { subscribe } from "node:diagnostics_channel";
import { setTimeout as pause } from "node:timers/promises";
import { EngineLog } from "../../kit/log.js";
import { propertiesWhere } from "../../kit/property.js";
import { secretTexts } from "../../kit/secrets.js";
import type { Values } from "../../kit/values.js";
import { configInputs } from "../../provider/config.js";
import { createRuntime, type Runtime } from "../../provider/runtime.js";
import { keepHostQuiet } from "./errors.js";

declare const DOCSIGN_VERSION: string | undefined;

/** Set by the build; sources run as they are have none. */
export const version = typeof DOCSIGN_VERSION === "string" ? DOCSIGN_VERSION : "0.0.0";

/** How long calls in flight may take to answer once the process is to end: a create that was sent may still be answered. */
const GRACE_MS = 4_500;
const CLOSE_MS = 500;

/** The process the engine runs dynamic providers in: started with the engine's address, ended by a signal. */
export interface EngineProcess {
  readonly runtime: Runtime;
  readonly log: EngineLog;
  readonly signal: AbortSignal;
  configure(setting: (name: string) => unknown): void;
  /** Texts of the configuration that go into no message. */
  readonly secrets: readonly string[];
  /** Keeps the process until the work is done, or a moment longer when it is to end. */
  during<T>(work: Promise<T>): Promise<T>;
}

export function openEngineProcess(process: NodeJS.Process): EngineProcess {
  const engine = process.argv
    .slice(2)
    .filter(arg => !arg.startsWith("-"))
    .at(-1);
  const runtime = createRuntime({ env: process.env, version, engine, pid: process.pid });
  const cancellation = new AbortController();
  const inFlight = new Set<Promise<unknown>>();
  const secrets: string[] = [];

  let ending = false;
  const cancel = (why: string): void => cancellation.abort(new DOMException(why, "AbortError"));
  const end = (why: string): void => {
    if (ending) return;
    ending = true;
    cancel(why);
    const rest = async () => {
      await within(GRACE_MS, Promise.allSettled(inFlight));
      log.close();
      await within(CLOSE_MS, runtime.close());
    };
    void rest().finally(() => process.exit());
  };
  const log = new EngineLog({
    stderr: line => void process.stderr.write(`${line}\n`),
    onGone: () => end("the engine is gone"),
  });
  if (engine !== undefined) log.attach(engine);
  onCancel(() => cancel("the deployment was cancelled"));
  // At the end of a deployment, when state is written.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => end(`got ${signal}`));
  }
  keepHostQuiet(console);

  return {
    runtime,
    log,
    signal: cancellation.signal,
    secrets,
    configure(setting) {
      const values: Values = Object.fromEntries(settingsIn(setting));
      secrets.push(...secretSettings(values));
      runtime.configure(values);
    },
    async during(work) {
      const call = work.catch(() => undefined).finally(() => inFlight.delete(call));
      inFlight.add(call);
      return work;
    },
  };
}

/**
 * The host answers the engine's Cancel (Ctrl-C) and does nothing. But it runs in this process, and Node tells whoever asks
 * of each request that arrives. A Node that doesn't tell leaves a call under way to go on to its end.
 */
function onCancel(cancel: () => void): void {
  subscribe("http2.server.stream.created", message => {
    const { headers } = message as { headers?: Record<string, unknown> };
    if (headers?.[":path"] === "/pulumirpc.ResourceProvider/Cancel") cancel();
  });
}

/** What the stack's configuration says, by name. */
export const settingsIn = (setting: (name: string) => unknown): [string, string][] =>
  Object.keys(configInputs.shape).flatMap(name => {
    const value = setting(name);
    return value === undefined || value === null ? [] : [[name, String(value)]];
  });

/** Texts of the configuration that go into no message. */
export const secretSettings = (values: Values): string[] =>
  secretTexts({ values, secrets: propertiesWhere(configInputs, meta => meta.secret === true).map(name => [name]) });

const within = (ms: number, work: Promise<unknown>): Promise<unknown> =>
  Promise.race([work, pause(ms, undefined, { ref: false })]);
