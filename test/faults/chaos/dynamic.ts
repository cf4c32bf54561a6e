import { EngineLog, type Line } from "../../../kit/log.js";
import type { Values } from "../../../kit/values.js";
import { DynamicFrontEnd } from "../../../sdk/dynamic/dynamic-provider.js";
import type { Raw } from "../../../sdk/dynamic/encoding.js";
import type { EngineProcess } from "../../../sdk/dynamic/engine-process.js";
import { INTERNAL, PROVIDER } from "../../../sdk/front-end.js";
import type { FrontEnd } from "../support/engine.js";
import { counted, type ProcessOptions, type ProviderProcess, runtimeOf } from "./plugin.js";

/** How long calls of a process that is gone may go on: one that was stopped at a step of the journal never ends. */
const GRACE_MS = 300;

class RecordedLog extends EngineLog {
  readonly lines: Line[] = [];

  override async write(line: Line): Promise<void> {
    this.lines.push(line);
  }
}

/** The dynamic provider as the Node.js host calls it. */
export function startDynamic(options: ProcessOptions): ProviderProcess {
  const runtime = runtimeOf(options);
  runtime.configure(options.config);
  const log = new RecordedLog({ stderr: () => {} });
  const cancellation = new AbortController();
  const cancel = async () => cancellation.abort(new DOMException("the deployment was cancelled", "AbortError"));
  const inFlight = new Set<Promise<unknown>>();
  const engine: EngineProcess = {
    runtime,
    log,
    signal: cancellation.signal,
    secrets: [],
    configure: () => {},
    during(work) {
      const settled = work.catch(() => undefined).finally(() => inFlight.delete(settled));
      inFlight.add(settled);
      return work;
    },
  };
  const frontEnd = dynamicFrontEnd(new DynamicFrontEnd(() => engine));
  return {
    runtime,
    frontEnd,
    log: log.lines,
    openCalls: counted(runtime),
    // The engine has no import for dynamic resources: the resource option `import` and `pulumi up` are that.
    take: async ({ name, type, inputs: given }, id) => {
      const urn = frontEnd.urn({ name, type });
      const { inputs } = await frontEnd.check(urn, undefined, { ...given, [INTERNAL.import]: id });
      const made = await frontEnd.create(urn, inputs);
      return { type, inputs, id: made.id, outputs: made.outputs };
    },
    cancel,
    async [Symbol.asyncDispose]() {
      await cancel();
      await Promise.race([Promise.allSettled(inFlight), new Promise(resolve => setTimeout(resolve, GRACE_MS))]);
      await runtime.close();
    },
  };
}

/** Values go through JSON, as between the engine and the host. */
function dynamicFrontEnd(provider: DynamicFrontEnd): FrontEnd {
  return {
    urn: ({ name, type }) => `urn:pulumi:dev::chaos::docsign:index:${type}::${name}`,
    check: async (urn, olds, news) => {
      const named = { ...news, [INTERNAL.key]: urn, [INTERNAL.provider]: PROVIDER };
      const { inputs, failures } = await provider.check(copy(olds ?? {}), copy(named));
      return { inputs: inState(inputs), failures };
    },
    diff: async (_urn, held, news) => {
      const { changes, replaces, deleteBeforeReplace } = await provider.diff(held.id, copy(held.outputs), copy(news));
      return { changes: changes ? "some" : "none", deleteBeforeReplace, updates: changes && replaces.length === 0 };
    },
    create: async (_urn, inputs) => {
      try {
        const { id, outs } = await provider.create(copy(inputs));
        return { id, outputs: inState(outs) };
      } catch (error) {
        const { id, properties, message } = error as Error & { id?: string; properties?: Raw };
        if (id === undefined || properties === undefined) throw error;
        return { id, outputs: inState(properties), unfinished: message };
      }
    },
    read: async (_urn, id, held) => {
      const read = await provider.read(id, copy(held?.outputs ?? {}));
      return { id: read.id, inputs: held?.inputs ?? {}, outputs: inState(read.props) };
    },
    update: async (_urn, held, news) => inState((await provider.update(held.id, copy(held.outputs), copy(news))).outs),
    delete: (_urn, held) => provider.delete(held.id, copy(held.outputs)),
  };
}

const copy = (values: object): Raw => JSON.parse(JSON.stringify(values));
const inState = (raw: Raw): Values => ({ ...copy(raw), [INTERNAL.provider]: PROVIDER }) as Values;
