import { own } from "../../kit/records.js";
import type { SeenRequest } from "../history.js";
import { json, type RouteResponse } from "../routes/route.js";
import {
  type Fault,
  type FaultKind,
  type HoldPoint,
  type Match,
  type RateLimit,
  type ResetPoint,
  resetPoint,
} from "./fault.js";

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
  #limiters: Limiter[] = [];
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
    const limiter = limiterOf(limit);
    this.#limiters.push(limiter);
    return {
      stop: () => {
        this.#limiters = this.#limiters.filter(one => one !== limiter);
      },
    };
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

  /** The 429 for a request above a limit. */
  refusal(request: SeenRequest, now: number): RouteResponse | undefined {
    for (const limiter of this.#limiters) {
      const answer = limiter(request, now);
      if (answer) return answer;
    }
    return undefined;
  }
}

// ---- A hold ----

/** Stops one request at a known point until it is released. */
export class Hold {
  /** The request that is held; rejected when the sandbox closes or resets first. */
  readonly arrived: Promise<SeenRequest>;
  readonly #fits: (request: SeenRequest) => boolean;
  readonly #arrival = Promise.withResolvers<SeenRequest>();
  readonly #released = Promise.withResolvers<void>();
  #used = false;

  constructor(
    readonly id: number,
    match: Match,
    readonly at: HoldPoint,
  ) {
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

// ---- A rate limit ----

type Limiter = (request: SeenRequest, now: number) => RouteResponse | undefined;

/** Lets a number of requests through in each window of the service's time. */
function limiterOf({ limit, windowMs, match, retryAfter = "seconds" }: RateLimit): Limiter {
  const fits = matcher(match);
  let windowEnds = 0;
  let taken = 0;
  return (request, now) => {
    if (!fits(request)) return undefined;
    if (now >= windowEnds) {
      windowEnds = now + windowMs;
      taken = 0;
    }
    taken += 1;
    if (taken <= limit) return undefined;
    const answer = json(429, { ok: false, error: { code: "rate_limited", message: "Too many requests" } });
    const known: Record<string, string> = {
      seconds: String(Math.ceil((windowEnds - now) / 1000)),
      date: new Date(windowEnds).toUTCString(),
    };
    if (retryAfter !== "none") answer.headers["Retry-After"] = own(known, retryAfter) ?? retryAfter;
    return answer;
  };
}

// ---- Which requests ----

/** Tells whether a request fits, counting those that do so that `nth` can pick one. */
function matcher(match: Match = {}): (request: SeenRequest) => boolean {
  const fitsPath = pathMatcher(match.path);
  let fitting = 0;
  return request => {
    const fits =
      (match.route === undefined || match.route === request.route) &&
      (match.method === undefined || match.method.toUpperCase() === request.method) &&
      fitsPath(request.path) &&
      (match.reusedSocket === undefined || match.reusedSocket === request.reusedSocket) &&
      (match.where === undefined || match.where(request));
    if (!fits) return false;
    fitting += 1;
    return match.nth === undefined || match.nth === fitting;
  };
}

/** A text is a glob of the whole path: `*` is any part of it. It takes time in proportion to the path, whatever it is. */
function pathMatcher(path: RegExp | string | undefined): (path: string) => boolean {
  if (path === undefined) return () => true;
  if (typeof path !== "string") return given => new RegExp(path).test(given);
  const [first = "", ...rest] = path.split("*");
  const last = rest.pop();
  if (last === undefined) return given => given === path;
  return given => {
    if (!given.startsWith(first)) return false;
    let at = first.length;
    for (const part of rest) {
      const found = given.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return given.length - last.length >= at && given.endsWith(last);
  };
}
