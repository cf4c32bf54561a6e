import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import type { Values } from "../../kit/values.js";
import { ANSWER_MS } from "../../provider/resources/journal/log.js";
import type { Call, Log } from "../../provider/resources/resource.js";
import { createRuntime, type Runtime } from "../../provider/runtime.js";
import { scratchFolder } from "./scratch.js";

export interface Line {
  readonly severity: "info" | "warn" | "progress" | "debug";
  readonly text: string;
}

/** One `pulumi` run on a machine: a process of its own, sharing the machine's disk with the runs before it. */
export interface Run extends AsyncDisposable {
  readonly runtime: Runtime;
  readonly lines: Line[];
  call(name: string, options?: Partial<Call> & { type?: string }): Call;
  /** As the engine ends a run in order. */
  end(): Promise<void>;
  /** As a kill ends it: nobody is notified. */
  kill(): Promise<void>;
}

export interface Machine extends Disposable {
  readonly folder: string;
  /** So much time passes for the runs to come. */
  pass(milliseconds: number): void;
  /** Somebody sets its clock, ahead or back, between two runs. */
  setClock(milliseconds: number): void;
  /** Without settings the process waits for Configure. `engine`: undefined for a process that a debugger attaches to. */
  run(
    settings: Values | undefined,
    options?: { engine?: string | undefined; pid?: number; env?: Record<string, string> },
  ): Run;
}

/** A journal elsewhere answers in its own time: the limit on that is no pause to be skipped. */
const hasRemoteJournal = ({ DOCSIGN_JOURNAL, PULUMI_BACKEND_URL }: Record<string, string>): boolean =>
  /^(postgres|s3):/.test(DOCSIGN_JOURNAL ?? PULUMI_BACKEND_URL ?? "");

const never = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));

export const urnOf = (name: string, type = "docsign:index:Document"): string =>
  `urn:pulumi:test::contracts::${type}::${name}`;

/** A machine with a disk of its own. Clocks run on without waiting: a wait moves the clock, is recorded, and returns. */
export function startMachine({ waited = () => {} }: { waited?: (milliseconds: number) => unknown } = {}): Machine {
  const folder = scratchFolder("docsign-machine-");
  let pids = 1_000_000;
  let passed = 0;
  let set = 0;
  return {
    folder,
    pass(milliseconds) {
      passed += milliseconds;
    },
    setClock(milliseconds) {
      passed += milliseconds;
      set += milliseconds;
    },
    run(settings, given = {}) {
      const { engine, pid = pids++, env = {} } = { engine: `127.0.0.1:${randomUUID()}`, ...given };
      let skipped = passed;
      const clock = {
        now: () => Date.now() + skipped,
        startedUp: () => set,
        wait: async (milliseconds: number, signal?: AbortSignal) => {
          signal?.throwIfAborted();
          if (milliseconds === ANSWER_MS && hasRemoteJournal(env)) return never(signal);
          skipped += milliseconds;
          await waited(milliseconds);
        },
      };
      const alive = new Set([pid]);
      const runtime = createRuntime({
        env: { DOCSIGN_STATE_DIR: folder, ...env },
        version: "0.0.0",
        engine,
        pid,
        isAlive: other => alive.has(other),
        clock,
      });
      if (settings !== undefined) runtime.configure(settings);
      const lines: Line[] = [];
      const log: Log = {
        info: text => void lines.push({ severity: "info", text }),
        warn: text => void lines.push({ severity: "warn", text }),
        progress: text => void lines.push({ severity: "progress", text }),
        debug: text => void lines.push({ severity: "debug", text }),
      };
      const noSignal = new AbortController().signal;
      const kill = () => runtime.close();
      const end = async () => {
        await runtime.close();
      };
      return {
        runtime,
        lines,
        call: (name, { type, ...options } = {}) => ({
          urn: urnOf(name, type),
          preview: false,
          signal: noSignal,
          log,
          secrets: new Set(),
          ...options,
        }),
        end,
        kill,
        [Symbol.asyncDispose]: kill,
      };
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
