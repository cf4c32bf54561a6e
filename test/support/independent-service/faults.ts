import { chance, pick, seedFrom } from "./chance.js";
import type { Lag } from "./holdings.js";
import type { Json } from "./json.js";
import { type Matcher, matches, type RequestRecord } from "./requests.js";

/**
 * - `headers`: as soon as the headers are in, the body unread
 * - `before`: the whole request is in, nothing done
 * - `after`: done, only the answer suffers
 */
export type When = "headers" | "before" | "after";

export type Fault =
  // The connection
  | { kind: "reset"; when: When }
  | { kind: "hang"; when: When }
  /** An orderly end of the connection without a word. */
  | { kind: "close"; when: When }
  /** These very bytes instead of an answer, then the end of the connection. */
  | { kind: "raw"; when: When; bytes: string }
  // Another answer
  | {
      kind: "status";
      when: When;
      status: number;
      /** Sent as it is: seconds, a date, garbage. */
      retryAfter?: string;
      body?: "json" | "html" | "text" | "empty";
      headers?: Record<string, string>;
    }
  | { kind: "html"; when: When }
  | { kind: "not-ok"; when: When }
  | { kind: "redirect"; when: When; status: number; location: string }
  | { kind: "say"; when: When; json: Json; status?: number }
  | { kind: "empty"; when: When; status?: number }
  // The right answer (the work is done), damaged on its way
  | { kind: "reset-mid-body" }
  | { kind: "close-mid-body" }
  | { kind: "hang-mid-body" }
  | { kind: "truncated-json" }
  | { kind: "drip"; bytes: number; everyMs: number }
  | { kind: "wrong-ids"; as: "unused" | "neighbour" | "negative" | "zero" | "text" | "huge" | "fraction" | "null" }
  | { kind: "edit"; edit: (json: Json) => Json }
  | { kind: "content-type"; type: string }
  | { kind: "bom" }
  | { kind: "duplicate-content-length"; differing: boolean }
  | { kind: "gzip-bomb"; megabytes: number }
  | { kind: "padded"; megabytes: number }
  | { kind: "deep"; levels: number }
  /** A good answer; the connection it came on dies right after, though it said keep-alive. */
  | { kind: "die-after-answer" }
  // What the request made is not seen for the next reads
  | ({ kind: "lag" } & Partial<Lag>);

export type FaultFor = (request: RequestRecord) => Fault | undefined;

interface Planned {
  fault: Fault;
  matcher: Matcher | undefined;
  left: number;
  skip: number;
}

export function whenOf(fault: Fault): When {
  return "when" in fault ? fault.when : "after";
}

/** Whether the client of a request that meets this fault can't know what became of it. */
export function losesTheAnswer(fault: Fault | undefined): boolean {
  if (fault === undefined || !("when" in fault) || fault.when !== "after") return false;
  return fault.kind !== "say" && fault.kind !== "empty" && fault.kind !== "not-ok";
}

/** The script: planned faults first, in the order they were planned; then the function. */
export class FaultPlan {
  #planned: Planned[] = [];

  constructor(private faultFor: FaultFor | undefined) {}

  /**
   * For the next `times` matching requests, after `skip` good ones. With `when: "headers"` the request is matched without its body.
   */
  push(fault: Fault, matcher?: Matcher, { times = 1, skip = 0 } = {}): void {
    this.#planned.push({ fault, matcher, left: times, skip });
  }

  /** Replaces the function asked when nothing planned matches; it is asked once per request. */
  otherwise(faultFor: FaultFor | undefined): void {
    this.faultFor = faultFor;
  }

  /** What was planned and did not happen (yet). */
  pending(): { fault: Fault; left: number }[] {
    return this.#planned.map(({ fault, left }) => ({ fault, left }));
  }

  clear(): void {
    this.#planned = [];
    this.faultFor = undefined;
  }

  /** `early`: only the headers are in. */
  take(request: RequestRecord, early: boolean): Fault | undefined {
    for (const planned of this.#planned) {
      if ((whenOf(planned.fault) === "headers") !== early || !matches(request, planned.matcher)) continue;
      if (planned.skip > 0) {
        planned.skip--;
        continue;
      }
      if (--planned.left <= 0) this.#planned = this.#planned.filter(other => other !== planned);
      return planned.fault;
    }
    return early ? undefined : this.faultFor?.(request);
  }
}

/** A bit of everything that ends by itself: no hangs, no monsters. */
export const passingFaults: readonly Fault[] = [
  { kind: "reset", when: "before" },
  { kind: "reset", when: "after" },
  { kind: "close", when: "before" },
  { kind: "close", when: "after" },
  { kind: "status", when: "before", status: 429 },
  { kind: "status", when: "before", status: 429, retryAfter: "0" },
  { kind: "status", when: "after", status: 500 },
  { kind: "status", when: "before", status: 500 },
  { kind: "status", when: "after", status: 502, body: "html" },
  { kind: "status", when: "before", status: 503, body: "text" },
  { kind: "status", when: "after", status: 504, body: "empty" },
  { kind: "status", when: "before", status: 408, body: "empty" },
  { kind: "status", when: "after", status: 409 },
  { kind: "html", when: "before" },
  { kind: "html", when: "after" },
  { kind: "not-ok", when: "before" },
  { kind: "not-ok", when: "after" },
  { kind: "reset-mid-body" },
  { kind: "close-mid-body" },
  { kind: "truncated-json" },
  { kind: "die-after-answer" },
  { kind: "duplicate-content-length", differing: true },
  { kind: "lag", get: 2, list: 2 },
];

export interface RandomFaults {
  seed: number;
  /** Share of requests that suffer, 0 to 1. */
  share: number;
  among?: readonly Fault[];
  only?: Matcher;
  /** After so many the service is well. */
  atMost?: number;
}

/** Repeatable: the n-th request of an operation always meets the same fate, whatever else goes on meanwhile. */
export function randomFaults({ seed, share, among = passingFaults, only, atMost }: RandomFaults): FaultFor {
  const seen = new Map<string, number>();
  let given = 0;
  return request => {
    if (!matches(request, only) || given >= (atMost ?? Number.POSITIVE_INFINITY)) return undefined;
    const nth = (seen.get(request.operation) ?? 0) + 1;
    seen.set(request.operation, nth);
    const next = chance(seedFrom(seed, request.operation, nth));
    if (next() >= share) return undefined;
    given++;
    return pick(among, next);
  };
}
