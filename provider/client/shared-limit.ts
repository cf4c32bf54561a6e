import type { Clock } from "../core/clock.js";
import { Gate, Limiter } from "./rate-limit.js";

/** An account's limits that processes on any machine have in common. Where it can't be reached, each keeps its own. */
export interface SharedLimit {
  /** Waits for a place among all. */
  enter(signal?: AbortSignal | undefined): Promise<{
    readonly leave: () => void;
    /** For how long the service asked everybody to wait, from now. */
    readonly closedMs: number;
  }>;
  /** The service asks everybody to wait. */
  close(forMs: number): void;
  end(): Promise<void>;
}

/** This process's own places, and one among all for each that is taken. */
export class SharedLimiter extends Limiter {
  constructor(
    size: number,
    private readonly shared: SharedLimit,
    private readonly gate: Gate,
  ) {
    super(size);
  }

  override async enter(signal?: AbortSignal | undefined): Promise<() => void> {
    const leave = await super.enter(signal);
    try {
      const place = await this.shared.enter(signal);
      if (place.closedMs > 0) this.gate.keepShut(this.gate.clock.now() + place.closedMs);
      return () => {
        place.leave();
        leave();
      };
    } catch (error) {
      leave();
      throw error;
    }
  }
}

/** Shut for all by one 429. */
export class SharedGate extends Gate {
  constructor(
    clock: Clock,
    random: () => number,
    private readonly shared: SharedLimit,
  ) {
    super(clock, random);
  }

  override shut(askedMs: number | undefined): number {
    const opensAt = super.shut(askedMs);
    this.shared.close(opensAt - this.clock.now());
    return opensAt;
  }
}
