import type { Values } from "../../../kit/values.js";
import type { Clock } from "../../../provider/core/clock.js";
import { createProvider } from "../../../provider/provider.js";
import { createRuntime, type Runtime } from "../../../provider/runtime.js";
import { connect, type EngineConnection, StatusError } from "../../support/engine-client.js";
import type { FrontEnd, ProgramResource, ResourceState } from "../support/engine.js";
import type { Blow } from "./script.js";

export interface ProcessOptions {
  readonly env: Record<string, string>;
  readonly pid: number;
  readonly clock: Clock;
  readonly config: Values;
}

/** A provider's process, by one of the two front ends. */
export interface ProviderProcess extends AsyncDisposable {
  readonly runtime: Runtime;
  readonly frontEnd: FrontEnd;
  readonly log: readonly { readonly severity: string; readonly urn: string; readonly message: string }[];
  /** Of the journal, without an answer yet. */
  readonly openCalls: () => number;
  /** What state holds after a person has imported it. */
  take(wanted: ProgramResource, id: string): Promise<ResourceState>;
  /** Ctrl-C. */
  cancel(): Promise<unknown>;
}

export function runtimeOf({ env, pid, clock }: ProcessOptions): Runtime {
  const isAlive = (other: number) => other === pid;
  return createRuntime({ env, version: "0.0.0", engine: `127.0.0.1:${pid}`, pid, isAlive, clock });
}

export async function startPlugin(options: ProcessOptions): Promise<ProviderProcess> {
  const { env, config } = options;
  const runtime = runtimeOf(options);
  const provider = createProvider({ runtime, env, version: "0.0.0", schema: () => "{}" });
  const connection = await connect(provider, { config });
  const frontEnd = pluginFrontEnd(connection);
  return {
    runtime,
    frontEnd,
    log: connection.log,
    openCalls: counted(runtime),
    take: async ({ type, ...wanted }, id) => ({
      type,
      ...(await frontEnd.read(frontEnd.urn({ ...wanted, type }), id)),
    }),
    cancel: () => connection.cancel(),
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}

export function counted({ context }: Runtime): () => number {
  const journal = context.journal as unknown as Record<string, unknown>;
  let open = 0;
  for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(journal))) {
    const method = journal[name];
    if (typeof method !== "function" || name === "constructor" || name === "close") continue;
    journal[name] = (...args: unknown[]) => {
      const answer: unknown = method.apply(journal, args);
      if (!(answer instanceof Promise)) return answer;
      open++;
      return answer.finally(() => open--);
    };
  }
  return () => open;
}

/** Settles when the journal stands at that step, which then never goes on. */
export function stalled(
  { context }: Runtime,
  { journal: step, when }: Extract<Blow["at"], { journal: string }>,
): Promise<unknown> {
  const journal = context.journal as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
  const real = journal[step]?.bind(journal);
  return new Promise(reached => {
    journal[step] = async (...args) => {
      if (when === "after") await real?.(...args);
      reached(undefined);
      return new Promise<never>(() => {});
    };
  });
}

/** The plugin as the engine calls it, over gRPC. */
export function pluginFrontEnd(connection: EngineConnection): FrontEnd {
  return {
    urn: ({ name, type }) => `urn:pulumi:dev::chaos::docsign:index:${type}::${name}`,
    check: (urn, olds, news) => connection.check(olds ? { urn, olds, news } : { urn, news }),
    diff: async (urn, held, news) => {
      const diff = await connection.diff({ urn, id: held.id, olds: held.outputs, oldInputs: held.inputs, news });
      const changes = diff.changes === "none" ? "none" : "some";
      const updates = changes === "some" && diff.replaces.length === 0;
      return { changes, deleteBeforeReplace: diff.deleteBeforeReplace, updates };
    },
    create: async (urn, inputs, preview = false) => {
      try {
        const { id, values } = await connection.create({ urn, inputs, preview });
        return { id, outputs: values };
      } catch (error) {
        if (!(error instanceof StatusError) || !error.partial) throw error;
        return { id: error.partial.id, outputs: error.partial.outputs.values, unfinished: error.message };
      }
    },
    read: async (urn, id, held) => {
      const read = await connection.read(held ? { urn, id, inputs: held.inputs, outputs: held.outputs } : { urn, id });
      return { id: read.id, inputs: read.inputs.values, outputs: read.outputs.values };
    },
    update: async (urn, held, news) =>
      (await connection.update({ urn, id: held.id, olds: held.outputs, oldInputs: held.inputs, news })).values,
    delete: (urn, held) => connection.delete({ urn, id: held.id, outputs: held.outputs, inputs: held.inputs }),
  };
}
