/**
 * Plays the engine: a stack's state, and for each command the calls in the order of `step_generator.go` and `step.go`
 * of engine 3.250. Every command is a deployment with provider processes of its own; `up` previews first, in other
 * processes, as a user does.
 */
import { randomUUID } from "node:crypto";
import type { Givens } from "./engine-client.js";
import { StatusError } from "./engine-client.js";
import type { FrontEnd, OpenFrontEnd } from "./simulated-engine/front-end.js";
import { Planner } from "./simulated-engine/planner.js";
import { bare, type Entry, type Goal, unknownIn } from "./simulated-engine/state.js";

export { type FrontEnd, type OpenFrontEnd, pluginFrontEnd } from "./simulated-engine/front-end.js";
export { type Entry, type Goal, open, Ref, written } from "./simulated-engine/state.js";

export interface UpOptions {
  /** `--target-replace`. */
  readonly replace?: readonly string[];
  /** `--target`. */
  readonly target?: readonly string[];
  /** `up --refresh`. */
  readonly refresh?: boolean;
  /** `--skip-preview`. */
  readonly skipPreview?: boolean;
  /** Runs after the preview was read. */
  readonly meanwhile?: () => void;
  /** Runs between two calls of the deployment, with the name of the coming one. */
  readonly before?: (call: string) => void;
}

/** What a command came to. */
export interface Outcome {
  /** The error that ended it; undefined when it went well. */
  readonly error: string | undefined;
  /** Where it ended. */
  readonly failed: "preview" | "up" | undefined;
  /** The engine's calls after the preview, such as `check nda (olds)`, `delete nda 42`. */
  readonly calls: string[];
  readonly previewCalls: string[];
  /** Lines in the log: of the preview, and of what came after. */
  readonly previewLines: string[];
  readonly lines: string[];
}

/** Ends a deployment with words of the engine's own. */
export class Bail extends Error {}

let pids = 5_000_000;

/** The provider processes of one deployment, and what was called. */
export class Processes {
  readonly calls: string[] = [];
  readonly #frontEnds = new Map<string, FrontEnd>();
  readonly #deployment = { engine: `127.0.0.1:${randomUUID()}`, pid: pids++ };

  constructor(
    private readonly stack: Stack,
    readonly preview: boolean,
    private readonly before: (call: string) => void = () => {},
  ) {}

  /** The process of a provider, for a call. */
  async frontEnd(provider: string, call: string): Promise<FrontEnd> {
    this.before(call);
    this.calls.push(call);
    const there = this.#frontEnds.get(provider);
    if (there) return there;
    const config = this.stack.providers[provider];
    if (!config) throw new Bail(`no provider ${provider}`);
    const opened = await this.stack.open(config, this.#deployment);
    this.#frontEnds.set(provider, opened);
    return opened;
  }

  lines(): string[] {
    return [...this.#frontEnds.values()].flatMap(frontEnd => frontEnd.lines());
  }

  async end(): Promise<void> {
    for (const frontEnd of this.#frontEnds.values()) await frontEnd[Symbol.asyncDispose]();
  }
}

export class Stack {
  entries: Entry[] = [];

  /** `providers` is each explicit provider's configuration; `default` the default one's. */
  constructor(
    readonly open: OpenFrontEnd,
    readonly providers: Record<string, Givens>,
    readonly name = "dev",
  ) {}

  urn(name: string, type = "docsign:index:Document"): string {
    return `urn:pulumi:${this.name}::contracts::${type}::${name}`;
  }

  /** The one entry of this name that isn't a leftover. */
  entry(name: string): Entry {
    const found = this.entries.find(entry => entry.goal.name === name && !entry.delete);
    if (!found) throw new Error(`state has no ${name}`);
    return found;
  }

  taint(name: string): void {
    this.entry(name).taint = true;
  }

  async up(program: readonly Goal[], options: UpOptions = {}): Promise<Outcome> {
    const { skipPreview = false, meanwhile = () => {} } = options;
    let previewed: Outcome | undefined;
    if (!skipPreview) {
      previewed = await this.preview(program, options);
      if (previewed.error !== undefined) return previewed;
      meanwhile();
    }
    const outcome = await this.#deployment("up", options, async (processes, entries) => {
      if (options.refresh) await this.#refresh(processes, entries);
      await new Planner(this, processes, entries, options.replace ?? [], options.target).follow(program);
    });
    if (outcome.error === undefined) this.#assertClean();
    return { ...outcome, previewCalls: previewed?.previewCalls ?? [], previewLines: previewed?.previewLines ?? [] };
  }

  async preview(program: readonly Goal[], options: UpOptions = {}): Promise<Outcome> {
    const state = this.entries;
    this.entries = state.map(entry => ({ ...entry }));
    try {
      return await this.#deployment("preview", {}, async (processes, entries) => {
        if (options.refresh) await this.#refresh(processes, entries);
        await new Planner(this, processes, entries, options.replace ?? [], options.target).follow(program);
      });
    } finally {
      this.entries = state;
    }
  }

  refresh(): Promise<Outcome> {
    return this.#deployment("up", {}, (processes, entries) => this.#refresh(processes, entries));
  }

  destroy(): Promise<Outcome> {
    return this.#deployment("up", {}, (processes, entries) => new Planner(this, processes, entries, []).follow([]));
  }

  /** `pulumi import TYPE NAME ID`: a failing check is a warning here. */
  import(goal: Omit<Goal, "inputs">, id: string): Promise<Outcome> {
    return this.#deployment("up", {}, async processes => {
      const urn = this.urn(goal.name, goal.type);
      const frontEnd = await processes.frontEnd(goal.provider ?? "default", `read ${goal.name} ${id}`);
      const read = await frontEnd.read({ urn, id });
      if (read.id === "") throw new Bail(`resource '${id}' does not exist`);
      const again = await processes.frontEnd(goal.provider ?? "default", `check ${goal.name} (olds)`);
      const { failures } = await again.check({ urn, olds: read.inputs, news: read.inputs });
      if (failures.length > 0) throw new Error(`a bug by the engine's words: ${JSON.stringify(failures)}`);
      this.entries.push(entryOf(urn, { ...goal, inputs: {} }, read.id, read.inputs, read.outputs));
    });
  }

  async #deployment(
    kind: "preview" | "up",
    { before }: UpOptions,
    work: (processes: Processes, entries: Entry[]) => Promise<void>,
  ): Promise<Outcome> {
    const processes = new Processes(this, kind === "preview", before);
    const silent = { calls: [], previewCalls: [], lines: [], previewLines: [] };
    const seen = (): Partial<Outcome> =>
      kind === "preview"
        ? { previewCalls: processes.calls, previewLines: processes.lines() }
        : { calls: processes.calls, lines: processes.lines() };
    let error: string | undefined;
    try {
      await work(processes, this.entries);
    } catch (thrown) {
      if (!(thrown instanceof StatusError) && !(thrown instanceof Bail)) throw thrown;
      if (thrown instanceof StatusError && thrown.code === "INTERNAL") throw thrown;
      error = thrown.message;
    } finally {
      await processes.end();
    }
    return { error, failed: error === undefined ? undefined : kind, ...silent, ...seen() };
  }

  /** Read, then Diff with the roles swapped. What waits for its replacement is left alone. */
  async #refresh(processes: Processes, entries: Entry[]): Promise<void> {
    for (const entry of [...entries]) {
      if (entry.pendingReplacement) continue;
      const { urn, id, goal } = entry;
      const provider = goal.provider ?? "default";
      const before = { inputs: bare(entry.inputs), outputs: bare(entry.outputs) };
      const reader = await processes.frontEnd(provider, `read ${goal.name} ${id}`);
      const read = await reader.read({ urn, id, ...before }).catch(keepPartial);
      if (read.id === "") {
        entries.splice(entries.indexOf(entry), 1);
        continue;
      }
      Object.assign(entry, { id: read.id, inputs: withSources(read.inputs, entry.inputs), outputs: read.outputs });
      entry.initErrors = "reasons" in read ? read.reasons : [];
      const differ = await processes.frontEnd(provider, `diff ${goal.name} ${id} (refresh)`);
      const { ignoreChanges = [] } = goal;
      const swapped = { olds: bare(read.outputs), oldInputs: bare(read.inputs), news: before.inputs };
      await differ.diff({ urn, id: read.id, ...swapped, ignoreChanges });
    }
  }

  /** After a successful up nothing is left half done. */
  #assertClean(): void {
    for (const entry of this.entries) {
      if (entry.delete || entry.pendingReplacement || entry.taint || entry.initErrors.length > 0)
        throw new Error(`${entry.goal.name} is left half done`);
      if (unknownIn(entry.inputs) || unknownIn(entry.outputs)) throw new Error(`${entry.goal.name} holds an unknown`);
    }
  }
}

/** Of an answer to Read that says `partial`, what state gets. */
function keepPartial(error: unknown): { id: string; inputs: Givens; outputs: Givens; reasons: string[] } {
  if (!(error instanceof StatusError) || !error.partial) throw error;
  const { id, inputs, outputs, reasons } = error.partial;
  return { id, inputs: inputs.values, outputs: outputs.values, reasons };
}

/** An asset that came back as its hash alone keeps the source state had. */
function withSources(read: Givens, before: Givens): Givens {
  return JSON.stringify(bare(read)) === JSON.stringify(bare(before)) ? before : read;
}

export function entryOf(urn: string, goal: Goal, id: string, inputs: Givens, outputs: Givens): Entry {
  const fresh = { initErrors: [], delete: false, pendingReplacement: false, taint: false };
  return { urn, goal, id, inputs, outputs, ...fresh };
}
