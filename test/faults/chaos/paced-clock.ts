import type { Clock } from "../../../provider/core/clock.js";

interface Waiter {
  readonly at: number;
  readonly go: () => void;
}

const QUIET_TURNS = 2;
const MOST_TURNS = 60;

/**
 * Time that passes only while nobody is at work: when every request is answered and all that is left is waiting, the
 * clock jumps to the first to wake. So ten seconds take milliseconds, and whoever polls is polled in the right order.
 */
export class PacedClock implements Clock {
  #skipped = 0;
  #waiting: Waiter[] = [];
  #pumping = false;

  /** `isOnItsWay`: what is sure to arrive, however long it takes. */
  constructor(
    private readonly isBusy: () => boolean,
    private readonly isOnItsWay: () => boolean = () => false,
  ) {}

  now(): number {
    return Date.now() + this.#skipped;
  }

  startedUp(): number {
    return 0;
  }

  skip(milliseconds: number): void {
    this.#skipped += milliseconds;
  }

  wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const waiter = { at: this.now() + milliseconds, go: resolve };
      this.#waiting.push(waiter);
      const quit = () => {
        this.#waiting = this.#waiting.filter(other => other !== waiter);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", quit, { once: true });
      void this.#pump();
    });
  }

  async #pump(): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    while (this.#waiting.length > 0) {
      for (let quiet = 0, turns = 0; quiet < QUIET_TURNS && turns < MOST_TURNS; turns++) {
        await new Promise(resolve => setTimeout(resolve, 1));
        const isArriving = this.isOnItsWay();
        if (isArriving) turns = 0;
        quiet = isArriving || this.isBusy() ? 0 : quiet + 1;
      }
      const [first] = this.#waiting.sort((a, b) => a.at - b.at);
      if (!first) break;
      this.#waiting = this.#waiting.filter(other => other !== first);
      this.#skipped = Math.max(this.#skipped, first.at - Date.now());
      first.go();
    }
    this.#pumping = false;
  }
}
