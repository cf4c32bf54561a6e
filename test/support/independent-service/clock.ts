/** The service's own idea of now. It runs with ours until a test bends it. */
export class ServiceClock {
  #ahead = 0;
  #frozenAt: number | undefined;

  now(): number {
    return (this.#frozenAt ?? Date.now()) + this.#ahead;
  }

  /** How far the service is ahead of us (negative: behind), replacing what was set before. */
  skew(ms: number): void {
    this.#ahead = ms;
  }

  advance(ms: number): void {
    this.#ahead += ms;
  }

  freeze(): void {
    this.#frozenAt = Date.now();
  }
}

const MINUTE = 60_000;

/** `YYYY-MM-DDThh:mm:ss.mmm±hh:mm`, as a wall clock `offset` minutes east of UTC shows it. */
export function timestamp(at: number, offset: number): string {
  const wall = new Date(at + offset * MINUTE).toISOString().slice(0, -1);
  const minutes = Math.abs(offset);
  const two = (n: number): string => String(n).padStart(2, "0");
  return `${wall}${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

export function dayOf(at: number, offset: number): string {
  return new Date(at + offset * MINUTE).toISOString().slice(0, 10);
}

/** A calendar day as `YYYY-MM-DD` that exists; 2025-02-30 does not. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = Date.parse(`${text}T00:00:00.000Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}
