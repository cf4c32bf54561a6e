import { parseDuration } from "../../schema/types.js";
import type { Values } from "../../schema/values.js";

/** When people are reminded again, as the inputs say it. */
export interface Interval {
  readonly everyMs: number;
  /** How often at most. */
  readonly times: number | undefined;
  /** From when on nobody is reminded any more. */
  readonly endsAt: number | undefined;
  /** `until`, as it was given. */
  readonly until: string;
  readonly businessDays: boolean;
  readonly timeZone: string;
}

const DAY_MS = 86_400_000;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIMES = /^[1-9]\d{0,3}$/;

/** Undefined without `every`. */
export function intervalIn({ every, until, businessDays, timeZone }: Values): Interval | undefined {
  if (typeof every !== "string" && typeof every !== "number") return undefined;
  const zone = typeof timeZone === "string" ? timeZone : "UTC";
  const end = String(until ?? "");
  return {
    everyMs: parseDuration(every) ?? 0,
    times: TIMES.test(end) ? Number(end) : undefined,
    endsAt: DATE.test(end) ? startOfDay(dayAfter(end, 1), zone) : undefined,
    until: end,
    businessDays: businessDays === true,
    timeZone: zone,
  };
}

/** A day that there is, or how many times. */
export const isUntil = (given: string): boolean =>
  TIMES.test(given) || (DATE.test(given) && dayAfter(given, 0) === given);

export function isTimeZone(given: string): boolean {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: given }) !== undefined;
  } catch {
    return false;
  }
}

/**
 * When somebody is due who was mailed last at `last`: `now`, or later. Whole days are days of the calendar: who was reminded
 * on a Monday at noon is due from the first minute of the next Monday on, or runs at other times of day would fall behind.
 */
export function dueAfter(last: number, now: number, interval: Interval): number {
  const { everyMs, timeZone } = interval;
  const due =
    everyMs % DAY_MS === 0 ? startOfDay(dayAfter(dayAt(last, timeZone), everyMs / DAY_MS), timeZone) : last + everyMs;
  return onBusinessDay(Math.max(due, now), interval);
}

/** That moment, or the start of the Monday after it. */
function onBusinessDay(moment: number, { businessDays, timeZone }: Interval): number {
  const day = dayAt(moment, timeZone);
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  if (!businessDays || (weekday !== 0 && weekday !== 6)) return moment;
  return startOfDay(dayAfter(day, weekday === 6 ? 2 : 1), timeZone);
}

/** The calendar's day at a moment, as `2027-01-31`. */
function dayAt(moment: number, timeZone: string): string {
  const { year = "", month = "", day = "" } = partsAt(moment, timeZone);
  return `${year.padStart(4, "0")}-${month}-${day}`;
}

function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** The first moment of a day: clocks that are put forward at midnight have none at 00:00. */
function startOfDay(day: string, timeZone: string): number {
  const utc = Date.parse(`${day}T00:00:00Z`);
  const candidates = [utc - DAY_MS, utc + DAY_MS].map(near => utc - offsetAt(near, timeZone)).sort((a, b) => a - b);
  return candidates.find(each => dayAt(each, timeZone) === day) ?? utc;
}

/** How far a time zone is ahead of UTC. */
function offsetAt(moment: number, timeZone: string): number {
  const { year, month, day, hour, minute, second } = partsAt(moment, timeZone);
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)) - moment;
}

function partsAt(moment: number, timeZone: string): Readonly<Record<string, string>> {
  const parts = formatFor(timeZone).formatToParts(Math.floor(moment / 1000) * 1000);
  return Object.fromEntries(parts.map(({ type, value }) => [type, value]));
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatFor(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const two = "2-digit" as const;
  const format = new Intl.DateTimeFormat("en-US-u-ca-gregory-nu-latn", {
    ...{ timeZone, hourCycle: "h23", year: "numeric", month: two, day: two, hour: two, minute: two, second: two },
  });
  formats.set(timeZone, format);
  return format;
}
