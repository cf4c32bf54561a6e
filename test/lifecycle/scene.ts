import type { Givens } from "../support/engine-client.js";
import { secret } from "../support/engine-client.js";
import {
  type IndependentService,
  type IndependentServiceOptions,
  type Mail,
  startIndependentService,
} from "../support/independent-service/index.js";
import { type Machine, startMachine } from "../support/machine.js";
import {
  type Goal,
  type OpenFrontEnd,
  type Outcome,
  pluginFrontEnd,
  Stack,
  type UpOptions,
} from "../support/simulated-engine.js";

/** Bytes of a small PDF with this text in it. */
export const pdf = (text: string): Buffer => Buffer.from(`%PDF-1.4\n${text}\n%%EOF\n`);
export const base64 = (text: string): string => pdf(text).toString("base64");

export const people = [
  { email: "ana@example.com", name: "Ana", stage: 1 },
  { email: "bob@example.org", name: "Bob", stage: 2 },
];

/** The contract every story is about. */
export const nda = (more: Partial<Goal> & { inputs?: Goal["inputs"] } = {}): Goal => ({
  name: "nda",
  ...more,
  inputs: { name: "NDA", description: "Mutual", invitations: people, base64File: base64("one"), ...more.inputs },
});

export interface Scene extends AsyncDisposable {
  readonly service: IndependentService;
  readonly machine: Machine;
  readonly stack: Stack;
  /** The id of the nth document ever created. */
  id(nth?: number): string;
  /** What the service saw since the last look: requests that create, and mails. */
  sent(): { creates: number; mails: number };
  /** Requests of any kind since the last look, as `GET /v1/documents/1`. */
  asked(): string[];
}

export interface SceneOptions extends IndependentServiceOptions {
  readonly config?: Givens;
  readonly providers?: Record<string, Givens>;
  /** What happens while the machine waits. */
  readonly waited?: (milliseconds: number) => unknown;
  /** The plugin by default. */
  readonly frontEnd?: (machine: Machine) => OpenFrontEnd;
}

/** A service, a machine and a stack on it. */
export async function scene({
  config,
  providers,
  frontEnd = pluginFrontEnd,
  waited = () => {},
  ...options
}: SceneOptions = {}): Promise<Scene> {
  const service = await startIndependentService(options);
  const machine = startMachine({ waited });
  // Other front ends have no secrets of their own in this engine.
  const key = frontEnd === pluginFrontEnd ? secret(service.apiKey) : service.apiKey;
  const settings = { baseUrl: service.url, apiKey: key, ...config };
  const others = Object.fromEntries(
    Object.entries(providers ?? {}).map(([name, more]) => [name, { ...settings, ...more }]),
  );
  const stack = new Stack(frontEnd(machine), { default: settings, ...others });
  let seen = { creates: 0, mails: 0, requests: 0 };
  return {
    service,
    machine,
    stack,
    id: (nth = 0) => service.ledger.documents()[nth]?.id ?? "",
    sent() {
      const creates = service.ledger.requests("createDocument").length + service.ledger.requests("createFolder").length;
      const mails: Mail[] = service.ledger.mails();
      const since = { creates: creates - seen.creates, mails: mails.length - seen.mails };
      seen = { ...seen, creates, mails: mails.length };
      return since;
    },
    asked() {
      const all = service.ledger.requests();
      const since = all
        .slice(seen.requests)
        .map(({ method, path, query }) => `${method} ${path}${query.size ? `?${query}` : ""}`);
      seen = { ...seen, requests: all.length };
      return since;
    },
    [Symbol.asyncDispose]: async () => {
      machine[Symbol.dispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

/** A scene with the contract in state, and the books closed so far. */
export async function sceneWith(program: readonly Goal[], options: SceneOptions = {}): Promise<Scene> {
  const made = await scene(options);
  const outcome = await made.stack.up(program);
  if (outcome.error !== undefined) throw new Error(outcome.error);
  // Only what the engine has shown is known to be in state: the second run shows it.
  const shown = await made.stack.up(program, { skipPreview: true });
  if (shown.error !== undefined) throw new Error(shown.error);
  made.sent();
  made.asked();
  return made;
}

/** Going back to this program: the stack is clean, nothing was sent, and so it stays. */
export async function healed(scene: Scene, program: readonly Goal[], options: UpOptions = {}): Promise<Outcome> {
  const outcome = await scene.stack.up(program, options);
  if (outcome.error !== undefined) throw new Error(`reverting failed: ${outcome.error}`);
  const after = await scene.stack.up(program, { skipPreview: true });
  if (after.error !== undefined) throw new Error(`the up after reverting failed: ${after.error}`);
  if (after.calls.some(call => /^(create|delete|update)/.test(call)))
    throw new Error(`reverting left something to do: ${after.calls.join(", ")}`);
  const { creates, mails } = scene.sent();
  if (creates !== 0 || mails !== 0) throw new Error(`reverting sent ${creates} creates and ${mails} mails`);
  return outcome;
}

/** Lists in an order that proves something, once they are long enough. */
export const newestFirst = { dialect: { order: "newest" } } as const;

/** Enough signed documents of an earlier time for lists in that order to prove what wasn't signed after them. */
export function fillAccount({ service }: Scene): void {
  for (let count = 0; count < 9; count++) {
    const text = `earlier ${count}`;
    service.people.signAll(service.people.upload("first", { name: text, pdf: pdf(text), emails: ["ana@example.com"] }));
    service.clock.advance(60_000);
  }
}

/** Nobody but the machine knows: what a throw-away CI machine starts from. */
export async function forgetMachine({ machine }: Scene): Promise<void> {
  const { rm } = await import("node:fs/promises");
  await rm(machine.folder, { recursive: true, force: true });
}
