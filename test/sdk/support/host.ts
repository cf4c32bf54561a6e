import { EngineLog } from "../../../kit/log.js";
import { DynamicFrontEnd } from "../../../sdk/dynamic/dynamic-provider.js";
import type { Raw } from "../../../sdk/dynamic/encoding.js";
import type { EngineProcess } from "../../../sdk/dynamic/engine-process.js";
import type { Run } from "../../support/machine.js";

export const PROVIDER = 'exports.handler=()=>require("pulumi-docsign/runtime").provider';

export const keyOf = (name: string, type = "docsign:index:Document"): string =>
  `urn:pulumi:test::contracts::${type}::${name}`;

/** A resource as the engine has it in state. */
export interface Entry {
  readonly id: string;
  readonly inputs: Raw;
  readonly outputs: Raw;
}

/** The process of one deployment, and the engine's part in it: values go through JSON, as in a deployment. */
export function startHost(run: Run) {
  const said: string[] = [];
  const engine: EngineProcess = {
    runtime: run.runtime,
    log: new EngineLog({ stderr: line => void said.push(line) }),
    signal: new AbortController().signal,
    secrets: [],
    configure: () => {},
    during: work => work,
  };
  const frontEnd = new DynamicFrontEnd(() => engine);
  const jsonOf = (raw: Raw): Raw => JSON.parse(JSON.stringify(raw));
  /** In Diff, Read, Update and Delete the engine shows an asset as its hash. */
  const hashed = (raw: Raw): Raw =>
    JSON.parse(
      JSON.stringify(raw, (key, value) =>
        ["path", "text", "uri"].includes(key) && typeof value === "string" ? undefined : value,
      ),
    );
  const check = async (olds: Raw | undefined, news: Raw): Promise<Raw> => {
    const { inputs, failures } = await frontEnd.check(jsonOf(olds ?? {}), jsonOf(news));
    if (failures.length > 0) throw new Error(failures.map(({ reason }) => reason).join("\n"));
    return { ...jsonOf(inputs), __provider: PROVIDER };
  };
  const withProvider = (outs: Raw): Raw => ({ ...jsonOf(outs), __provider: PROVIDER });
  return {
    frontEnd,
    said,
    check,
    /** What the program says, as the classes send it. */
    program: (name: string, args: Raw, type?: string): Raw => ({
      ...args,
      resourceKey: keyOf(name, type),
      __provider: PROVIDER,
    }),
    preview: (news: Raw) => check(undefined, { ...news, __preview: true }),
    async create(news: Raw): Promise<Entry> {
      const inputs = await check(undefined, news);
      const { id, outs } = await frontEnd.create(jsonOf(inputs));
      return { id, inputs, outputs: withProvider(outs) };
    },
    /** The engine asks Update nothing in a preview. */
    async previewAgain(entry: Entry, news: Raw) {
      const inputs = await check(entry.inputs, { ...news, __preview: true });
      return frontEnd.diff(entry.id, hashed(entry.outputs), hashed(inputs));
    },
    async update(entry: Entry, news: Raw): Promise<Entry> {
      const inputs = await check(entry.inputs, news);
      await frontEnd.diff(entry.id, hashed(entry.outputs), hashed(inputs));
      const { outs } = await frontEnd.update(entry.id, hashed(entry.outputs), hashed(inputs));
      return { ...entry, inputs, outputs: withProvider(outs) };
    },
    async diff(entry: Entry, news: Raw) {
      const inputs = await check(entry.inputs, news);
      return frontEnd.diff(entry.id, hashed(entry.outputs), hashed(inputs));
    },
    async refresh(entry: Entry): Promise<Entry> {
      const { id, props } = await frontEnd.read(entry.id, hashed(entry.outputs));
      const outputs = withProvider(props);
      if (id !== "") await frontEnd.diff(id, hashed(outputs), hashed(entry.inputs));
      return { ...entry, id, outputs };
    },
    /** `--target-replace`: no Diff, and delete first. */
    async replaceByForce(entry: Entry, news: Raw): Promise<Entry> {
      const inputs = await check(undefined, news);
      await frontEnd.delete(entry.id, hashed(entry.outputs));
      const { id, outs } = await frontEnd.create(jsonOf(inputs));
      return { id, inputs, outputs: withProvider(outs) };
    },
    remove: (entry: Entry) => frontEnd.delete(entry.id, hashed(entry.outputs)),
  };
}
