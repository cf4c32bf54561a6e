import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Engine, Hooks, Outcome, Task } from "../../../commands/fleet/engine.js";
import { createProvider } from "../../../provider/provider.js";
import { createRuntime } from "../../../provider/runtime.js";
import { pluginFrontEnd } from "../../faults/chaos/plugin.js";
import { type ResourceState, type State, up } from "../../faults/support/engine.js";
import { connect, secret } from "../../support/engine-client.js";

export interface PlayedOptions {
  readonly service: { readonly url: string; readonly apiKey: string };
  readonly journal: string;
  /** Where states are kept: all workers have it in common. */
  readonly backend: string;
  /** This machine's own memory. */
  readonly memory: string;
  /** Documents of each stack. */
  readonly documents: number;
  /** Settings of the provider. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * An engine that is played: its calls to the provider come in the engine's order, and its state is a file that is written
 * at every step. The provider, its journal in Postgres and its client are the real ones.
 */
export class PlayedEngine implements Engine {
  #deployments = 0;

  constructor(private readonly options: PlayedOptions) {}

  async run({ stack: { name } }: Task, { stop, kill }: Hooks): Promise<Outcome> {
    const { service, journal, memory, documents, settings } = this.options;
    const env = { DOCSIGN_STATE_DIR: memory, DOCSIGN_JOURNAL: journal };
    const engine = `127.0.0.1:${process.pid}-${++this.#deployments}`;
    const runtime = createRuntime({ env, version: "0.0.0", engine, pid: process.pid });
    const provider = createProvider({ runtime, env, version: "0.0.0", schema: () => "{}" });
    const config = { baseUrl: service.url, apiKey: secret(service.apiKey), ...settings };
    await using connection = await connect(provider, { config });
    const ended = new AbortController();
    // One that comes as the run ends may find the connection closed.
    const cancel = () => void connection.cancel().catch(() => undefined);
    for (const signal of [stop, kill]) signal.addEventListener("abort", cancel, { signal: ended.signal });
    try {
      const frontEnd = { ...pluginFrontEnd(connection), urn: ({ name: one }: { name: string }) => urnOf(name, one) };
      const wanted = Array.from({ length: documents }, (_, nth) => ({
        name: `contract-${nth}`,
        type: "Document" as const,
        inputs: contractOf(name, nth),
      }));
      const { errors } = await up(frontEnd, this.#state(name), wanted);
      const reasons = Object.entries(errors).map(([one, message]) => `${one}: ${message.split("\n")[0]}`);
      return { status: reasons.length > 0 ? "failed" : "ok", reasons, mails: undefined, changes: {} };
    } finally {
      ended.abort();
      await runtime.close();
    }
  }

  async exportState(): Promise<undefined> {}

  async importState(): Promise<void> {}

  #state(stack: string): State {
    mkdirSync(this.options.backend, { recursive: true });
    const path = join(this.options.backend, `${stack}.json`);
    return new KeptState(path);
  }
}

export const personOf = (stack: string, nth: number): string => `person-${nth}@${stack}.example.com`;

const contractOf = (stack: string, nth: number) => ({
  name: `Contract ${nth} of ${stack}`,
  base64File: Buffer.from(`%PDF-1.4 ${stack} ${nth}\n%%EOF\n`).toString("base64"),
  invitations: [{ email: personOf(stack, nth) }],
});

const urnOf = (stack: string, name: string): string => `urn:pulumi:${stack}::fleet::docsign:index:Document::${name}`;

/** Written at each step, whole or not at all. */
class KeptState extends Map<string, ResourceState> {
  #loaded = false;

  constructor(private readonly path: string) {
    super();
    try {
      for (const [urn, held] of JSON.parse(readFileSync(path, "utf8")) as [string, ResourceState][])
        super.set(urn, held);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
    this.#loaded = true;
  }

  override set(urn: string, held: ResourceState): this {
    super.set(urn, held);
    this.#write();
    return this;
  }

  override delete(urn: string): boolean {
    const was = super.delete(urn);
    this.#write();
    return was;
  }

  #write(): void {
    if (!this.#loaded) return;
    const draft = `${this.path}.${process.pid}.tmp`;
    writeFileSync(draft, JSON.stringify([...this]));
    renameSync(draft, this.path);
  }
}
