import type { FleetCommand } from "./file.js";
import type { Holder } from "./leases.js";
import type { PlannedStack } from "./plan.js";
import type { State } from "./state-rows.js";

/** One command on one stack. */
export interface Task {
  readonly command: FleetCommand;
  readonly stack: PlannedStack;
  /** The program's folder. */
  readonly program: string;
  /** Who ran the stack before and is gone, as their leases prove: a lock of their engines may be broken, no other. */
  readonly gone: readonly Holder[];
}

export interface Hooks {
  /** What the stack is at, in a few words. */
  readonly note: (text: string) => void;
  /** A process of the engine was started. */
  readonly started: (pid: number) => void;
  /** The engine was killed by somebody else: what it has locked stays locked. */
  readonly killed: () => void;
  /** For how many milliseconds from now the stack is still this worker's, if it goes on: the engine ends before. */
  readonly heldMs: () => number;
  /** Asks the engine to stop as Ctrl-C does. */
  readonly stop: AbortSignal;
  /** Ends it at once: somebody else may run the stack from now on. */
  readonly kill: AbortSignal;
}

/** What came of a command on a stack. */
export interface Outcome {
  readonly status: "ok" | "waiting" | "failed" | "cancelled";
  /** Why it isn't ok: a line each. */
  readonly reasons: readonly string[];
  /** People mailed: by a preview, those that an `up` would mail; undefined where that isn't known. */
  readonly mails: number | undefined;
  /** Operations by kind: create, update, same and so on. */
  readonly changes: Readonly<Record<string, number>>;
}

/** What failed before, or beside, its resources. */
export const failed = (reason: string): Outcome => ({
  status: "failed",
  reasons: [reason],
  mails: undefined,
  changes: {},
});

export interface Engine {
  run(task: Task, hooks: Hooks): Promise<Outcome>;
  /** A stack's state with its secrets in the open; undefined where there is no such stack. */
  exportState(stack: PlannedStack, program: string): Promise<State | undefined>;
  /** Writes a stack's state, and makes the stack where there is none. */
  importState(stack: PlannedStack, program: string, state: State): Promise<void>;
}
