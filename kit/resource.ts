import type { Values } from "./values.js";

/** What a front end knows about the call it is making; whichever it is. */
export interface Call {
  /** The resource's URN. Empty where the engine gives none. */
  readonly urn: string;
  readonly preview: boolean;
  /** Aborted by Cancel (Ctrl-C). */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Top-level inputs that hold a secret: their values go into no message. */
  readonly secrets: ReadonlySet<string>;
  /** `customTimeouts`, where the program sets one. */
  readonly timeoutMs?: number;
}

/**
 * Lines a user reads. `progress` is a passing line in the resource's row; `warn` stays in the output; `debug` shows with
 * `--debug` alone.
 */
export interface Log {
  /** With facts for machines, where the provider has a spelling for them. */
  info(message: string, facts?: object): void;
  warn(message: string, facts?: object): void;
  progress(message: string): void;
  debug(message: string): void;
  /** Resolves when every line so far has arrived, or was given up: before what they announce is done. */
  flush?(): Promise<void>;
}

/** What the engine says of a name that the program leaves to the provider. */
export interface Naming {
  /** The same in a preview and in the update after it. */
  readonly seed: Uint8Array;
  /** As the program's configuration wants it; empty where it says nothing. */
  readonly proposed: string;
  /** Whether a name may be made at all. */
  readonly disabled: boolean;
}

/** One thing wrong with the inputs. An empty property keeps the engine from printing the value. */
export interface Failure {
  readonly property: string;
  readonly reason: string;
  /** The reason says which property: the engine, which prints a property with its value, isn't told. */
  readonly saysProperty?: true;
}

export type PropertyChange = "add" | "add-replace" | "delete" | "delete-replace" | "update" | "update-replace";

export interface Diff {
  readonly changes: "none" | "some";
  /** Property path → what happens to it. Its top-level names are the diff's `diffs`, those ending in `-replace` its `replaces`. */
  readonly detailed: Readonly<Record<string, PropertyChange>>;
  readonly deleteBeforeReplace: boolean;
}

export const NO_CHANGE: Diff = { changes: "none", detailed: {}, deleteBeforeReplace: false };

/** Inputs as state is to have them, and what is wrong with them. */
export interface CheckResult {
  readonly inputs: Values;
  readonly failures: Failure[];
}

export interface Created {
  readonly id: string;
  readonly outputs: Values;
}

/** Where the id is empty, the resource is gone. */
export interface ReadResult extends Created {
  readonly inputs: Values;
}

/** A question for what exists at the service; `query` is what the declaration's `listInputs` take. */
export interface ListArguments {
  readonly query: Values;
  /** The most rows to answer with; 0: no limit. */
  readonly limit: number;
  /** Where an earlier page ended; empty for the first. */
  readonly token: string;
}

export interface ListPage {
  /** Ids as `read` and import take them. */
  readonly found: readonly { readonly id: string; readonly name: string }[];
  /** Token of the page after this one; empty where there is none. Doesn't depend on the limit. */
  readonly next: string;
}

/**
 * A resource's whole life, in plain values. Secrets are unwrapped before and wrapped again after, by the server;
 * unknowns stay as UNKNOWN and reach `check`, `diff` and previews only.
 */
export interface Resource {
  readonly token: string;
  check(call: Call, args: { olds: Values | undefined; news: Values; naming?: Naming }): Promise<CheckResult>;
  /** `olds` are the outputs in state; `oldInputs` the inputs in state. On refresh the engine swaps roles: never fail there. */
  diff(
    call: Call,
    args: { id: string; olds: Values; oldInputs: Values; news: Values; ignoreChanges: string[] },
  ): Promise<Diff>;
  create(call: Call, args: { inputs: Values }): Promise<Created>;
  /** `inputs` and `outputs` are undefined on import. */
  read(call: Call, args: { id: string; inputs: Values | undefined; outputs: Values | undefined }): Promise<ReadResult>;
  update(call: Call, args: { id: string; olds: Values; oldInputs: Values; news: Values }): Promise<Values>;
  delete(call: Call, args: { id: string; outputs: Values; inputs: Values }): Promise<void>;
  /** Left out where the service has no list. */
  list?(call: Call, args: ListArguments): Promise<ListPage>;
}

export interface ProviderFunction {
  readonly token: string;
  invoke(call: Call, args: Values): Promise<{ failures: Failure[] } | { result: Values }>;
}

/** The resource exists at the service but isn't finished. State keeps it; the next `up` calls Update. */
export class PartialFailure extends Error {
  override readonly name = "PartialFailure";
  constructor(
    readonly id: string,
    readonly outputs: Values,
    readonly inputs: Values,
    readonly reasons: string[],
    /** `cause` is the refusal that is the only reason, where it is one. */
    options?: ErrorOptions,
  ) {
    super(reasons.join("\n"), options);
  }
}

/** An answer the user must act on: the message says what was asked, what is and what to do. Never a bug of ours. */
export class UserError extends Error {
  override readonly name: string = "UserError";
}

/** The type token in a URN (`urn:pulumi:stack::project::parent$type::name`); empty where there is none. */
export function typeOf(urn: string): string {
  const qualified = urn.split("::")[2] ?? "";
  return qualified.slice(qualified.lastIndexOf("$") + 1);
}
