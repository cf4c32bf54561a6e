import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it, vi } from "vitest";
import { downloadEngine, publishedHash } from "../../scripts/setup/engine.mjs";
import { scratch } from "./scratch.mjs";

// Progress goes to stderr, where it would stand between the results.
beforeEach(() => void vi.spyOn(process.stderr, "write").mockReturnValue(true));

/** Stands in for the download site: it publishes one archive with `files` in it, and `hash` for every name. */
function site({ top = "pulumi", hash } = {}) {
  const directory = scratch();
  mkdirSync(join(directory, top), { recursive: true });
  const name = process.platform === "win32" ? "pulumi.exe" : "pulumi";
  writeFileSync(join(directory, top, name), "the engine");
  execFileSync("tar", ["-czf", "archive.tar.gz", top.split("/")[0]], { cwd: directory });
  const bytes = readFileSync(join(directory, "archive.tar.gz"));
  const published = hash ?? createHash("sha256").update(bytes).digest("hex");
  const asked = [];
  const get = async url => {
    asked.push(url);
    if (!url.endsWith("-checksums.txt")) return new Response(bytes);
    const systems = ["linux", "darwin", "windows"].flatMap(system =>
      ["x64", "arm64"].map(arch => `pulumi-v3.259.0-${system}-${arch}.${system === "windows" ? "zip" : "tar.gz"}`),
    );
    return new Response(systems.map(archive => `${published}  ${archive}\n`).join(""));
  };
  return { get, asked };
}

it.each(["pulumi", "pulumi/bin"])("an archive with its programs in %s/ becomes a bin directory", async top => {
  const cache = scratch();
  const { get, asked } = site({ top });
  const bin = await downloadEngine(cache, { get });
  expect(readFileSync(join(bin, process.platform === "win32" ? "pulumi.exe" : "pulumi"), "utf8")).toBe("the engine");
  expect(asked.every(url => url.startsWith("https://"))).toBe(true);
});

it("bytes that don't match the published hash are refused, and not kept", async () => {
  const cache = scratch();
  const { get } = site({ hash: "0".repeat(64) });
  await expect(downloadEngine(cache, { get })).rejects.toThrow(/0{64} is published; it wasn't used$/);
  expect(readdirSync(join(cache, "engine"))).toEqual([]);
});

it("a site that can't be reached is no error, unless the download was asked for by name", async () => {
  const get = async () => {
    throw new TypeError("fetch failed", { cause: { code: "ENOTFOUND" } });
  };
  expect(await downloadEngine(scratch(), { get })).toBe(undefined);
  await expect(downloadEngine(scratch(), { get, must: true })).rejects.toThrow(
    "DOCSIGN_ENGINE=download, but Pulumi's download site can't be reached (ENOTFOUND)",
  );
});

it("reads the hash for exactly one name", () => {
  const [a, b] = ["a".repeat(64), "b".repeat(64)];
  const text = `${a}  pulumi-v1-linux-x64.tar.gz\n${b} *pulumi-v1-linux-x64.tar.gz.sig\n`;
  expect(publishedHash(text, "pulumi-v1-linux-x64.tar.gz")).toBe(a);
  expect(publishedHash(text, "pulumi-v1-linux-x64.tar.gz.sig")).toBe(b);
  expect(publishedHash(text, "pulumi-v1-linux-arm64.tar.gz")).toBe(undefined);
  expect(publishedHash("<html>not found</html>", "pulumi-v1-linux-x64.tar.gz")).toBe(undefined);
});
