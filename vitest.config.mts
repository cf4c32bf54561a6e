import { availableParallelism } from "node:os";
import { relative } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import measured from "./scripts/test-times.json" with { type: "json" };

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

/** Seconds that long files take. */
const times: Readonly<Record<string, number>> = measured;

/** `--changed` is for an answer while one writes: files that take more than a few seconds wait for the whole run. */
const quick = process.argv.some(arg => arg.startsWith("--changed"));
const long = ["test/**/*.{engine,browser}.test.*", ...Object.keys(times)];
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

/** The longest begin first, so that no processor is idle at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const timeOf = ({ moduleId }: TestSpecification): number => times[relative(import.meta.dirname, moduleId)] ?? 0;
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap(each =>
      sorted.filter(({ project }) => project === each).sort((a, b) => timeOf(b) - timeOf(a)),
    );
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
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
    // Two more than can run: tests with an engine wait a good deal. Many more would only wait for one another.
    maxWorkers: Math.min(availableParallelism() + 2, 6),
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
