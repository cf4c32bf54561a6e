// npm test: everything tests need, then vitest, then one line of counts. Arguments go to vitest:
// `npm test -- test/client` runs a folder, `npm test -- -t folder` what has "folder" in its name.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CURRENT, ENGINES } from "./setup/engine.mjs";
import { readFlags } from "./setup/usage.mjs";
import { ready, root } from "./setup.mjs";
import { filesNamed, filesUnder, leftOut, namesOf, needsOf, timesOf, today } from "./test-files.mjs";
import { afterAnotherRun, summaryText } from "./vitest-summary.mjs";

readFlags({
  name: "test",
  what: `The tests. Without arguments each claim once, and of the large tables and the longest files a sample that changes daily.
It brings what they need: a Node, the dependencies, a build, an engine, Go modules and Python packages. The last line sums up.`,
  flags: {
    all: { type: "boolean", help: "every test, as CI runs them" },
    times: { type: "boolean", help: "with --all: notes in scripts/test-times.json what long files take" },
  },
  rest: "vitest",
  environment: [
    ["DOCSIGN_TEST_SEED", "a number: the sample of another day, or other cases of what is tried at random"],
    ["CI", "any value: without an engine it fails, where it would skip the tests that need one"],
    [
      "DOCSIGN_ENGINES",
      `engines to test, such as ${ENGINES.toReversed().join(",")}; otherwise ${CURRENT}, and one test file on what the cache has`,
    ],
  ],
  examples: [
    "npm test                    # a sample",
    "npm test -- --all           # every test",
    "npm test -- test/client      # a folder",
    'npm test -- -t folder        # what has "folder" in its name',
    "npm test -- --changed        # the tests affected by uncommitted changes",
    "DOCSIGN_ENGINES=3.250.0 npm test -- test/engine",
  ],
});
const args = process.argv.slice(2).filter(argument => !["--all", "--times"].includes(argument));
const isSample = process.argv.length === 2;
const isWhole = process.argv.includes("--all");
/** An answer while one writes: vitest.config.mts leaves out what takes long, which is all that needs an engine. */
const quick = args.some(arg => arg.startsWith("--changed"));
const asked = process.env.DOCSIGN_TEST_SEED;
const seed = /^\d+$/.test(asked ?? "") ? asked : today();
const files = filesNamed(filesUnder(root), namesOf(args));
const notToday = isSample ? leftOut(files, seed) : [];
const needs = quick
  ? {}
  : needsOf(
      root,
      files.filter(file => !notToday.includes(file)),
    );
const left = { missing: "no test that was asked for needs it" };
const {
  node,
  env,
  engine = left,
  olderEngines = [],
  python = left,
  sdks = left,
  s3Server = left,
  java = left,
  conformance = left,
  oldestNode = left,
} = await ready({
  dependencies: true,
  build: true,
  ...needs,
  // Without an engine the rest is still worth running for a person; in CI a green run must mean that all of it ran.
  engine: needs.engine && (process.env.CI ? "needed" : "wanted"),
  olderEngines: needs.engine && !isSample,
});
if (isSample)
  process.stderr.write(
    `test: a sample by seed ${seed}, without ${notToday.length} of ${files.length} files; DOCSIGN_TEST_SEED=${seed} npm test repeats it, npm test -- --all runs everything\n`,
  );

// What tests know of the machine. Never both of a pair: a path, or the reason there is none; what is undefined isn't set.
const machine = {
  DOCSIGN_TEST_NODE: node,
  DOCSIGN_TEST_ENGINE: engine.binDir,
  DOCSIGN_TEST_ENGINE_MISSING: engine.missing,
  DOCSIGN_TEST_PYTHON: python.venv,
  DOCSIGN_TEST_PYTHON_MISSING: python.missing,
  DOCSIGN_TEST_SDKS: sdks.missing === undefined ? "yes" : undefined,
  DOCSIGN_TEST_SDKS_MISSING: sdks.missing,
  DOCSIGN_TEST_JAVA: java.binDir,
  DOCSIGN_TEST_JAVA_MISSING: java.missing,
  DOCSIGN_TEST_S3_SERVER: s3Server.program,
  DOCSIGN_TEST_S3_SERVER_MISSING: s3Server.missing,
  DOCSIGN_TEST_NOTES: conformance.notes,
  DOCSIGN_TEST_PROVIDERTEST: conformance.providertest,
  DOCSIGN_TEST_CONFORMANCE_MISSING: conformance.missing,
  DOCSIGN_TEST_OLDEST_NODE: oldestNode.program,
  DOCSIGN_TEST_OLDEST_NODE_MISSING: oldestNode.missing,
  DOCSIGN_TEST_SAMPLE: isSample ? seed : undefined,
  DOCSIGN_TEST_LEFT_OUT: notToday.join(","),
  DOCSIGN_TEST_OLDER_ENGINES: olderEngines.map(({ version, binDir }) => `${version}=${binDir}`).join(","),
};
// In a log, colours are noise around the words.
if (!process.stdout.isTTY && env.FORCE_COLOR === undefined) env.NO_COLOR = "1";
if (quick) {
  args.push("--passWithNoTests");
  process.stderr.write("test: files that take more than a few seconds are left out, those with an engine too\n");
} else if (needs.engine && engine.missing)
  process.stderr.write(`setup: tests with a real engine are skipped: ${engine.missing}\n`);

const directory = await mkdtemp(join(tmpdir(), "docsign-test-"));
const file = join(directory, "summary.json");
try {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const reporters = ["--reporter=default", `--reporter=${join(root, "scripts", "vitest-summary.mjs")}`];
  const run = async options => {
    await rm(file, { force: true });
    const status = await exitOf(
      spawn(node, [vitest, "run", ...reporters, ...options], {
        cwd: root,
        stdio: "inherit",
        env: {
          ...env,
          ...machine,
          DOCSIGN_TEST_SUMMARY: file,
          DOCSIGN_TEST_SHARED: directory,
        },
      }),
      () => existsSync(file),
    );
    const summary = await readSummary(file);
    // Vitest has reasons of its own to fail, such as no test found: then the line must not look like success.
    if (status !== 0 && summary.failed === 0) summary.failed = 1;
    return summary;
  };
  let summary = await run(args);
  if (isWhole && process.argv.includes("--times"))
    await writeFile(join(root, "scripts", "test-times.json"), `${JSON.stringify(timesOf(summary.took), null, 2)}\n`);
  const failedFiles = Object.keys(summary.failedFiles);
  // Among hundreds of files with processes of their own, one that met an odd moment isn't worth another run of all. A
  // defect fails again: seeds are the same. More than a few files have a cause in common.
  if (isWhole && failedFiles.length > 0 && failedFiles.length <= 5) {
    process.stderr.write(`test: running again, one after another, what failed: ${failedFiles.join(", ")}\n`);
    summary = afterAnotherRun(summary, await run([...failedFiles, "--maxWorkers=1"]));
  }
  process.stdout.write(`${summaryText(summary)}\n`);
  process.exitCode = summary.failed === 0 ? 0 : 1;
} finally {
  await rm(directory, { recursive: true, force: true });
}

/** Of vitest, which may wait for ever for a worker that has ended: once it has summed up, it has a minute to end itself. */
function exitOf(child, isSummedUp) {
  const last = 60;
  let seconds = 0;
  // Ctrl-C reaches vitest as well; we stay to sum up.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  return new Promise((resolve, reject) => {
    const watch = setInterval(() => {
      if (isSummedUp() && ++seconds === last) child.kill("SIGKILL");
    }, 1000);
    child.once("error", reject);
    child.once("close", code => {
      clearInterval(watch);
      resolve(code ?? (seconds >= last ? 0 : 1));
    });
  });
}

async function readSummary(path) {
  const text = await readFile(path, "utf8").catch(() => undefined);
  return text ? JSON.parse(text) : { passed: 0, failed: 1, skipped: 0, failedFiles: {}, skips: [], took: {} };
}
