/** Machines behind one address disagree a little about the time. */
const MARGIN_MS = 2000;

/** How far the service's clock is from ours, by its Date headers. */
export class ServiceClock {
  /** At least so far ahead of ours: a Date header has whole seconds, cut off, and its answer took a while to come. */
  #offset: number | undefined;

  note(dateHeader: string | undefined, receivedAt: number): void {
    const date = dateHeader === undefined ? Number.NaN : Date.parse(dateHeader);
    if (Number.isNaN(date)) return;
    this.#offset = date - receivedAt;
  }

  /** Surely not later than the service's time at that moment, however slow its answers: what it made must not look older than the request. */
  at(local: number): Date | undefined {
    return this.#offset === undefined ? undefined : new Date(local + this.#offset);
  }

  /** Surely not later than the service's time at that moment. Without any answer yet, our own clock has to do. */
  earliest(local: number): Date {
    return new Date(local + (this.#offset ?? 0) - MARGIN_MS);
  }
}
