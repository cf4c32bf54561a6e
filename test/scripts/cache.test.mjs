import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cacheDirectory, intoPlace } from "../../scripts/setup/cache.mjs";
import { scratch } from "./scratch.mjs";

it.each([
  ["linux", { HOME: "/home/ana" }, "/home/ana/.cache/pulumi-docsign"],
  ["linux", { HOME: "/home/ana", XDG_CACHE_HOME: "/var/cache/ana" }, "/var/cache/ana/pulumi-docsign"],
  ["linux", { HOME: "/home/ana", XDG_CACHE_HOME: "relative" }, "/home/ana/.cache/pulumi-docsign"],
  ["darwin", { HOME: "/Users/ana" }, "/Users/ana/Library/Caches/pulumi-docsign"],
  ["win32", { LOCALAPPDATA: "/C/Users/ana/AppData/Local" }, "/C/Users/ana/AppData/Local/pulumi-docsign"],
])("on %s with %o the cache is %s", (platform, env, expected) => {
  expect(cacheDirectory(env, platform)).toBe(expected);
});

it("what is made appears whole, and replaces what was there", async () => {
  const target = join(scratch(), "thing");
  mkdirSync(target);
  writeFileSync(join(target, "old"), "");
  await intoPlace(target, async draft => {
    writeFileSync(join(draft, "new"), "here");
    expect(existsSync(join(target, "old"))).toBe(true);
  });
  expect(readdirSync(target)).toEqual(["new"]);
  expect(readFileSync(join(target, "new"), "utf8")).toBe("here");
});

it("what fails half-way leaves nothing behind", async () => {
  const directory = scratch();
  const make = async draft => {
    writeFileSync(join(draft, "half"), "");
    throw new Error("no space");
  };
  await expect(intoPlace(join(directory, "thing"), make)).rejects.toThrow("no space");
  expect(readdirSync(directory)).toEqual([]);
});
