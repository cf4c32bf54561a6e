import { type Matcher, matches, type RequestRecord } from "./requests.js";

/**
 * - `received-headers`: nothing of the body has been looked at (a large upload stands still half-way)
 * - `receiving-body`: the first bytes of the body have come
 * - `received-body`: the request is whole, nothing is done yet
 * - `processed`: done (documents made, mails sent), not a byte answered
 * - `answered-headers`: status and headers are out, the body is not
 */
export type Point = "received-headers" | "receiving-body" | "received-body" | "processed" | "answered-headers";

export interface Gate {
  /** Settles when a matching request stands at the gate. */
  reached: Promise<RequestRecord>;
  /**
   * Settles when the client of the request at the gate is gone. A socket that stands still half-way through a large
   * upload doesn't report that it died: there it settles only after `open()`.
   */
  abandoned: Promise<void>;
  /** Lets the request go on; before anyone came: takes the gate away. */
  open(): void;
  /** Resets the connection of the request at the gate. Before `processed` it never happened. */
  cut(): void;
  [Symbol.dispose](): void;
}

interface Barrier {
  point: Point;
  matcher: Matcher | undefined;
  arrive: (request: RequestRecord) => void;
  leave: () => void;
  verdict: Promise<"go" | "cut">;
  gate: Gate;
}

/** Places where a request stops until the test says so. Each gate stops one request. */
export class Gates {
  readonly #waiting = new Set<Barrier>();
  readonly #all = new Set<Barrier>();

  gate(point: Point, matcher?: Matcher): Gate {
    const reached = Promise.withResolvers<RequestRecord>();
    const abandoned = Promise.withResolvers<void>();
    const verdict = Promise.withResolvers<"go" | "cut">();
    const decide = (what: "go" | "cut"): void => {
      this.#waiting.delete(barrier);
      this.#all.delete(barrier);
      verdict.resolve(what);
    };
    const gate: Gate = {
      reached: reached.promise,
      abandoned: abandoned.promise,
      open: () => decide("go"),
      cut: () => decide("cut"),
      [Symbol.dispose]: () => decide("go"),
    };
    const ends = { arrive: reached.resolve, leave: abandoned.resolve, verdict: verdict.promise };
    const barrier: Barrier = { point, matcher, gate, ...ends };
    this.#waiting.add(barrier);
    this.#all.add(barrier);
    return gate;
  }

  /** Called by the service as a request comes to a point. `gone` settles when the client's connection does. */
  async pass(point: Point, request: RequestRecord, gone: Promise<void>): Promise<"go" | "cut"> {
    for (const barrier of this.#waiting) {
      if (barrier.point !== point || !matches(request, barrier.matcher)) continue;
      this.#waiting.delete(barrier);
      gone.then(barrier.leave);
      barrier.arrive(request);
      return barrier.verdict;
    }
    return "go";
  }

  cutAll(): void {
    for (const { gate } of [...this.#all]) gate.cut();
  }
}
