// npm run faults: the fault suite, and a report of what the service saw. Every figure in it is measured by the run.
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { follow } from "./setup/child.mjs";
import { ScriptError } from "./setup/progress.mjs";
import { readFlags } from "./setup/usage.mjs";
import { ready, root } from "./setup.mjs";

readFlags({
  name: "faults",
  what: `The fault suite: every failure mode, and the requests the service got.
The report goes to reports/faults.md and reports/faults.json.`,
  rest: "vitest",
  examples: ["npm run faults", 'npm run faults -- -t crash    # only what has "crash" in its name'],
});

const { node, env, engine } = await ready({ dependencies: true, build: true, engine: "wanted" });
const directory = await mkdtemp(join(tmpdir(), "docsign-faults-"));
/** Most of these cells try what nobody can settle without looking. */
const MOST_LEFT = 0.25;
// Matrices whose rows are tests in other folders: one row a test.
const ELSEWHERE = {
  C: ["test/lifecycle/", "test/engine/guard.engine.test.ts"],
  D: ["test/property-based/", "test/upgrade/"],
  E: ["test/engine/secrets.engine.test.ts"],
  G: ["test/grpc/"],
  H: ["test/bench/plugin-memory"],
};
const [cellsPath, resultsPath] = [join(directory, "cells.jsonl"), join(directory, "results.json")];

try {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const args = [
    "run",
    "test/faults",
    ...Object.values(ELSEWHERE).flat(),
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${resultsPath}`,
  ];
  const found = engine.binDir
    ? { DOCSIGN_TEST_ENGINE: engine.binDir }
    : { DOCSIGN_TEST_ENGINE_MISSING: engine.missing ?? "no engine was brought" };
  const started = Date.now();
  const status = await follow(node, [vitest, ...args, ...process.argv.slice(2)], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...env, ...found, DOCSIGN_FAULT_CELLS: cellsPath },
  });
  const results = JSON.parse(await readFile(resultsPath, "utf8"));
  const cells = (await readFile(cellsPath, "utf8").catch(() => ""))
    .split("\n")
    .filter(line => line !== "")
    .map(line => JSON.parse(line));
  const report = summarize([...cells, ...rowsElsewhere(results)], results, (Date.now() - started) / 1000);
  await mkdir(join(root, "reports"), { recursive: true });
  await writeFile(join(root, "reports", "faults.json"), `${JSON.stringify(report, null, 2)}\n`);
  await writeFile(join(root, "reports", "faults.md"), markdown(report));
  process.stdout.write(`${summary(report)}\nreports/faults.md, reports/faults.json\n`);
  process.exitCode = status === 0 && report.tests.failed === 0 && report.people.share <= MOST_LEFT ? 0 : 1;
} finally {
  await rm(directory, { recursive: true, force: true });
}

const isIn = (place, file) => file.replaceAll("\\", "/").includes(place);

function rowsElsewhere({ testResults }) {
  const empty = Object.values(ELSEWHERE)
    .flat()
    .filter(place => !testResults.some(({ name }) => isIn(place, name)));
  if (empty.length > 0) throw new ScriptError(`expected tests in ${empty.join(", ")}, got none`);
  return Object.entries(ELSEWHERE).flatMap(([matrix, places]) =>
    testResults
      .filter(({ name }) => places.some(place => isIn(place, name)))
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => status === "passed" || status === "failed")
      .map(({ ancestorTitles, title, status }) => ({
        matrix,
        row: ancestorTitles.join(" · "),
        column: title,
        passed: status === "passed",
      })),
  );
}

function summarize(cells, results, seconds) {
  const sum = key => cells.reduce((total, { saw }) => total + (saw?.[key] ?? 0), 0);
  const matrices = Object.fromEntries(
    [...new Set(cells.map(({ matrix }) => matrix))].sort().map(matrix => {
      const own = cells.filter(cell => cell.matrix === matrix);
      return [matrix, { cells: own.length, passed: own.filter(({ passed }) => passed).length }];
    }),
  );
  const people = cells.filter(({ people = [] }) => people.length > 0);
  const causes = [...new Set(people.flatMap(cell => cell.people))].sort();
  return {
    people: {
      cells: people.length,
      share: cells.length === 0 ? 0 : people.length / cells.length,
      causes: Object.fromEntries(
        causes.map(cause => [cause, people.filter(cell => cell.people.includes(cause)).length]),
      ),
    },
    tests: {
      run: results.numTotalTests,
      passed: results.numPassedTests,
      failed: results.numFailedTests,
      skipped: results.numPendingTests,
    },
    cells: { run: cells.length, passed: cells.filter(({ passed }) => passed).length },
    matrices,
    saw: Object.fromEntries(["requests", "posts", "documents", "folders", "mails"].map(key => [key, sum(key)])),
    failed: results.testResults
      .flatMap(file => file.assertionResults)
      .filter(test => test.status === "failed")
      .map(test => test.fullName),
    seconds,
    rows: cells,
  };
}

function summary({ tests, cells, matrices, saw, people, failed, seconds }) {
  return [
    `tests: ${tests.passed} of ${tests.run} passed, ${tests.failed} failed, ${tests.skipped} skipped, ${seconds.toFixed(1)} s`,
    `cells: ${cells.passed} of ${cells.run} passed`,
    ...Object.entries(matrices).map(([name, { cells: run, passed }]) => `  matrix ${name}: ${passed} of ${run}`),
    `${people.cells} cells, ${(100 * people.share).toFixed(1)} % (at most ${100 * MOST_LEFT} %), ended with a person: ${Object.entries(
      people.causes,
    )
      .map(([cause, count]) => `${cause} ${count}`)
      .join(", ")}`,
    `in the cells with a ledger of their own the service saw ${saw.requests} requests, ${saw.posts} document POSTs, made ${saw.documents} documents and ${saw.folders} folders, and sent ${saw.mails} mails`,
    ...failed.map(name => `FAILED ${name}`),
  ].join("\n");
}

function markdown(report) {
  const cellText = text => String(text).replaceAll("|", "\\|");
  const rows = report.rows.map(
    ({ matrix, row, column, passed, saw }) =>
      `| ${[matrix, row, column, passed ? "passed" : "FAILED", saw?.requests, saw?.posts, saw?.documents, saw?.folders, saw?.mails].map(value => cellText(value ?? "")).join(" | ")} |`,
  );
  return [
    "# Fault suite",
    "",
    "```",
    summary(report),
    "```",
    "",
    "| matrix | row | column | result | requests | document POSTs | documents | folders | mails |",
    "|---|---|---|---|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}
