import fc from "fast-check";
import { expect, test } from "vitest";
import { retryAfterMs } from "../../provider/client/errors.js";
import { backoffMs, MAX_DELAY_MS, RetryBudget } from "../../provider/client/requests.js";

test.each([
  [2, 0, 0],
  [2, 0.5, 100],
  [2, 0.999, 199],
  [3, 0.5, 200],
  [4, 0.5, 400],
  [8, 0.5, 6400],
  [9, 0.999, 19_980],
  [2000, 0.5, 10_000],
])("before attempt %i with %d: %i ms", (attempt, random, delay) => {
  expect(backoffMs(attempt, random)).toBe(delay);
});

test("a delay is never negative, never above the cap, and its bound never shrinks", () => {
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5000 }), random, (attempt, r) => {
      const delay = backoffMs(attempt, r);
      expect(delay).toBeGreaterThanOrEqual(0);
      expect(delay).toBeLessThan(MAX_DELAY_MS);
      expect(backoffMs(attempt + 1, r)).toBeGreaterThanOrEqual(delay);
    }),
  );
});

const NOON = Date.UTC(2026, 0, 31, 12);

test.each<[string | undefined, number | undefined]>([
  [undefined, undefined],
  ["", undefined],
  ["0", 0],
  ["2", 2000],
  [" 7 ", 7000],
  ["86400", 86_400_000],
  ["-5", undefined],
  ["2.5", undefined],
  ["1e9", undefined],
  ["soon", undefined],
  ["next week, maybe", undefined],
  ["9".repeat(400), undefined],
  ["Sat, 31 Jan 2026 12:00:30 GMT", 30_000],
  ["Sat, 31 Jan 2026 11:00:00 GMT", 0],
  ["Saturday, 31-Jan-26 12:00:05 GMT", 5000],
])("Retry-After: %j is %s ms", (header, ms) => {
  expect(retryAfterMs(header, NOON)).toBe(ms);
});

test("Retry-After is undefined or in the future", () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(), (header, now) => {
      expect(retryAfterMs(header, now) ?? 0).toBeGreaterThanOrEqual(0);
    }),
  );
});

test("the budget: 5 a retry, 10 a timeout, between zero and its size", () => {
  const budget = new RetryBudget(20);
  expect(budget.take("timeout")).toBe(true);
  expect(budget.take("retry")).toBe(true);
  expect(budget.take("timeout")).toBe(false);
  expect(budget.tokens).toBe(5);
  budget.refill("timeout");
  budget.refill();
  expect(budget.tokens).toBe(16);
  for (let n = 0; n < 9; n++) budget.refill();
  expect(budget.tokens).toBe(20);
});
