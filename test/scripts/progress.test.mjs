import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { elapsed, isInteractive, withProgress } from "../../scripts/setup/progress.mjs";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const paper = () => {
  const written = [];
  return { written, stream: { columns: 200, write: text => written.push(text) } };
};
const step = { what: "building pulumi 3.250.0 from source", usually: "about 6 minutes, once" };

it("in a log: a line at the start, one every half minute, and one at the end", async () => {
  const { stream, written } = paper();
  const work = async detail => {
    await new Promise(resolve => setTimeout(resolve, 40_000));
    detail("412 packages compiled");
    await new Promise(resolve => setTimeout(resolve, 45_000));
  };
  const done = withProgress(step, work, { stream, live: false });
  await vi.advanceTimersByTimeAsync(90_000);
  await done;
  expect(written).toEqual([
    "setup: building pulumi 3.250.0 from source, usually about 6 minutes, once\n",
    "setup: building pulumi 3.250.0 from source: 30s, usually about 6 minutes, once\n",
    "setup: building pulumi 3.250.0 from source: 1m00s, usually about 6 minutes, once (412 packages compiled)\n",
    "setup: building pulumi 3.250.0 from source: done in 1m25s\n",
  ]);
});

it("on a terminal: one line that is written over, and a plain last one", async () => {
  const { stream, written } = paper();
  const done = withProgress(step, () => new Promise(resolve => setTimeout(resolve, 1_000)), { stream, live: true });
  await vi.advanceTimersByTimeAsync(1_000);
  await done;
  expect(written[0]).toBe("\r\x1b[2Ksetup: building pulumi 3.250.0 from source: 0s, usually about 6 minutes, once");
  expect(written.slice(0, -1).every(text => text.startsWith("\r\x1b[2K") && !text.includes("\n"))).toBe(true);
  expect(written.at(-1)).toBe("\r\x1b[2Ksetup: building pulumi 3.250.0 from source: done in 1s\n");
});

it("on a narrow terminal the line is cut, so that it stays one line", async () => {
  const { stream, written } = paper();
  stream.columns = 30;
  await withProgress(step, async () => {}, { stream, live: true });
  expect(written[0]).toHaveLength("\r\x1b[2K".length + 29);
});

it("a step that fails says how long it took, and throws what it threw", async () => {
  const { stream, written } = paper();
  const work = async () => {
    throw new Error("no space");
  };
  await expect(withProgress(step, work, { stream, live: false })).rejects.toThrow("no space");
  expect(written.at(-1)).toBe("setup: building pulumi 3.250.0 from source: failed after 0s\n");
});

it.each([
  [{ isTTY: true }, {}, true],
  [{ isTTY: true }, { CI: "true" }, false],
  [{ isTTY: true }, { TERM: "dumb" }, false],
  [{}, {}, false],
])("stream %o with %o is interactive: %s", (stream, env, expected) => {
  expect(isInteractive(stream, env)).toBe(expected);
});

it.each([
  [0, "0s"],
  [59_400, "59s"],
  [80_000, "1m20s"],
  [3_720_000, "1h02m"],
])("%i ms reads %s", (milliseconds, text) => {
  expect(elapsed(milliseconds)).toBe(text);
});
