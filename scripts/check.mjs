// npm run check: what a reviewer shouldn't have to look for. Formatting and lint, types, dead code and unused
// dependencies, and the rules of who may import whom. `--write` lets the formatter put right what it can.
import { join } from "node:path";
import { run } from "./setup/child.mjs";
import { elapsed } from "./setup/progress.mjs";
import { readFlags } from "./setup/usage.mjs";
import { ready, root } from "./setup.mjs";

const { write = false } = readFlags({
  name: "check",
  what: "Formatting and lint, types, dead code and unused dependencies, and who may import whom. Ends with 1 where one fails.",
  flags: { write: { type: "boolean", help: "put right first what the formatter and the linter can" } },
  examples: ["npm run check", "npm run check -- --write"],
});
const { node, env } = await ready({ dependencies: true });

const modules = (...path) => join(root, "node_modules", ...path);
/** The native compiler. As a library there is still the one before alone. */
const TSC = modules("typescript-7", "bin", "tsc");
const IMPORT_RULES = [
  "import rules",
  modules("vitest", "vitest.mjs"),
  ...["run", "test/layers.test.ts", "--reporter=dot"],
];
const CHECKS = [
  [
    "format and lint",
    modules("@biomejs", "biome", "bin", "biome"),
    "check",
    ...(write ? ["--write"] : []),
    "--error-on-warnings",
  ],
  // What it found out about files that haven't changed is kept, which saves most of its time.
  [
    "types",
    TSC,
    ...["-p", "tsconfig.json", "--pretty", "false", "--incremental"],
    ...["--tsBuildInfoFile", modules(".cache", "pulumi-docsign", "check.tsbuildinfo")],
  ],
  [
    "types in browsers",
    TSC,
    ...["-p", "tsconfig.browser.json", "--pretty", "false", "--incremental"],
    ...["--tsBuildInfoFile", modules(".cache", "pulumi-docsign", "check-browser.tsbuildinfo")],
  ],
  ["dead code", modules("knip", "bin", "knip.js"), "--no-progress"],
  // The suite, which runs this too, has them by itself.
  ...(process.env.VITEST ? [] : [IMPORT_RULES]),
];

// All at once: each waits for the disk part of its time. With --write the formatter goes first, as it changes files.
const results = write ? [await check(CHECKS[0])] : [];
results.push(...(await Promise.all(CHECKS.slice(results.length).map(check))));
process.exitCode = results.every(Boolean) ? 0 : 1;

async function check([name, ...command]) {
  const start = Date.now();
  const lines = [];
  const { code } = await run(node, command, {
    cwd: root,
    env: { ...env, NO_COLOR: "1", FORCE_COLOR: undefined },
    onLine: line => lines.push(line),
  });
  const text = lines.join("\n").trim();
  process.stdout.write(`${code === 0 ? "ok    " : "failed"} ${name} (${elapsed(Date.now() - start)})\n`);
  if (code !== 0) process.stdout.write(`${text}\n\n`);
  return code === 0;
}
