import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { daily } from "../support/sample.js";
import { cases } from "./budgets/cases.js";

const run = promisify(execFile);
const MAIN = join(import.meta.dirname, "budgets/main.ts");
/** Of everything together, on a machine as busy as it likes: processor time isn't wall time. */
const MOST_CPU_SECONDS = 300;
const MOST_HEAP_MB = 500;

interface Measured {
  readonly name?: string;
  readonly once: number;
  readonly tenfold: number;
  readonly cpuSeconds?: number;
}
const today = daily(Object.keys(cases), 8, name => name);
let measured: readonly Measured[] = [];

beforeAll(async () => {
  const args = ["--import", "tsx", `--max-old-space-size=${MOST_HEAP_MB}`, MAIN, ...today];
  const { stdout } = await run(process.execPath, args, { maxBuffer: 1_000_000 });
  measured = stdout
    .trim()
    .split("\n")
    .map(line => JSON.parse(line) as Measured);
});

test.each(today)("ten times the %s cost at most twelve times the work", name => {
  const { once, tenfold } = measured.find(each => each.name === name) ?? expect.fail("it wasn't measured");
  expect(once).toBeGreaterThan(100);
  expect(tenfold / once).toBeLessThan(12);
});

test("all of it stays below a bound on processor time, and on memory", () => {
  expect(measured.at(-1)?.cpuSeconds).toBeLessThan(MOST_CPU_SECONDS);
});
