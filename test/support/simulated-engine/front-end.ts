import { startServer } from "../../../kit/server.js";
import { createProvider } from "../../../provider/provider.js";
import type { Failure } from "../../../provider/resources/resource.js";
import { type Change, dial, type Givens, type Got, peerIsOwn, Secret } from "../engine-client.js";
import type { Machine } from "../machine.js";
import { copied } from "./state.js";

/** What the engine learns from a Diff. */
export interface DiffResult {
  readonly changes: string | undefined;
  readonly diffs: readonly string[];
  readonly replaces: readonly string[];
  readonly deleteBeforeReplace: boolean;
  readonly detailed: Readonly<Record<string, { readonly kind: string }>>;
}

/** A provider process, whichever way a program reaches it. A refusal is a StatusError, with `partial` where state keeps something. */
export interface FrontEnd extends AsyncDisposable {
  check(args: { urn: string; olds?: Givens; news: Givens }): Promise<{ inputs: Givens; failures: Failure[] }>;
  diff(args: Required<Change> & { ignoreChanges: string[] }): Promise<DiffResult>;
  create(args: { urn: string; inputs: Givens; preview: boolean }): Promise<{ id: string; outputs: Givens }>;
  /** Without inputs and outputs, an import. */
  read(args: {
    urn: string;
    id: string;
    inputs?: Givens;
    outputs?: Givens;
  }): Promise<{ id: string; inputs: Givens; outputs: Givens }>;
  update(args: Required<Change> & { preview: boolean }): Promise<Givens>;
  delete(args: { urn: string; id: string; outputs: Givens; inputs: Givens }): Promise<void>;
  /** What a user reads besides errors, so far. */
  lines(): string[];
}

/** One deployment's processes have the engine's address and, here, the process group in common. A debugger's has none. */
export interface Deployment {
  readonly engine: string | undefined;
  readonly pid: number;
}

export type OpenFrontEnd = (config: Givens, deployment: Deployment) => Promise<FrontEnd>;

/** The plugin: a runtime of its own on this machine, behind gRPC. Closing it is the engine's orderly end. */
export const pluginFrontEnd =
  (machine: Machine, env: Record<string, string> = {}): OpenFrontEnd =>
  async (config, { engine, pid }) => {
    const run = machine.run(undefined, { engine, pid, env });
    const provider = createProvider({ runtime: run.runtime, env, version: "0.0.0", schema: () => "{}" });
    const lines: string[] = [];
    // Without an engine's address lines go here at once; how they reach an engine is test/grpc's business.
    const server = await startServer(provider, { peerOf: peerIsOwn, stderr: line => void lines.push(line) });
    const client = await dial(server.port, "", { config });
    return viaGrpc(client, lines, async () => {
      await run.end();
      client.close();
      await server.stop("the deployment is over");
    });
  };

export function viaGrpc(client: Awaited<ReturnType<typeof dial>>, lines: string[], end: () => Promise<void>): FrontEnd {
  return {
    check: async args => {
      const { inputs, secrets, failures } = await client.check(args);
      return { inputs: marked({ values: inputs, secrets }), failures };
    },
    diff: args => client.diff(args),
    create: async args => {
      const { id, ...got } = await client.create(args);
      return { id, outputs: marked(got) };
    },
    read: async args => {
      const { id, inputs, outputs } = await client.read(args);
      return { id, inputs: marked(inputs), outputs: marked(outputs) };
    },
    update: async args => marked(await client.update(args)),
    delete: args => client.delete(args),
    lines: () => lines,
    [Symbol.asyncDispose]: end,
  };
}

/** An answer with its secrets wrapped again, as state keeps it. */
export function marked({ values, secrets }: Got): Givens {
  const copy = copied(values) as Givens;
  for (const path of secrets) {
    const steps = path.split(/[.[\]]+/).filter(step => step !== "");
    const last = steps.pop();
    const holder = steps.reduce<unknown>((here, step) => Reflect.get(unwrapped(here), step), copy);
    if (last !== undefined) Reflect.set(unwrapped(holder), last, new Secret(Reflect.get(unwrapped(holder), last)));
  }
  return copy;
}

const unwrapped = (value: unknown): object => (value instanceof Secret ? value.value : value) as object;
