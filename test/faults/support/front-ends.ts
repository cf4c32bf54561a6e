import { dynamicFrontEnd } from "../../dialects/dynamic-front-end.js";
import { secret } from "../../support/engine-client.js";
import {
  type IndependentService,
  type IndependentServiceOptions,
  startIndependentService,
} from "../../support/independent-service/index.js";
import { type Machine, type Run, startMachine } from "../../support/machine.js";
import {
  type Entry,
  type Goal,
  type Outcome,
  pluginFrontEnd,
  Stack,
  type UpOptions,
} from "../../support/simulated-engine.js";
import { snapshot } from "./disk.js";

export const FRONT_ENDS = ["plugin", "dynamic provider"] as const;
export type FrontEnd = (typeof FRONT_ENDS)[number];

export interface StageOptions extends IndependentServiceOptions {
  readonly config?: Record<string, string>;
  readonly env?: Record<string, string>;
}

export interface CommandOptions extends UpOptions {
  readonly stack?: string;
  readonly env?: Record<string, string>;
}

/** A service, a machine and its stacks, behind one of the two front ends. A wait of the provider takes the service as long. */
export class Stage implements AsyncDisposable {
  entries: Entry[] = [];
  #machine: Machine;
  readonly #machines: Machine[] = [];
  #passed = 0;
  readonly #runs: Run[] = [];

  private constructor(
    readonly service: IndependentService,
    readonly frontEnd: FrontEnd,
    private readonly options: StageOptions,
  ) {
    this.#machine = this.#startMachine();
  }

  static async open(frontEnd: FrontEnd, options: StageOptions = {}): Promise<Stage> {
    return new Stage(await startIndependentService(options), frontEnd, options);
  }

  /** `pulumi up` on this state. A dynamic provider is asked nothing in a preview. */
  async up(program: readonly Goal[], options: CommandOptions = {}): Promise<Outcome> {
    const stack = this.#stack(options);
    const outcome = await stack.up(program, { skipPreview: this.frontEnd === "dynamic provider", ...options });
    this.entries = stack.entries;
    return outcome;
  }

  /** `pulumi up`, and a kill -9 when a create, `after` so many others, stands `at` this point: by default the document is made, and state never hears of it. */
  async killed(
    program: readonly Goal[],
    {
      at = "processed",
      after = 0,
      ...options
    }: CommandOptions & { at?: Parameters<IndependentService["gate"]>[0]; after?: number } = {},
  ): Promise<void> {
    const before = this.saw().posts;
    const gate = this.service.gate(
      at,
      ({ operation }) => operation === "createDocument" && this.saw().posts > before + after,
    );
    const ended = this.#stack(options)
      .up(program, { ...options, skipPreview: true })
      .catch(() => undefined);
    await gate.reached;
    const disk = snapshot(this.#machine.folder);
    await this.#runs.at(-1)?.kill();
    gate.cut();
    await Promise.race([ended, new Promise(resolve => setTimeout(resolve, 20))]);
    disk.restore();
  }

  /** The next commands run on a machine that knows nothing of those before. */
  moveOn(): void {
    this.#machine = this.#startMachine();
  }

  /** So much time passes at the service, and here for the runs to come. */
  pass(milliseconds: number): void {
    this.#passed += milliseconds;
    for (const machine of this.#machines) machine.pass(milliseconds);
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

  #startMachine(): Machine {
    const machine = startMachine({ waited: milliseconds => this.pass(milliseconds) });
    machine.pass(this.#passed);
    this.#machines.push(machine);
    return machine;
  }

  #stack({ stack: name = "dev", env }: CommandOptions): Stack {
    const { url, apiKey } = this.service;
    const machine = this.#machine;
    const run: Machine["run"] = (settings, options) => {
      const started = machine.run(settings, { ...options, env: { ...this.options.env, ...env } });
      this.#runs.push(started);
      return started;
    };
    const isPlugin = this.frontEnd === "plugin";
    const open = (isPlugin ? pluginFrontEnd : dynamicFrontEnd)({ ...machine, run });
    // The dynamic front end has no secrets of its own in this engine.
    const settings = { ...this.options.config, baseUrl: url, apiKey: isPlugin ? secret(apiKey) : apiKey };
    const stack = new Stack(open, { default: settings }, name);
    stack.entries = this.entries.map(entry => ({ ...entry, urn: stack.urn(entry.goal.name, entry.goal.type) }));
    return stack;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const machine of this.#machines) machine[Symbol.dispose]();
    await this.service[Symbol.asyncDispose]();
  }
}
