import fc from "fast-check";
import { expect, test } from "vitest";
import { dateOfTimestamp, parseTimestamp } from "../../provider/client/bodies.js";

const NOON = Date.UTC(2026, 0, 31, 12);

test.each([
  "2026-01-31T12:00:00.000+00:00",
  "2026-01-31T06:00:00.000-06:00",
  "2026-01-31T06:00:00-06:00",
  "2026-01-31T06:00:00.000-0600",
  "2026-01-31T06:00:00.000-06",
  "2026-01-31T12:00:00Z",
  "2026-01-31T12:00:00.000000Z",
  "2026-01-31T12:00Z",
  "2026-01-31 12:00:00 UTC",
  "2026-01-31 06:00:00 -0600",
  " 2026-01-31t17:30:00,0+05:30 ",
])("%s is noon in UTC", text => {
  expect(parseTimestamp(text)).toBe(NOON);
});

test.each([
  null,
  undefined,
  "",
  "yesterday",
  "2026-01-31",
  "2026-01-31T12:00:00",
  "2026-02-30T12:00:00Z",
  "2026-13-01T12:00:00Z",
  "2026-01-31T25:00:00Z",
  "1769860800",
])("%s names no moment", text => {
  expect(parseTimestamp(text)).toBeUndefined();
  expect(dateOfTimestamp(text)).toBeUndefined();
});

test("a timestamp's date is the one at its own offset", () => {
  expect(dateOfTimestamp("2026-01-31T23:30:00.000-06:00")).toBe("2026-01-31");
  expect(dateOfTimestamp("2026-02-01T05:30:00.000Z")).toBe("2026-02-01");
});

test("what JavaScript writes is read to the millisecond", () => {
  fc.assert(
    fc.property(fc.date({ min: new Date("1970-01-01"), max: new Date("9999-12-31"), noInvalidDate: true }), date => {
      expect(parseTimestamp(date.toISOString())).toBe(date.getTime());
    }),
  );
});
