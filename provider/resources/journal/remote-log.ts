import type { Clock } from "../../core/clock.js";
import { type Lines, LOST, type Log } from "./log.js";

export const ANSWER_MS = 10_000;
const PAUSE_MS = 30_000;

/** A log that is loaded and connected when it is first used, and left where it doesn't answer in time. */
export class RemoteLog implements Log {
  readonly pauseMs = PAUSE_MS;
  readonly isShared = true;
  /** Known once it has answered. */
  isWhole = true;
  #lines: Promise<Lines> | undefined;
  #wasLeft = false;

  constructor(
    readonly name: string,
    readonly advice: string,
    private readonly open: () => Promise<Lines>,
    private readonly clock: Pick<Clock, "wait">,
  ) {}

  async exchange(lines: readonly string[], durable: boolean, asked: readonly string[]): Promise<readonly string[]> {
    const isFresh = this.#lines === undefined;
    const exchange = (log: Lines) => {
      this.isWhole = log.isWhole;
      return log.exchange(lines, durable, asked);
    };
    const added = await this.#inTime(exchange).catch((error: unknown) => {
      // A connection that was good may be dead by now.
      if (isFresh || error instanceof LateError) throw error;
      return this.#inTime(exchange);
    });
    if (!this.#wasLeft) return added;
    this.#wasLeft = false;
    return [LOST, ...added];
  }

  stacks(): Promise<readonly string[]> {
    return this.#inTime(async log => (await log.stacks?.()) ?? []);
  }

  compact(snapshot: string): Promise<void> {
    return this.#inTime(log => log.compact(snapshot));
  }

  async close(): Promise<void> {
    const lines = this.#lines;
    this.#lines = undefined;
    await lines?.then(log => log.close()).catch(() => undefined);
  }

  /** After a failure of any kind it isn't known what was read: it is opened anew. */
  async #inTime<T>(work: (log: Lines) => Promise<T>): Promise<T> {
    this.#lines ??= this.open();
    const ended = new AbortController();
    const late = this.clock.wait(ANSWER_MS, ended.signal).then(() => {
      throw new LateError(`expected an answer within ${ANSWER_MS / 1000} s, got none`);
    });
    try {
      return await Promise.race([this.#lines.then(work), late]);
    } catch (error) {
      this.#wasLeft = true;
      void this.close();
      throw error;
    } finally {
      ended.abort();
    }
  }
}

class LateError extends Error {}
