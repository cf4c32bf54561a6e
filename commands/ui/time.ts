const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** A moment, to the minute: `21 Nov 2026, 09:01`. An ISO 8601 text keeps its own offset. */
export function momentText(iso: string): string {
  const [, year, month, day, clock] = /^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d)/.exec(iso) ?? [];
  const name = MONTHS[Number(month) - 1];
  return name === undefined ? iso : `${Number(day)} ${name} ${year}, ${clock}`;
}

/** The day of a moment: `21 Nov 2026`. */
export const dayText = (iso: string): string => momentText(iso).replace(/, \d\d:\d\d$/, "");

/** How long something took, in its largest unit: `12 days`. */
export function span(milliseconds: number): string {
  const [size, name] =
    milliseconds >= DAY ? [DAY, "day"] : milliseconds >= HOUR ? [HOUR, "hour"] : ([MINUTE, "minute"] as const);
  const count = Math.floor(Math.max(0, milliseconds) / size);
  return count === 0 ? "less than a minute" : counted(count, name);
}

/** Thousands apart. */
export const grouped = (count: number): string => count.toLocaleString("en");

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : many}`;
