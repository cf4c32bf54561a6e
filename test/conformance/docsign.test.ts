import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { it } from "vitest";
import { readFixture } from "../../conformance/fixture.js";
import { run } from "../../conformance/run.js";
import { writeExecutable } from "../../scripts/packaging/executable.mjs";
import { scratchFolder } from "../support/scratch.js";
import { expectKept } from "./verdicts.js";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const launcher = async (): Promise<string> => here("../../bin/pulumi-resource-docsign");

async function executable(): Promise<string> {
  const isWindows = process.platform === "win32";
  const platform = `${isWindows ? "windows" : process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;
  const program = join(scratchFolder("executable-"), `pulumi-resource-docsign${isWindows ? ".exe" : ""}`);
  await writeExecutable(platform, program);
  return program;
}

/** What no resource of ours has. */
const ABOUT_OTHERS = ["check-takes-every-kind-of-archive", "views-belong-to-their-call"];

// 3.250, the oldest engine that we support, plays by the newest rules.
it.each([
  ["its launcher", launcher],
  ["its single executable", executable],
])("the plugin keeps the laws of providers, through %s", async (_, made) => {
  const fixture = readFixture(here("docsign/fixture.json"));
  const folder = scratchFolder("conformance-");
  const { results } = await run({
    target: { command: [await made()] },
    fixture: {
      ...fixture,
      environment: { DOCSIGN_STATE_DIR: join(folder, "state") },
    },
    seed: "test",
    // What ends at all ends within it, on a machine as slow as it likes.
    soonMs: 300_000,
  });
  expectKept(results, ABOUT_OTHERS);
});
