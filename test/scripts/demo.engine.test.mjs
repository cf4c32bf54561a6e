import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { environment, missingEngine, root } from "../support/engine/found.js";

it.skipIf(missingEngine)("the demo plays both acts: one mail for each signer, and one for a line that is added", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "scripts", "demo.mjs")], {
    env: environment({ NO_COLOR: "1" }),
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, expect.not.stringContaining("Error")]);
  expect(stdout).toContain("mails sent in all of this: 2, one for each signer");
  expect(stdout).toContain("mails sent: 50, one for each line");
  expect(stdout).toContain("will mail member51@example.com");
  expect(stdout).not.toContain("will mail member1@example.com");
  expect(stdout).toContain("mails sent: 1, to member51@example.com");
  expect(stdout).toMatch(/total +51\n/);
});
