import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { allowed } from "./calibration.js";
import { processorOf, SILENT } from "./silence.js";

describe("a limit on silence", () => {
  let watchSilence: typeof import("./silence.js").watchSilence;
  beforeEach(async () => {
    vi.useFakeTimers();
    vi.resetModules();
    // It takes the timers it finds when it is loaded.
    ({ watchSilence } = await import("./silence.js"));
  });
  afterEach(() => void vi.useRealTimers());

  const ended = async (promise: Promise<never>): Promise<string> =>
    Promise.race([promise.catch((error: Error) => error.message), Promise.resolve().then(() => "goes on")]);

  it("passes where processor is used, however long it takes", async () => {
    let used = 0;
    const watch = watchSilence("a test", { used: () => (used += 100) });
    await vi.advanceTimersByTimeAsync(100 * SILENT);
    expect(await ended(watch.silent)).toBe("goes on");
    watch.stop();
  });

  it("passes where something is heard now and then", async () => {
    const watch = watchSilence("a test", { used: () => 0 });
    for (let minute = 0; minute < 60; minute++) {
      await vi.advanceTimersByTimeAsync(60_000);
      watch.heard();
    }
    expect(await ended(watch.silent)).toBe("goes on");
    watch.stop();
  });

  it("passes where the system doesn't tell what is used", async () => {
    const watch = watchSilence("a test", { used: () => undefined });
    await vi.advanceTimersByTimeAsync(10 * SILENT);
    expect(await ended(watch.silent)).toBe("goes on");
    watch.stop();
  });

  it("ends after minutes of nothing", async () => {
    const watch = watchSilence("a test", { used: () => 1_234 });
    await vi.advanceTimersByTimeAsync(SILENT);
    expect(await ended(watch.silent)).toBe("goes on");
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await ended(watch.silent)).toBe("a test: nothing was said and nothing was done for 3 minutes");
    watch.stop();
  });
});

it.runIf(process.platform === "linux")("what a program below this one uses is counted", async () => {
  const { used } = processorOf(process.pid);
  const before = used() ?? 0;
  const burn = `const { user } = process.cpuUsage(); while (process.cpuUsage().user - user < 300_000);`;
  await once(spawn(process.execPath, ["-e", burn]), "close");
  expect((used() ?? 0) - before).toBeGreaterThanOrEqual(280);
});

it.each([
  [1_000, 40, 1_000],
  [1_000, 50, 1_000],
  [1_000, 400, 8_000],
  [200, 400, 1_600],
])("a promise of %i ms, where an empty Node takes %i ms to start, has %i ms", (promised, start, limit) => {
  expect(allowed(promised, start)).toBe(limit);
});
