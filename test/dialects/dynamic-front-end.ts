import { isUnknown, UNKNOWN_STRING, type Values } from "../../kit/values.js";
import type { Raw } from "../../sdk/dynamic/encoding.js";
import { PROVIDER, startHost } from "../sdk/support/host.js";
import { type Givens, StatusError } from "../support/engine-client.js";
import type { Machine } from "../support/machine.js";
import type { OpenFrontEnd } from "../support/simulated-engine.js";

/** The dynamic provider as a front end of the simulated engine. It has no import, and no calls of its own in a preview. */
export const dynamicFrontEnd =
  (machine: Machine): OpenFrontEnd =>
  async (config, deployment) => {
    const run = machine.run(config as Values, deployment);
    const { frontEnd, said } = startHost(run);
    const outputsOf = (raw: Raw): Givens => ({ ...raw, __provider: PROVIDER }) as Givens;
    return {
      check: async ({ urn, olds, news }) => {
        const named = { ...news, resourceKey: urn, __provider: PROVIDER };
        const { inputs, failures } = await refusing(frontEnd.check(copy(olds ?? {}), copy(named)));
        return { inputs: outputsOf(inputs), failures };
      },
      diff: async ({ id, olds, news }) => {
        const diff = await refusing(frontEnd.diff(id, copy(olds), copy(news)));
        const { replaces, deleteBeforeReplace } = diff;
        return {
          changes: diff.changes ? "some" : "none",
          diffs: replaces,
          replaces,
          deleteBeforeReplace,
          detailed: {},
        };
      },
      create: async ({ inputs }) => {
        const { id, outs } = await refusing(frontEnd.create(copy(inputs)));
        return { id, outputs: outputsOf(outs) };
      },
      read: async ({ id, inputs = {}, outputs = {} }) => {
        const read = await refusing(frontEnd.read(id, copy(outputs)));
        return { id: read.id, inputs, outputs: outputsOf(read.props) };
      },
      update: async ({ id, olds, news }) =>
        outputsOf((await refusing(frontEnd.update(id, copy(olds), copy(news)))).outs),
      delete: ({ id, outputs }) => refusing(frontEnd.delete(id, copy(outputs))),
      lines: () => said,
      [Symbol.asyncDispose]: () => run.end(),
    };
  };

const copy = (givens: object): Raw =>
  JSON.parse(JSON.stringify(givens, (_, value) => (isUnknown(value) ? UNKNOWN_STRING : value)));

/** What a provider throws, as the engine takes it. */
async function refusing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const {
      id,
      properties = {},
      reasons = [],
    } = error as Error & { id?: string; properties?: Raw; reasons?: string[] };
    if (id === undefined) throw new StatusError("UNKNOWN", error.message);
    const outputs = { values: { ...properties, __provider: PROVIDER } as Values, secrets: [] };
    const partial = { id, outputs, inputs: { values: {}, secrets: [] }, reasons, refreshBeforeUpdate: false };
    throw new StatusError("UNKNOWN", error.message, partial);
  }
}
