import type { SeenRequest } from "../history.js";
import { json, type RouteResponse } from "../routes/route.js";
import type { RateLimit } from "./fault.js";
import { matcher } from "./matcher.js";

/** Lets a number of requests through in each window of the service's time. */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #fits: (request: SeenRequest) => boolean;
  #windowEnds = 0;
  #taken = 0;

  constructor(limit: RateLimit) {
    this.#limit = limit;
    this.#fits = matcher(limit.match);
  }

  /** The 429 for a request above the limit. */
  refusal(request: SeenRequest, now: number): RouteResponse | undefined {
    if (!this.#fits(request)) return undefined;
    if (now >= this.#windowEnds) {
      this.#windowEnds = now + this.#limit.windowMs;
      this.#taken = 0;
    }
    this.#taken += 1;
    if (this.#taken <= this.#limit.limit) return undefined;
    const answer = json(429, { ok: false, error: { code: "rate_limited", message: "Too many requests" } });
    const hint = this.#hint(now);
    return hint === undefined ? answer : { ...answer, headers: { ...answer.headers, "Retry-After": hint } };
  }

  #hint(now: number): string | undefined {
    const style = this.#limit.retryAfter ?? "seconds";
    if (style === "none") return undefined;
    if (style === "seconds") return String(Math.ceil((this.#windowEnds - now) / 1000));
    return style === "date" ? new Date(this.#windowEnds).toUTCString() : style;
  }
}
