import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { it } from "vitest";
import { readFixture } from "../../conformance/fixture.js";
import { run } from "../../conformance/run.js";
import { example, filesPlugin } from "../kit/support/files.js";
import { scratchFolder } from "../support/scratch.js";
import { expectKept } from "./verdicts.js";

/** No setting but a folder, no numbers, defaults, assets or views, and nothing that waits or stays unfinished. */
const ABOUT_OTHERS = [
  "secrets-stay-out-of-errors",
  "the-last-configuration-holds",
  "check-keeps-numbers",
  "defaults-are-what-the-schema-says",
  "check-takes-every-kind-of-asset",
  "check-takes-every-kind-of-archive",
  "an-asset-is-created-from-anywhere",
  "diff-compares-assets-by-content",
  "a-large-asset-is-answered",
  "a-partial-create-can-be-mended",
  "cancel-ends-calls",
  "list-takes-unknowns",
  "views-belong-to-their-call",
];

it("the kit's example keeps the laws of providers", async () => {
  const folder = scratchFolder("kit-");
  const files = join(folder, "files");
  mkdirSync(files);
  const { plugin } = await filesPlugin(folder);
  const looks = `console.log(require("node:fs").readdirSync(${JSON.stringify(files)}).join())`;
  const { results } = await run({
    target: { command: [process.execPath, plugin] },
    fixture: {
      ...readFixture(example("fixture.json")),
      config: { folder: files },
      observe: [process.execPath, "-e", looks],
    },
    seed: "test",
    // What ends at all ends within it, on a machine as slow as it likes.
    soonMs: 300_000,
  });
  expectKept(results, ABOUT_OTHERS);
});
