import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packed, unpackable } from "./support/project.js";

const require = createRequire(import.meta.url);

describe.skipIf(unpackable !== undefined)(`the package as it would be published ${unpackable ?? ""}`, () => {
  let folder: string;
  let unpacked: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "docsign-package-"));
    unpacked = await packed(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("holds what is needed and nothing else", () => {
    const entries = readdirSync(unpacked).flatMap(name =>
      name === "dist" ? readdirSync(join(unpacked, name)).map(inner => `dist/${inner}`) : [name],
    );
    expect(entries.sort()).toEqual([
      "AGENTS.md",
      "CHANGELOG.md",
      "LICENSE",
      "PulumiPlugin.yaml",
      "README.md",
      "bin",
      "commands",
      "dist/board",
      "dist/docsign",
      "dist/evidence",
      "dist/fleet",
      "dist/gate-status",
      "dist/http.cjs",
      "dist/http.cjs.LEGAL.txt",
      "dist/journal",
      "dist/plugin.cjs",
      "dist/policy",
      "dist/redline",
      "dist/sandbox",
      "dist/sdk",
      "dist/sdks",
      "dist/templates",
      "dist/types",
      "dist/ui",
      "dist/watch",
      "package.json",
      "sandbox",
      "schema.json",
      "sdk",
    ]);
    const all = readdirSync(unpacked, { recursive: true, encoding: "utf8" });
    expect(all.filter(path => /(^|\/)(\.|tests?(\/|\.))|\.map$|(?<!\.d)\.ts$|node_modules/.test(path))).toEqual([]);
  });

  test("passes publint", async () => {
    const { messages } = await publint({ pkgDir: unpacked, pack: false, strict: true });
    const manifest = JSON.parse(readFileSync(join(unpacked, "package.json"), "utf8"));
    expect(messages.map(message => formatMessage(message, manifest, { color: false }))).toEqual([]);
  });

  test("has types that resolve in every way a program can be compiled", () => {
    const beside = dirname(unpacked);
    const tarball = readdirSync(beside).find(name => name.endsWith(".tgz")) ?? "";
    const attw = dirname(require.resolve("@arethetypeswrong/cli/package.json"));
    const args = [
      join(attw, "dist", "index.js"),
      join(beside, tarball),
      "--format",
      "ascii",
      "--no-emoji",
      "--no-color",
    ];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect(status, stdout + stderr).toBe(0);
    expect(stdout).toContain("No problems found");
    expect(stdout).toContain('"pulumi-docsign/runtime"');
  });
});
