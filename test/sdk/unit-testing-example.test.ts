import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../support/engine/found.js";
import { install } from "./support/project.js";

// The example imports the package by its name, which leads to what was built.
test.skipIf(!existsSync(join(root, "dist/sdk/index.cjs")))("the example of a program's unit test passes", () => {
  const cwd = mkdtempSync(join(tmpdir(), "docsign-unit-testing-"));
  try {
    cpSync(join(root, "examples/unit-testing"), cwd, { recursive: true });
    install(cwd, undefined);
    const { NODE_OPTIONS: _options, ...env } = process.env;
    const { status, stdout, stderr } = spawnSync(process.execPath, ["--test"], { cwd, encoding: "utf8", env });
    expect(status, stdout + stderr).toBe(0);
    expect(stdout).toContain("pass 2");
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
});
