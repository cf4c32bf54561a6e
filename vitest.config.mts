import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

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
];

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: "alone", include: alone, testTimeout: 120_000, hookTimeout: 120_000 } },
      // Most of what these would take by themselves is loading the same modules again.
      { extends: true, test: { name: "together", include: every, exclude: alone, isolate: false } },
    ],
    pool: "forks",
    // One more than can run: tests with an engine wait a good deal. Many more would only wait for one another.
    maxWorkers: Math.min(availableParallelism() + 1, 5),
    testTimeout: 30_000,
    hookTimeout: 30_000,
    restoreMocks: true,
    // `npm run coverage`. What is never imported counts as well.
    coverage: {
      provider: "v8",
      include: ["{provider,sdk,templates,evidence,sandbox}/**/*.ts"],
      reporter: ["json-summary", "html"],
      reportsDirectory: "reports/coverage",
      reportOnFailure: true,
    },
    setupFiles: ["test/support/properties.ts"],
  },
});
