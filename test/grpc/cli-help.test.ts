import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { describe, expect, it, onTestFinished } from "vitest";
import { cliHelp } from "../../provider/cli-help.js";

const start = { version: "1.2.3", engine: undefined, terminal: true };

describe("the plugin started by hand", () => {
  it("answers --help and --version, in a terminal and in a pipe", () => {
    for (const terminal of [true, false]) {
      expect(cliHelp(["--version"], { ...start, terminal })).toEqual({ answer: "pulumi-resource-docsign 1.2.3\n" });
      const { answer } = cliHelp(["--help"], { ...start, terminal });
      expect(answer).toMatch(/^pulumi-resource-docsign 1\.2\.3: .*\n\nIt isn't started by hand/);
      expect(cliHelp(["-h"], { ...start, terminal })).toEqual({ answer });
    }
  });

  it("without arguments says at a terminal what it is, and is silent for a debugger's pipe", () => {
    expect(cliHelp([], start).answer).toBeUndefined();
    expect(cliHelp([], start).hint).toContain("the engine starts by itself; --help shows more");
    expect(cliHelp([], { ...start, terminal: false })).toEqual({});
  });

  it("never answers an engine, whatever flags come with its address", () => {
    expect(cliHelp(["--help", "--version", "127.0.0.1:1"], { ...start, engine: "127.0.0.1:1" })).toEqual({});
  });

  it("ends after its answer, with 0 and nothing on stderr", async () => {
    const folder = mkdtempSync(join(tmpdir(), "docsign-by-hand-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const plugin = join(folder, "plugin.cjs");
    await build({
      entryPoints: ["provider/main.ts"],
      outfile: plugin,
      bundle: true,
      platform: "node",
      format: "cjs",
      define: { DOCSIGN_VERSION: `"1.2.3"` },
      logLevel: "error",
    });
    for (const flag of ["--help", "--version"]) {
      const { status, stdout, stderr } = spawnSync(process.execPath, [plugin, flag], { encoding: "utf8" });
      expect([flag, status, stderr]).toEqual([flag, 0, ""]);
      expect(stdout).toBe(cliHelp([flag], start).answer);
    }
  });
});
