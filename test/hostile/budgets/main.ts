/**
 * Counts how much of the project's code and its libraries runs for an input, and for one ten times its size: how often V8
 * enters each block, as it counts for coverage. The same on a busy machine as on a quiet one. Counting begins before the
 * code is loaded, which is why it has a process of its own. Arguments name the cases.
 */
import { Session } from "node:inspector/promises";

/** Characters of `()=>name`. */
const LONGEST_EXPORT = 50;

async function main(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  const { cases } = await import("./cases.js");

  const workSoFar = async (): Promise<number> => {
    const { result } = await session.post("Profiler.takePreciseCoverage");
    let sum = 0;
    for (const { url, functions } of result) {
      // Nor does counting count.
      if (url.startsWith("node:") || url.endsWith("/budgets/main.ts")) continue;
      for (const { ranges, functionName } of functions) {
        // An export, as the loader writes it: V8 counts its calls at one time and not at another.
        const [{ startOffset = 0, endOffset = 0 } = {}] = ranges;
        if (functionName === "get" && endOffset - startOffset < LONGEST_EXPORT) continue;
        for (const { count } of ranges) sum += count;
      }
    }
    return sum;
  };
  const workOf = async (work: () => unknown): Promise<number> => {
    await workSoFar();
    await work();
    return workSoFar();
  };

  const wanted = new Set(process.argv.slice(2));
  for (const [name, { size, work }] of Object.entries(cases).filter(([name]) => wanted.has(name))) {
    // What is done once is paid for, for each size: more pages print other glyphs, whose font is made once.
    await work(size, "a");
    await work(10 * size, "a");
    const once = await workOf(() => work(size, "b"));
    const tenfold = await workOf(() => work(10 * size, "c"));
    process.stdout.write(`${JSON.stringify({ name, once, tenfold })}\n`);
  }
  const { user, system } = process.cpuUsage();
  process.stdout.write(`${JSON.stringify({ cpuSeconds: (user + system) / 1e6 })}\n`);
}

void main();
