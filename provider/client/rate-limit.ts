import type { Clock } from "../core/clock.js";
import { backoffMs } from "./retry.js";

/** So many at a time, in the order they came. */
export class Limiter {
  #free: number;
  readonly #queue = new Set<() => void>();

  constructor(size: number) {
    this.#free = size;
  }

  /** Resolves to what gives the place back. Rejects with the signal's reason. */
  enter(signal?: AbortSignal | undefined): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const go = () => {
        this.#queue.delete(go);
        signal?.removeEventListener("abort", quit);
        resolve(this.#place());
      };
      const quit = () => {
        this.#queue.delete(go);
        reject(signal?.reason);
      };
      if (this.#free > 0) {
        this.#free--;
        return go();
      }
      this.#queue.add(go);
      signal?.addEventListener("abort", quit, { once: true });
    });
  }

  #place(): () => void {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const [next] = this.#queue;
      if (next) next();
      else this.#free++;
    };
  }
}

const FIRST_CLOSING_MS = 1000;
const LONGEST_CLOSING_MS = 30_000;
/** Those who waited don't all start in the same millisecond. */
const SPREAD_MS = 250;

/** Closed by a 429 for every request, for as long as the service asks. */
export class Gate {
  #opensAt = 0;
  #hintless = 0;

  constructor(
    readonly clock: Clock,
    readonly random: () => number,
  ) {}

  get opensAt(): number {
    return this.#opensAt;
  }

  /** Without a hint, each refusal in a row doubles the pause. Returns when it opens again. */
  shut(askedMs: number | undefined): number {
    const pause = askedMs ?? Math.min(LONGEST_CLOSING_MS, FIRST_CLOSING_MS * 2 ** this.#hintless++);
    // "Retry-After: 0" right after a refusal would be a storm.
    const until = this.clock.now() + Math.max(pause, 50 + backoffMs(2, this.random()));
    this.#opensAt = Math.max(this.#opensAt, until);
    return this.#opensAt;
  }

  /** Until then at least: another process was asked to wait. */
  keepShut(until: number): void {
    this.#opensAt = Math.max(this.#opensAt, until);
  }

  passed(): void {
    this.#hintless = 0;
  }

  async wait(signal?: AbortSignal | undefined): Promise<void> {
    for (;;) {
      const left = this.#opensAt - this.clock.now();
      if (left <= 0) return;
      await this.clock.wait(left + Math.floor(SPREAD_MS * this.random()), signal);
    }
  }
}
