import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";

const every = ["test/**/*.test.{ts,mjs}"];
/**
 * Each in a process of its own, and first: those with an engine take longest, those of the server leave connections that
 * knock on ports others have by then, and one watches what all share.
 */
const alone = [
  "test/**/*.engine.test.{ts,mjs}",
  "test/grpc/**/*.test.ts",
  "test/sdk/**/*.test.ts",
  "test/templates/same-bytes.test.ts",
  // One of these as the last of all would keep one processor busy, and the others idle.
  "test/{bench/plugin-memory,fleet/simulation,scripts/check}.test.mjs",
  "test/{examples/compiles,faults/load,fleet/kill}.test.ts",
];

/** `--changed` is for an answer while one writes: files that take more than a few seconds wait for the whole run. */
const quick = process.argv.some(arg => arg.startsWith("--changed"));
const long = [
  "test/**/*.{engine,browser}.test.*",
  "test/{bench,dialects,faults,histories,holds,laws,lifecycle,packaging}/**",
  "test/document-set/{errors,forced,life,renamed,troubles,words}.test.ts",
  "test/{docs/typescript,examples/compiles,sandbox/dialect}.test.ts",
  "test/fleet/{command.test.ts,kill.test.ts,simulation.test.mjs}",
  "test/grpc/{process,protocol}.test.ts",
  "test/journal/{postgres,processes,trouble}.test.ts",
  "test/scripts/{check,prepare}.test.mjs",
  "test/sdk/{document-set,package}.test.ts",
];
/** What `npm test` without arguments leaves out today. */
const notToday = (process.env["DOCSIGN_TEST_LEFT_OUT"] ?? "").split(",").filter(Boolean);
const leftOut = [...configDefaults.exclude, ...(quick ? long : notToday)];

/**
 * What each older engine that is supported has to pass: the whole of it where `DOCSIGN_ENGINES` names it, and the life of a
 * contract where it just lies in the cache. `npm test` says where, as `3.250.0=/path`.
 */
const older = (process.env["DOCSIGN_TEST_OLDER_ENGINES"] ?? "").split(",").filter(Boolean);
const life = "test/engine/yaml.engine.test.ts";
const matrix = process.env["DOCSIGN_ENGINES"]
  ? [life, "test/engine/guard.engine.test.ts", "test/faults/kill.engine.test.ts"]
  : [life];

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: "alone", include: alone, exclude: leftOut } },
      // Most of what these would take by themselves is loading the same modules again.
      { extends: true, test: { name: "together", include: every, exclude: [...leftOut, ...alone], isolate: false } },
      ...(quick ? [] : older).map(engine => {
        const [version = "", path = ""] = engine.split("=");
        const env = { DOCSIGN_TEST_ENGINE: path };
        return { extends: true as const, test: { name: `engine ${version}`, include: matrix, env } };
      }),
    ],
    pool: "forks",
    // One more than can run: tests with an engine wait a good deal. Many more would only wait for one another.
    maxWorkers: Math.min(availableParallelism() + 1, 5),
    // No limit on duration: a machine may be as slow as it likes. The runner has one on silence.
    testTimeout: 0,
    hookTimeout: 0,
    expect: { poll: { timeout: 180_000 } },
    runner: "./test/support/runner.ts",
    restoreMocks: true,
    // `npm run coverage`. What is never imported counts as well.
    coverage: {
      provider: "v8",
      include: ["{kit,provider,sdk,sandbox,commands}/**/*.ts"],
      reporter: ["json-summary", "html"],
      reportsDirectory: "reports/coverage",
      reportOnFailure: true,
    },
    setupFiles: ["test/support/properties.ts"],
  },
});
