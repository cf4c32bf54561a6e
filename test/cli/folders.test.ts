import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const DOCSIGN = pathOf("fixtures/puller.ts");
const NEVER = "/proc/docsign/evidence";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "docsign-folders-"));
  writeFileSync(join(folder, "nda.md"), "# NDA\n");
  writeFileSync(join(folder, "team.csv"), "email\nana@example.com\n");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (args: readonly string[]) =>
  spawnSync(process.execPath, ["--import", "tsx", ...args], {
    encoding: "utf8",
    timeout: 30_000,
    cwd: pathOf("../.."),
    env: { ...process.env, DOCSIGN_BASE_URL: "http://127.0.0.1:9", DOCSIGN_API_KEY: "key", DOCSIGN_STATE_DIR: folder },
  });

/** A call of what a file exports, as a program. */
const calling = (file: string, call: string) => [
  "--input-type=module",
  "-e",
  `import * as it from ${JSON.stringify(pathOf(file))}; await (${call});`,
];

// Node's own recursive mkdir never ends there.
describe.runIf(process.platform === "linux")("a folder below /proc, where none can be made, is refused", () => {
  test.each<[string, () => string[], string]>([
    [
      "docsign evidence",
      () => [DOCSIGN, "evidence", "pull", "--folder", "1", "--out", NEVER],
      `docsign: ${NEVER}: can't be written: ENOENT`,
    ],
    [
      "docsign render",
      () => [DOCSIGN, "render", join(folder, "nda.md"), "--table", join(folder, "team.csv"), "--all", NEVER],
      `docsign: ${NEVER}: can't be written: ENOENT`,
    ],
    [
      "downloadEvidence",
      () => calling("../../provider/evidence/draft.ts", `new it.Drafts(${JSON.stringify(NEVER)})`),
      "ENOENT: no such file or directory, mkdir '/proc/docsign'",
    ],
    [
      "docsign watch",
      () => calling("../../commands/watch/command.ts", `it.lock(${JSON.stringify(`${NEVER}/memory`)}, {})`),
      `${NEVER}: can't be written: ENOENT`,
    ],
    [
      "docsign fleet",
      () =>
        calling(
          "../../commands/fleet/local-postgres.ts",
          `it.startLocalPostgres({ folder: ${JSON.stringify(NEVER)} })`,
        ),
      `${NEVER}: can't be written: ENOENT`,
    ],
  ])("by %s", (_, args, said) => {
    const { stderr, signal } = run(args());
    expect([signal, stderr]).toEqual([null, expect.stringContaining(said)]);
  });
});
