/** Days from one calendar date to another, both included. */
export interface DateRange {
  readonly fromDate: string;
  readonly toDate: string;
}

const DAY_MS = 86_400_000;

const dayOf = (date: string): number => Date.parse(date) / DAY_MS;
const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

export const daysIn = ({ fromDate, toDate }: DateRange): number => dayOf(toDate) - dayOf(fromDate) + 1;

/** A day more on both sides: `to_date` may be exclusive, and the service's days may begin at other hours than its timestamps say. */
export const widened = ({ fromDate, toDate }: DateRange): DateRange => ({
  fromDate: dateOf(Math.max(dayOf("0000-01-01"), dayOf(fromDate) - 1)),
  toDate: dateOf(Math.min(dayOf("9999-12-31"), dayOf(toDate) + 1)),
});

/** Consecutive ranges of at most `days` days that cover each day of the whole one exactly once. */
export function splitRange(whole: DateRange, days: number): DateRange[] {
  const last = dayOf(whole.toDate);
  const parts: DateRange[] = [];
  for (let first = dayOf(whole.fromDate); first <= last; first += days) {
    parts.push({ fromDate: dateOf(first), toDate: dateOf(Math.min(first + days - 1, last)) });
  }
  return parts;
}

/**
 * The parts as the service is asked for them: each up to the first day of the next. The interface doesn't show whether
 * `to_date` itself is included; this way no day between two parts is lost if it isn't, and merging drops what comes twice.
 */
export function joined(parts: readonly DateRange[]): DateRange[] {
  return parts.map(({ fromDate, toDate }, index) => ({ fromDate, toDate: parts[index + 1]?.fromDate ?? toDate }));
}
