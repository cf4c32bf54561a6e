import type { SeenRequest } from "../history.js";
import type { HoldPoint, Match } from "./fault.js";
import { matcher } from "./matcher.js";

/** Stops one request at a known point until it is released. */
export class Hold {
  readonly id: number;
  readonly at: HoldPoint;
  /** The request that is held; rejected when the sandbox closes or resets first. */
  readonly arrived: Promise<SeenRequest>;
  readonly #fits: (request: SeenRequest) => boolean;
  readonly #arrival = Promise.withResolvers<SeenRequest>();
  readonly #released = Promise.withResolvers<void>();
  #used = false;

  constructor(id: number, match: Match, at: HoldPoint) {
    this.id = id;
    this.at = at;
    this.#fits = matcher(match);
    this.arrived = this.#arrival.promise;
    // A test that never waits for the arrival must not fail for it.
    this.arrived.catch(() => {});
  }

  release(): void {
    this.#released.resolve();
  }

  [Symbol.dispose](): void {
    this.release();
  }

  abandon(): void {
    this.#arrival.reject(new Error("The sandbox closed or was reset before a request arrived at this hold"));
    this.release();
  }

  takes(request: SeenRequest): boolean {
    if (this.#used || !this.#fits(request)) return false;
    this.#used = true;
    return true;
  }

  async stop(request: SeenRequest): Promise<void> {
    this.#arrival.resolve(request);
    await this.#released.promise;
  }
}
