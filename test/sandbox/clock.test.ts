import { expect, test, vi } from "vitest";
import { Clock, timestamp } from "../../sandbox/clock.js";

test("timestamps carry milliseconds and a numeric offset", () => {
  const time = Date.UTC(2031, 2, 14, 1, 2, 3, 4);
  expect(timestamp(time, -360)).toBe("2031-03-13T19:02:03.004-06:00");
  expect(timestamp(time, 0)).toBe("2031-03-14T01:02:03.004+00:00");
  expect(timestamp(time, 345)).toBe("2031-03-14T06:47:03.004+05:45");
});

test("a frozen clock stands still until it is moved", async () => {
  const clock = new Clock();
  clock.set("2031-03-14T00:00:00Z");
  clock.freeze();
  const start = clock.now();
  let woken = false;
  const sleep = clock.sleep(1000).then(() => {
    woken = true;
  });
  clock.advance(999);
  await Promise.resolve();
  expect([clock.now() - start, woken, clock.sleeping]).toEqual([999, false, 1]);
  clock.advance(1);
  await sleep;
  expect([woken, clock.sleeping]).toEqual([true, 0]);
});

test("a running clock goes with the machine's, and wakes sleepers early when it is moved", async () => {
  vi.useFakeTimers({ now: 1_000 });
  try {
    const clock = new Clock();
    const short = clock.sleep(100);
    const long = clock.sleep(60_000);
    vi.advanceTimersByTime(100);
    await short;
    expect([clock.now(), clock.sleeping]).toEqual([1_100, 1]);
    clock.advance(60_000);
    await long;
    expect([clock.now(), clock.sleeping, vi.getTimerCount()]).toEqual([61_100, 0, 0]);
    clock.freeze();
    vi.advanceTimersByTime(500);
    clock.resume();
    vi.advanceTimersByTime(5);
    expect(clock.now()).toBe(61_105);
  } finally {
    vi.useRealTimers();
  }
});

test("a moment that is none is refused", () => {
  expect(() => new Clock().set("yesterday")).toThrow('expected a time from 1970 to 9999, got "yesterday"');
});
