const ISO = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}(?::\d{2})?)(?:[.,](\d+))? ?(Z|z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)$/;

/**
 * The moment a timestamp of the service's names, in milliseconds since 1970. The interface shows
 * `2026-01-31T12:00:00.000-06:00`; `Z`, other fractions and a blank in place of the `T` mean as much. Undefined where
 * it names none, which includes a time without an offset.
 */
export function parseTimestamp(text: string | null | undefined): number | undefined {
  const [, date, time = "", fraction = "", offset = ""] = ISO.exec(text?.trim() ?? "") ?? [];
  if (date === undefined) return undefined;
  const seconds = time.length === 5 ? `${time}:00` : time;
  const moment = Date.parse(`${date}T${seconds}.${fraction.padEnd(3, "0").slice(0, 3)}${zone(offset)}`);
  return Number.isNaN(moment) || !existsInCalendar(date) ? undefined : moment;
}

/** The calendar date of a timestamp at its own offset. */
export function dateOfTimestamp(text: string | null | undefined): string | undefined {
  return parseTimestamp(text) === undefined ? undefined : text?.trim().slice(0, 10);
}

function zone(offset: string): string {
  if (!/^[+-]/.test(offset)) return "Z";
  const digits = offset.replace(":", "").padEnd(5, "0");
  return `${digits.slice(0, 3)}:${digits.slice(3)}`;
}

/** `Date.parse` takes 30 February for 2 March. */
const existsInCalendar = (date: string): boolean => new Date(`${date}T00:00:00Z`).toISOString().slice(0, 10) === date;
