import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { daily } from "../support/sample.js";
import { entries } from "./bounds/entries.js";

const run = promisify(execFile);
const MAIN = join(import.meta.dirname, "bounds/main.ts");
const MOST_HEAP_MB = 400;
/** Of processor time, which isn't wall time, for the hardest value. */
const MOST_CPU_SECONDS = 10;

interface Took {
  readonly value: string;
  readonly cpuSeconds: number;
  readonly bug?: string;
  readonly unfit: readonly string[];
}

test.each(daily(Object.keys(entries), 2, name => name))(
  "%s: every nasty value is taken or refused, in bounds",
  async entry => {
    const { seed = 1 } = fc.readConfigureGlobal();
    const args = ["--import", "tsx", `--max-old-space-size=${MOST_HEAP_MB}`, MAIN, entry, String(seed)];
    const { stdout } = await run(process.execPath, args, { maxBuffer: 10_000_000 });
    const took = stdout
      .trim()
      .split("\n")
      .map(line => JSON.parse(line) as Took);
    expect(took.filter(({ bug }) => bug)).toEqual([]);
    expect(took.filter(({ unfit }) => unfit.length > 0)).toEqual([]);
    expect(took.filter(({ cpuSeconds }) => cpuSeconds > MOST_CPU_SECONDS)).toEqual([]);
    expect(took.at(-1)?.value).toBe("objects 10,000 deep");
  },
);
