import fc from "fast-check";
import { expect, it } from "vitest";
import { type DateRange, daysIn, joined, splitRange } from "../../provider/functions/documents.js";

const DAY_MS = 86_400_000;
const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

/** Anywhere in four-digit years, across leap days and the turn of centuries. */
const ranges = fc
  .tuple(fc.integer({ min: -719_162, max: 2_932_000 }), fc.integer({ min: 0, max: 800 }))
  .map(([first, more]): DateRange => ({ fromDate: dateOf(first), toDate: dateOf(first + more) }));
const lengths = fc.integer({ min: 1, max: 900 });

const daysOf = ({ fromDate, toDate }: DateRange): string[] => {
  const first = Date.parse(fromDate) / DAY_MS;
  return Array.from({ length: Date.parse(toDate) / DAY_MS - first + 1 }, (_, index) => dateOf(first + index));
};

it("the parts of a range cover each of its days exactly once, in order", () => {
  fc.assert(
    fc.property(ranges, lengths, (whole, days) => {
      expect(splitRange(whole, days).flatMap(daysOf)).toEqual(daysOf(whole));
    }),
  );
});

it("no part is longer than asked, and only the last is shorter", () => {
  fc.assert(
    fc.property(ranges, lengths, (whole, days) => {
      const sizes = splitRange(whole, days).map(daysIn);
      expect(sizes.slice(0, -1).every(size => size === days)).toBe(true);
      expect(sizes.at(-1)).toBeLessThanOrEqual(days);
      expect(sizes.length).toBe(Math.ceil(daysIn(whole) / days));
    }),
  );
});

it("joined, neighbours share one day, and the whole stays what it was", () => {
  fc.assert(
    fc.property(ranges, lengths, (whole, days) => {
      const parts = joined(splitRange(whole, days));
      expect(parts[0]?.fromDate).toBe(whole.fromDate);
      expect(parts.at(-1)?.toDate).toBe(whole.toDate);
      expect(parts.slice(1).map(({ fromDate }) => fromDate)).toEqual(parts.slice(0, -1).map(({ toDate }) => toDate));
    }),
  );
});
