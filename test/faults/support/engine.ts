import type { Values } from "../../../kit/values.js";
import type { Diff, Failure } from "../../../provider/resources/resource.js";

/** A resource as a program declares it. */
export interface ProgramResource {
  readonly name: string;
  readonly type: "Document" | "Folder";
  readonly inputs: Values;
  /** The URN the same resource had before, by an alias. */
  readonly alias?: string;
}

/** A resource as state holds it. */
export interface ResourceState {
  readonly type: ProgramResource["type"];
  readonly id: string;
  readonly inputs: Values;
  readonly outputs: Values;
  /** Created and not finished: the next `up` calls Update. */
  readonly unfinished?: boolean;
  /** Deleted for a replacement that doesn't exist yet: the engine keeps the row, and calls no Delete for it again. */
  readonly pending?: boolean;
}

/** URN → what state holds. */
export type State = Map<string, ResourceState>;

export interface CreateResult {
  readonly id: string;
  readonly outputs: Values;
  /** Why the resource isn't finished, though it exists. */
  readonly unfinished?: string;
}

/** What a Diff answers; `updates`: in place. */
export type DiffResult = Pick<Diff, "changes" | "deleteBeforeReplace"> & { readonly updates: boolean };

/** One provider process, whichever way it is spoken to. */
export interface FrontEnd {
  urn(wanted: Pick<ProgramResource, "name" | "type">): string;
  check(urn: string, olds: Values | undefined, news: Values): Promise<{ inputs: Values; failures: Failure[] }>;
  diff(urn: string, held: ResourceState, news: Values): Promise<DiffResult>;
  create(urn: string, inputs: Values, preview?: boolean): Promise<CreateResult>;
  read(urn: string, id: string, held?: ResourceState): Promise<{ id: string; inputs: Values; outputs: Values }>;
  update(urn: string, held: ResourceState, news: Values): Promise<Values>;
  delete(urn: string, held: ResourceState): Promise<void>;
}

export interface Went {
  /** What the user reads, by resource name or URN. */
  readonly errors: Record<string, string>;
}

export interface UpOptions {
  /** Resources the user marked (`--replace`, taint): replaced without asking Diff. */
  readonly taint?: readonly string[];
  /** Resources with the option `deleteBeforeReplace`. */
  readonly deleteBeforeReplace?: readonly string[];
  /** An `onError` hook: so often Create is called again in the same process. */
  readonly onErrorRetries?: number;
}

/** `pulumi up` without a preview: the calls the engine makes, in its order; state as the engine writes it. */
export async function up(
  frontEnd: FrontEnd,
  state: State,
  program: readonly ProgramResource[],
  options: UpOptions = {},
): Promise<Went> {
  const errors: Record<string, string> = {};
  const urns = new Set(program.map(wanted => frontEnd.urn(wanted)));
  await Promise.all(
    program.map(async wanted => {
      try {
        await step(frontEnd, state, wanted, options);
      } catch (error) {
        errors[wanted.name] = messageOf(error);
      }
    }),
  );
  if (Object.keys(errors).length === 0)
    for (const urn of [...state.keys()].filter(key => !urns.has(key))) await remove(frontEnd, state, urn, errors);
  return { errors };
}

async function step(frontEnd: FrontEnd, state: State, wanted: ProgramResource, options: UpOptions): Promise<void> {
  const urn = frontEnd.urn(wanted);
  if (wanted.alias !== undefined) move(state, wanted.alias, urn);
  const held = state.get(urn);
  if (!held) {
    const { inputs, failures } = await frontEnd.check(urn, undefined, wanted.inputs);
    if (failures.length > 0) throw new Error(failures.map(failure => failure.reason).join("\n"));
    return create(frontEnd, state, urn, wanted, inputs, options);
  }
  // A mark replaces without Diff, and Check comes without old inputs only.
  if (options.taint?.includes(wanted.name)) {
    const { inputs } = await frontEnd.check(urn, undefined, wanted.inputs);
    const first = options.deleteBeforeReplace?.includes(wanted.name) && !held.pending;
    if (first) {
      await frontEnd.delete(urn, held);
      state.set(urn, { ...held, pending: true });
    }
    await create(frontEnd, state, urn, wanted, inputs, options);
    return first || held.pending ? undefined : frontEnd.delete(urn, held);
  }
  const { inputs, failures } = await frontEnd.check(urn, held.inputs, wanted.inputs);
  if (failures.length > 0) throw new Error(failures.map(failure => failure.reason).join("\n"));
  const diff = await frontEnd.diff(urn, held, inputs);
  if ((diff.changes === "none" || diff.updates) && !held.pending) {
    const outputs = held.unfinished || diff.updates ? await frontEnd.update(urn, held, inputs) : held.outputs;
    state.set(urn, { type: held.type, id: held.id, inputs, outputs });
    return;
  }
  const again = await frontEnd.check(urn, undefined, wanted.inputs);
  if (diff.deleteBeforeReplace && !held.pending) {
    await frontEnd.delete(urn, held);
    state.set(urn, { ...held, pending: true });
  }
  await create(frontEnd, state, urn, wanted, again.inputs, options);
  if (!diff.deleteBeforeReplace && !held.pending) await frontEnd.delete(urn, held);
}

async function create(
  frontEnd: FrontEnd,
  state: State,
  urn: string,
  { type }: ProgramResource,
  inputs: Values,
  { onErrorRetries = 0 }: UpOptions,
): Promise<void> {
  for (let left = onErrorRetries; ; left--) {
    try {
      const made = await frontEnd.create(urn, inputs);
      const held = { type, id: made.id, inputs, outputs: made.outputs };
      state.set(urn, made.unfinished === undefined ? held : { ...held, unfinished: true });
      if (made.unfinished !== undefined) throw new Error(made.unfinished);
      return;
    } catch (error) {
      if (left <= 0) throw error;
    }
  }
}

/** `pulumi refresh`: Read, then Diff with its roles swapped. */
export async function refresh(frontEnd: FrontEnd, state: State): Promise<Went> {
  const errors: Record<string, string> = {};
  for (const [urn, held] of [...state].filter(([, { pending }]) => !pending)) {
    try {
      const read = await frontEnd.read(urn, held.id, held);
      if (read.id === "") {
        state.delete(urn);
        continue;
      }
      const now = { ...held, id: read.id, inputs: read.inputs, outputs: read.outputs };
      await frontEnd.diff(urn, now, held.inputs);
      state.set(urn, now);
    } catch (error) {
      errors[urn] = messageOf(error);
    }
  }
  return { errors };
}

export async function destroy(frontEnd: FrontEnd, state: State): Promise<Went> {
  const errors: Record<string, string> = {};
  for (const urn of [...state.keys()].reverse()) await remove(frontEnd, state, urn, errors);
  return { errors };
}

async function remove(frontEnd: FrontEnd, state: State, urn: string, errors: Record<string, string>): Promise<void> {
  const held = state.get(urn);
  if (!held) return;
  try {
    if (!held.pending) await frontEnd.delete(urn, held);
    state.delete(urn);
  } catch (error) {
    errors[urn] = messageOf(error);
  }
}

export function move(state: State, from: string, to: string): void {
  const held = state.get(from);
  if (!held || state.has(to)) return;
  state.set(to, held);
  state.delete(from);
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
