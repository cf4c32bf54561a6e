import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.{ts,mjs}"],
    pool: "forks",
    // Engine tests start an engine, a language host and a plugin each: more at once would only wait for one another.
    maxWorkers: Math.min(availableParallelism(), 4),
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
