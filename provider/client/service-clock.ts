/** Machines behind one address disagree a little about the time. */
const MARGIN_MS = 2000;

/** So often, after so long each time, the same Date: no clock that runs shows that, and no single jump of ours. */
const STEP_MS = 2000;
const STEPS = 2;

/** How far the service's clock is from ours, by its Date headers. */
export class ServiceClock {
  /** At least so far ahead of ours: a Date header has whole seconds, cut off, and its answer took a while to come. */
  #offset: number | undefined;
  #same = { date: Number.NaN, at: 0, steps: 0 };

  note(dateHeader: string | undefined, receivedAt: number): void {
    const date = dateHeader === undefined ? Number.NaN : Date.parse(dateHeader);
    if (Number.isNaN(date)) return;
    this.#offset = date - receivedAt;
    const { at, steps } = this.#same;
    if (date !== this.#same.date) this.#same = { date, at: receivedAt, steps: 0 };
    else if (receivedAt - at >= STEP_MS) this.#same = { date, at: receivedAt, steps: steps + 1 };
  }

  /**
   * Surely not later than the service's time at that moment, however slow its answers: what it made must not look older
   * than the request.
   */
  at(local: number): Date | undefined {
    return this.#offset === undefined ? undefined : new Date(local + this.#offset);
  }

  /** Whether it was seen to: then it tells when something was made, and not how much time has passed. */
  get standsStill(): boolean {
    return this.#same.steps >= STEPS;
  }

  /** Surely not later than the service's time at that moment. Without any answer yet, our own clock has to do. */
  earliest(local: number): Date {
    return new Date(local + (this.#offset ?? 0) - MARGIN_MS);
  }
}
