import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { root } from "../support/engine/found.js";
import { scratchFolder } from "../support/scratch.js";

const clone = scratchFolder("docsign-offline-");
afterAll(() => rmSync(clone, { recursive: true }));

it("a second shell that sources examples/offline.sh has the same stacks, and both say where", () => {
  mkdirSync(join(clone, "examples"));
  cpSync(join(root, "examples", "offline.sh"), join(clone, "examples", "offline.sh"));
  const shell = () =>
    execFileSync("sh", ["-c", '. examples/offline.sh; echo "$PULUMI_BACKEND_URL $DOCSIGN_STATE_DIR"'], {
      cwd: clone,
      env: { PATH: process.env["PATH"], HOME: clone },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).split("\n");
  const folder = join(clone, ".offline");
  const [said, settings] = shell();
  expect(said).toContain(`are in ${folder}. `);
  expect(settings).toBe(`file://${folder} ${folder}/journal`);
  expect(shell()).toEqual([said, settings, ""]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});
