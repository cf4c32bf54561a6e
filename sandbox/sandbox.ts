import { trimmed } from "../kit/records.js";
import { Control } from "./control/control.js";
import { Exchanges } from "./exchange.js";
import { FaultBook } from "./faults/book.js";
import type { SeenRequest } from "./history.js";
import { type SandboxOptions, settingsFrom } from "./options.js";
import { Platform } from "./platform.js";
import { type Listening, listen, targetOf } from "./server.js";
import { emptyStore, Persistence } from "./store.js";

/** The running service. */
export class Sandbox extends Platform implements AsyncDisposable {
  readonly faults = new FaultBook();
  /** Every request seen, in order; those to the control surface aside. */
  readonly history: SeenRequest[] = [];
  readonly #options: SandboxOptions;
  readonly #persistence: Persistence | undefined;
  readonly #exchanges: Exchanges;
  readonly #control: Control | undefined;
  #listening: Listening | undefined;

  constructor(options: SandboxOptions) {
    super(options);
    this.#options = options;
    if (options.file !== undefined) this.#persistence = new Persistence(options.file, this.context.store);
    this.#exchanges = new Exchanges(this, this.context, options.control ?? false);
    if (options.control) this.#control = new Control(this, this.context);
  }

  /** Takes the state from the file or the options, then listens. */
  async open(): Promise<this> {
    const { port = 0, tls, now, frozen, apiKey } = this.#options;
    // Frozen first: between the two a millisecond could pass.
    if (frozen) this.clock.freeze();
    if (now !== undefined) this.clock.set(now);
    if (!this.#persistence?.load()) this.#fill(this.#options);
    else if (apiKey !== undefined) this.account.apiKey = apiKey;
    await this.save();
    this.#listening = await listen({
      host: this.host,
      port,
      tls,
      answer: async (request, response) => {
        const target = targetOf(request.url ?? "/");
        const control = this.#control;
        if (control?.takes(request, target)) return control.answer(request, response, target);
        const answered = this.#exchanges.answer(request, response, target);
        control?.changed();
        await answered.finally(() => control?.changed());
      },
    });
    this.context.origin = this.#listening.url;
    return this;
  }

  /** The address it listens on. */
  get host(): string {
    return this.#options.host ?? "127.0.0.1";
  }

  get url(): string {
    return this.context.origin;
  }

  /** Back to how it started: same key, same settings, no documents, no mails, no history, no faults. */
  reset(): void {
    const kept = this.account;
    this.faults.clear();
    this.history.length = 0;
    this.context.store.pdfs.clear();
    this.context.store.data = emptyStore();
    this.configure(settingsFrom(this.#options));
    this.#fill(kept);
  }

  /** Resolves once the state is in the file, at once where there is none. */
  save(): Promise<void> {
    return this.#persistence?.save() ?? Promise.resolve();
  }

  async close(): Promise<void> {
    if (this.clock.stopped) return;
    this.clock.stop();
    this.faults.clear();
    await this.#listening?.close();
    await this.save();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #fill({ password, apiKey }: { password?: string; apiKey?: string }): void {
    const { email = "owner@example.com", quota, storage, scenario } = this.#options;
    if (this.settings.ids === "small") this.context.store.countFrom(1);
    this.addAccount({ email, name: "Sandbox Owner", ...trimmed({ password, apiKey, quota, storage }) });
    if (scenario) this.seed(scenario);
  }
}

/** Starts the stand-in for the service. */
export function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  return new Sandbox(options).open();
}
