// npm run coverage: how much of the sources the fast tests run, folder by folder. It shows what nobody tests;
// nothing fails by it.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { coverageTable } from "./coverage/table.mjs";
import { follow } from "./setup/child.mjs";
import { exitWith, ScriptError } from "./setup/progress.mjs";
import { readFlags } from "./setup/usage.mjs";
import { ready, root } from "./setup.mjs";

readFlags({
  name: "coverage",
  what: `Which sources the fast tests run: all but those with a real engine, whose plugin runs in a process of its own.
Prints a line for every folder; reports/coverage/index.html shows every line of code.`,
  rest: "vitest",
  examples: ["npm run coverage", "npm run coverage -- test/client test/resources"],
});

try {
  const { node, env } = await ready({ dependencies: true, build: true });
  // In a log, colours are noise around the words.
  if (!process.stdout.isTTY && env.FORCE_COLOR === undefined) env.NO_COLOR = "1";
  const slow = ["test/**/*.engine.test.ts", "test/scripts/check.test.mjs"];
  const args = ["run", "--coverage", "--reporter=default", ...slow.flatMap(glob => ["--exclude", glob])];
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const options = { cwd: root, env: { ...env, DOCSIGN_TEST_NODE: node } };
  const status = await follow(node, [vitest, ...args, ...process.argv.slice(2)], options);
  const report = join(root, "reports", "coverage");
  const summary = await readFile(join(report, "coverage-summary.json"), "utf8").catch(() => {
    throw new ScriptError("vitest has written no coverage; what it said above tells why");
  });
  process.stdout.write(`\n${coverageTable(JSON.parse(summary), root)}\n\nreports/coverage/index.html\n`);
  process.exitCode = status;
} catch (error) {
  exitWith(error);
}
