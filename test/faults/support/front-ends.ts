import { dynamicFrontEnd } from "../../dialects/dynamic-front-end.js";
import { secret } from "../../support/engine-client.js";
import {
  type IndependentService,
  type IndependentServiceOptions,
  startIndependentService,
} from "../../support/independent-service/index.js";
import { type Machine, type Run, startMachine } from "../../support/machine.js";
import { type Entry, type Goal, type Outcome, pluginFrontEnd, Stack } from "../../support/simulated-engine.js";
import { snapshot } from "./disk.js";

export const FRONT_ENDS = ["plugin", "dynamic provider"] as const;
export type FrontEnd = (typeof FRONT_ENDS)[number];

export interface StageOptions extends IndependentServiceOptions {
  readonly config?: Record<string, string>;
}

/** A service, a machine and its stacks, behind one of the two front ends. A wait of the provider takes the service as long. */
export class Stage implements AsyncDisposable {
  entries: Entry[] = [];
  readonly #machine: Machine;
  readonly #runs: Run[] = [];

  private constructor(
    readonly service: IndependentService,
    private readonly frontEnd: FrontEnd,
    private readonly config: Record<string, string>,
  ) {
    this.#machine = startMachine({ waited: milliseconds => this.pass(milliseconds) });
  }

  static async open(frontEnd: FrontEnd, { config = {}, ...options }: StageOptions = {}): Promise<Stage> {
    return new Stage(await startIndependentService(options), frontEnd, config);
  }

  /** `pulumi up` on this state. A dynamic provider is asked nothing in a preview. */
  async up(program: readonly Goal[], name = "dev"): Promise<Outcome> {
    const stack = this.#stack(name);
    const outcome = await stack.up(program, { skipPreview: this.frontEnd === "dynamic provider" });
    this.entries = stack.entries;
    return outcome;
  }

  /** `pulumi up`, and a kill -9 once the service has made the document: state never hears of it. */
  async killed(program: readonly Goal[], name = "dev"): Promise<void> {
    const gate = this.service.gate("processed", "createDocument");
    const ended = this.#stack(name)
      .up(program, { skipPreview: true })
      .catch(() => undefined);
    await gate.reached;
    const disk = snapshot(this.#machine.folder);
    await this.#runs.at(-1)?.kill();
    gate.cut();
    await Promise.race([ended, new Promise(resolve => setTimeout(resolve, 20))]);
    disk.restore();
  }

  /** So much time passes at the service, and here for the runs to come. */
  pass(milliseconds: number): void {
    this.#machine.pass(milliseconds);
    this.service.clock.advance(milliseconds);
  }

  /** What the service saw. */
  saw() {
    const { ledger } = this.service;
    return {
      posts: ledger.requests("createDocument").length,
      documents: ledger.documents().map(({ id }) => id),
      mails: ledger.mails().length,
    };
  }

  held(): string[] {
    return this.entries.map(({ id }) => id);
  }

  #stack(name: string): Stack {
    const { url, apiKey } = this.service;
    const run: Machine["run"] = (...args) => {
      const started = this.#machine.run(...args);
      this.#runs.push(started);
      return started;
    };
    const machine = { ...this.#machine, run };
    const isPlugin = this.frontEnd === "plugin";
    const open = isPlugin ? pluginFrontEnd(machine) : dynamicFrontEnd(machine);
    // The dynamic front end has no secrets of its own in this engine.
    const settings = { ...this.config, baseUrl: url, apiKey: isPlugin ? secret(apiKey) : apiKey };
    const stack = new Stack(open, { default: settings }, name);
    stack.entries = this.entries.map(entry => ({ ...entry, urn: stack.urn(entry.goal.name, entry.goal.type) }));
    return stack;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#machine[Symbol.dispose]();
    await this.service[Symbol.asyncDispose]();
  }
}
