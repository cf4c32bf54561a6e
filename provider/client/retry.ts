/** Full jitter: anywhere between nothing and the doubled bound. */
export const BASE_DELAY_MS = 200;
export const MAX_DELAY_MS = 20_000;
export const MAX_ATTEMPTS = 5;

/** How long to wait before the given attempt (2 is the first retry). `random` is in [0, 1). */
export function backoffMs(attempt: number, random: number): number {
  const bound = Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** Math.max(0, attempt - 2));
  return Math.floor(bound * random);
}

/** `Retry-After` in milliseconds from `nowMs`: seconds or a date; undefined when it's neither. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? "";
  if (/^[0-9]{1,15}$/.test(text)) return Number(text) * 1000;
  // Date.parse takes "-5" and "2.5" for years; an HTTP date starts with the name of a day.
  const date = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

/** Smithy's token bucket: when a service is down, everybody's retries dry up together instead of adding to the load. */
export class RetryBudget {
  #tokens: number;

  constructor(readonly capacity = 500) {
    this.#tokens = capacity;
  }

  get tokens(): number {
    return this.#tokens;
  }

  /** False when it's spent. */
  take(kind: "retry" | "timeout"): boolean {
    const price = PRICES[kind];
    if (this.#tokens < price) return false;
    this.#tokens -= price;
    return true;
  }

  /** A call went well; `afterRetry` gives its price back too. */
  refill(afterRetry?: "retry" | "timeout"): void {
    this.#tokens = Math.min(this.capacity, this.#tokens + (afterRetry ? PRICES[afterRetry] : 1));
  }
}

const PRICES = { retry: 5, timeout: 10 } as const;
