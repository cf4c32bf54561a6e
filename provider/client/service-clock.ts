/** A Date header has whole seconds. */
const GRAIN_MS = 1000;
/** Machines behind one address disagree a little about the time. */
const MARGIN_MS = 2000;

/** How far the service's clock is from ours, as its Date headers tell it. */
export class ServiceClock {
  #offset: { low: number; high: number } | undefined;

  note(dateHeader: string | undefined, sentAt: number, receivedAt: number): void {
    const date = dateHeader === undefined ? Number.NaN : Date.parse(dateHeader);
    if (Number.isNaN(date)) return;
    this.#offset = { low: date - receivedAt, high: date + GRAIN_MS - sentAt };
  }

  at(local: number): Date | undefined {
    return this.#offset && new Date(local + (this.#offset.low + this.#offset.high) / 2);
  }

  /** Surely not later than the service's time at that moment. Without any answer yet, our own clock has to do. */
  earliest(local: number): Date {
    return new Date(local + (this.#offset?.low ?? 0) - MARGIN_MS);
  }
}
