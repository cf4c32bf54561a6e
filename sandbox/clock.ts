export type Moment = Date | string | number;

interface Sleeper {
  due: number;
  wake: () => void;
  timer: NodeJS.Timeout | undefined;
}

const LONGEST_TIMER = 2_147_483_647;

const FIRST = 0;
const LAST = Date.parse("9999-12-30T00:00:00Z");

/** Whether it can be written down with a year of four digits, wherever on earth. */
export const isMoment = (time: number): boolean => time >= FIRST && time <= LAST;

function toMilliseconds(moment: Moment): number {
  const time = typeof moment === "number" ? moment : new Date(moment).getTime();
  if (!isMoment(time)) throw new RangeError(`expected a time from 1970 to 9999, got ${JSON.stringify(moment)}`);
  return time;
}

/** The service's own idea of time. It runs with the machine's clock until it is set, moved or frozen. */
export class Clock {
  #offset = 0;
  #frozenAt: number | null = null;
  #stopped = false;
  readonly #sleepers = new Set<Sleeper>();

  now(): number {
    return this.#frozenAt ?? Date.now() + this.#offset;
  }

  set(moment: Moment): void {
    const time = toMilliseconds(moment);
    if (this.#frozenAt === null) this.#offset = time - Date.now();
    else this.#frozenAt = time;
    this.#wakeTheDue();
  }

  advance(milliseconds: number): void {
    this.set(this.now() + milliseconds);
  }

  freeze(): void {
    this.#frozenAt = this.now();
    for (const sleeper of this.#sleepers) clearTimeout(sleeper.timer);
  }

  resume(): void {
    if (this.#frozenAt === null) return;
    this.#offset = this.#frozenAt - Date.now();
    this.#frozenAt = null;
    this.#wakeTheDue();
  }

  get frozen(): boolean {
    return this.#frozenAt !== null;
  }

  /** Whether the service is about to close. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** How many answers are waiting for time to pass. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  sleep(milliseconds: number): Promise<void> {
    if (milliseconds <= 0 || this.#stopped) return Promise.resolve();
    return new Promise(resolve => {
      const sleeper: Sleeper = { due: this.now() + milliseconds, wake: resolve, timer: undefined };
      this.#sleepers.add(sleeper);
      this.#arm(sleeper);
    });
  }

  /** Wakes everybody, and lets nobody sleep any more. */
  stop(): void {
    this.#stopped = true;
    for (const sleeper of [...this.#sleepers]) this.#wake(sleeper);
  }

  #wakeTheDue(): void {
    for (const sleeper of [...this.#sleepers]) {
      if (sleeper.due <= this.now()) this.#wake(sleeper);
      else this.#arm(sleeper);
    }
  }

  #arm(sleeper: Sleeper): void {
    clearTimeout(sleeper.timer);
    if (this.#frozenAt !== null) return;
    const wait = Math.min(Math.max(sleeper.due - this.now(), 0), LONGEST_TIMER);
    sleeper.timer = setTimeout(() => this.#wakeTheDue(), wait);
  }

  #wake(sleeper: Sleeper): void {
    clearTimeout(sleeper.timer);
    this.#sleepers.delete(sleeper);
    sleeper.wake();
  }
}

/** `2031-03-14T09:26:53.589-06:00` */
export function timestamp(time: number, offsetMinutes: number): string {
  const local = new Date(time + offsetMinutes * 60_000).toISOString().slice(0, -1);
  const away = Math.abs(offsetMinutes);
  const hours = String(Math.floor(away / 60)).padStart(2, "0");
  const minutes = String(away % 60).padStart(2, "0");
  return `${local}${offsetMinutes < 0 ? "-" : "+"}${hours}:${minutes}`;
}

/** The calendar day, `YYYY-MM-DD`, on which a moment falls at the service. */
export function calendarDay(time: number, offsetMinutes: number): string {
  return timestamp(time, offsetMinutes).slice(0, 10);
}
