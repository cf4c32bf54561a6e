import { afterEach, expect, test, vi } from "vitest";
import { lastingInWords, withLocalTime } from "../../provider/core/text.js";

afterEach(() => vi.unstubAllEnvs());

test.each([
  ["Europe/Madrid", "2026-11-21T09:01:59.178-06:00", "2026-11-21T09:01:59.178-06:00 (2026-11-21 16:01 local time)"],
  ["Europe/Madrid", "2026-11-21T23:30:00Z", "2026-11-21T23:30:00Z (2026-11-22 00:30 local time)"],
  ["UTC", "2026-11-21T09:01:59Z", "2026-11-21T09:01:59Z"],
  ["Asia/Kolkata", "2026-11-21T09:01:59+05:30", "2026-11-21T09:01:59+05:30"],
  ["UTC", "yesterday", "yesterday"],
])("in %s, %s is written %s", (zone, when, written) => {
  vi.stubEnv("TZ", zone);
  expect(withLocalTime(when)).toBe(written);
});

test.each([
  [-1, "0 s"],
  [599_400, "599 s"],
  [600_000, "10 min"],
  [3 * 3_600_000, "3 h"],
  [50 * 3_600_000, "2 days"],
])("%i ms are %s", (milliseconds, words) => {
  expect(lastingInWords(milliseconds)).toBe(words);
});
