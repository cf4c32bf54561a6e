import type { Clock } from "../../provider/core/clock.js";
import { CommandError } from "../cli/flags/errors.js";
import type { Hooks } from "./engine.js";
import type { Lease, Leases } from "./leases.js";

/** A worker that can't renew stops its engine when this much of the lease is over: before anybody may take the stack. */
const OWN_END = 0.7;
/** Where the worker is stopped, its engine ends when this much of the lease is over. */
const ENGINE_END = 0.75;

/** Renews one lease while its stack is run, and stops the engine once it is lost. */
export class LeaseKeeper {
  readonly hooks: Hooks;
  #renewedAt: number;
  #note = "";
  #cancelled = false;
  #lost: string | undefined;
  readonly #engines: number[] = [];
  readonly #stop = new AbortController();
  readonly #kill = new AbortController();
  readonly #ended = new AbortController();
  readonly #renewing: Promise<void>;
  readonly #onInterrupt = (): void => this.#stop.abort();

  constructor(
    private readonly leases: Leases,
    private readonly lease: Lease,
    private readonly seconds: number,
    /** When it was asked for. */
    takenAt: number,
    private readonly clock: Clock,
    private readonly interrupt: AbortSignal,
  ) {
    this.#renewedAt = takenAt;
    this.hooks = {
      heldMs: () => this.#renewedAt + seconds * 1000 * ENGINE_END - clock.now(),
      note: text => {
        this.#note = text;
      },
      started: pid => {
        this.#engines.push(pid);
        // Known to the others before the engine takes its lock.
        void this.#renew();
      },
      stop: this.#stop.signal,
      kill: this.#kill.signal,
    };
    // A signal made of several would be kept, with what listens to it, for as long as the worker lives.
    if (interrupt.aborted) this.#stop.abort();
    interrupt.addEventListener("abort", this.#onInterrupt);
    this.#renewing = this.#renewOn();
  }

  get cancelled(): boolean {
    return this.#cancelled;
  }

  assertHeld(): void {
    if (this.#lost !== undefined) throw new CommandError(this.#lost);
  }

  async end(): Promise<void> {
    this.interrupt.removeEventListener("abort", this.#onInterrupt);
    this.#ended.abort();
    await this.#renewing;
    if (this.#lost === undefined) await this.leases.release(this.lease).catch(() => undefined);
  }

  async #renewOn(): Promise<void> {
    const interval = (this.seconds * 1000) / 4;
    while (!this.#ended.signal.aborted && this.#lost === undefined) {
      const isRenewed = await this.#renew();
      if (!isRenewed && this.clock.now() + interval - this.#renewedAt > this.seconds * 1000 * OWN_END)
        this.#lose(`the lease of ${this.lease.stack} couldn't be renewed`);
      await this.clock.wait(interval, this.#ended.signal).catch(() => undefined);
    }
  }

  async #renew(): Promise<boolean> {
    const interval = (this.seconds * 1000) / 4;
    const before = this.clock.now();
    if (before - this.#renewedAt > this.seconds * 1000 * OWN_END) {
      this.#lose(`the worker was stopped for longer than its lease of ${this.lease.stack} allows`);
      return false;
    }
    try {
      // A connection that hangs counts as none.
      const late = this.clock.wait(interval, this.#ended.signal).then(() => undefined);
      const answer = await Promise.race([this.leases.renew(this.lease, this.#note, this.#engines), late]);
      if (answer === undefined) return false;
      if (answer === "lost") this.#lose(`the lease of ${this.lease.stack} was taken over by another worker`);
      if (answer === "cancelled") {
        this.#cancelled = true;
        this.#stop.abort();
      }
      if (answer !== "lost") this.#renewedAt = Math.max(this.#renewedAt, before);
      return true;
    } catch {
      return false;
    }
  }

  #lose(why: string): void {
    this.#lost ??= why;
    this.#kill.abort();
  }
}
