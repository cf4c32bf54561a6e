import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { readFixture } from "../../conformance/fixture.js";
import { LAWS } from "../../conformance/laws/index.js";
import { run } from "../../conformance/run.js";
import { scratchFolder } from "../support/scratch.js";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

// 3.250, the oldest engine that we support, plays by the newest rules.
it("the plugin keeps the laws of providers, through its launcher", async () => {
  const fixture = readFixture(here("docsign/fixture.json"));
  const folder = scratchFolder("conformance-");
  const evidence = { documentId: "5001", directory: join(folder, "evidence") };
  const { results } = await run({
    target: { command: [here("../../bin/pulumi-resource-docsign")] },
    fixture: {
      ...fixture,
      functions: { ...fixture.functions, "docsign:index:getEvidence": evidence },
      environment: { DOCSIGN_STATE_DIR: join(folder, "state") },
    },
    seed: "test",
  });
  expect(
    results.filter(({ outcome }) => outcome === "failed").map(({ law, subject, message }) => [law, subject, message]),
  ).toEqual([]);
  const passed = new Set(results.filter(({ outcome }) => outcome === "passed").map(({ law }) => law));
  expect(LAWS.map(({ name }) => name).filter(name => !passed.has(name))).toEqual([]);
});
