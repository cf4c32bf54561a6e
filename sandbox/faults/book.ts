import type { SeenRequest } from "../history.js";
import type { RouteResponse } from "../routes/route.js";
import {
  type Fault,
  type FaultKind,
  type HoldPoint,
  type Match,
  type RateLimit,
  type ResetPoint,
  resetPoint,
} from "./fault.js";
import { Hold } from "./hold.js";
import { matcher } from "./matcher.js";
import { RateLimiter } from "./rate-limiter.js";

interface ArmedFault {
  fault: Fault;
  fits: (request: SeenRequest) => boolean;
  left: number;
}

export interface TriggeredFaults {
  holds: readonly Hold[];
  fault: Fault | undefined;
}

/** The faults that wait for requests. */
export class FaultBook {
  #armed: ArmedFault[] = [];
  #holds: Hold[] = [];
  #limiters: RateLimiter[] = [];
  #lastHold = 0;

  /** The next request that matches meets this fault; each request meets at most one, the first armed. */
  next(fault: Fault): void {
    const left = fault.times === "always" ? Number.POSITIVE_INFINITY : (fault.times ?? 1);
    this.#armed.push({ fault, fits: matcher(fault.match), left });
  }

  /** The next request that matches stops at that point until it is released. */
  hold(match: Match = {}, at: HoldPoint = "after"): Hold {
    this.#lastHold += 1;
    const hold = new Hold(this.#lastHold, match, at);
    this.#holds.push(hold);
    return hold;
  }

  /** From now on, what exceeds the limit is answered 429. */
  rateLimit(limit: RateLimit): { stop(): void } {
    const limiter = new RateLimiter(limit);
    this.#limiters.push(limiter);
    const stop = () => {
      this.#limiters = this.#limiters.filter(one => one !== limiter);
    };
    return { stop };
  }

  /** Faults that no request has met yet. */
  get pending(): readonly Fault[] {
    return this.#armed.map(one => one.fault);
  }

  /** Takes back every armed fault of this kind. */
  disarm(kind: FaultKind): void {
    this.#armed = this.#armed.filter(one => one.fault.kind !== kind);
  }

  findHold(id: number): Hold | undefined {
    return this.#holds.find(hold => hold.id === id);
  }

  clear(): void {
    this.#armed = [];
    this.#limiters = [];
    for (const hold of this.#holds) hold.abandon();
    this.#holds = [];
  }

  /** What a request meets. Faults before the body is read come first, the rest once it is read. */
  trigger(request: SeenRequest, moment: "headers" | "body"): TriggeredFaults {
    const isDue = (point: ResetPoint | undefined) => (point === "headers") === (moment === "headers");
    const holds = this.#holds.filter(hold => isDue(hold.at) && hold.takes(request));
    const [found] = this.#armed.filter(one => isDue(resetPoint(one.fault)) && one.fits(request));
    if (found) found.left -= 1;
    this.#armed = this.#armed.filter(one => one.left > 0);
    return { holds, fault: found?.fault };
  }

  refusal(request: SeenRequest, now: number): RouteResponse | undefined {
    for (const limiter of this.#limiters) {
      const answer = limiter.refusal(request, now);
      if (answer) return answer;
    }
    return undefined;
  }
}
