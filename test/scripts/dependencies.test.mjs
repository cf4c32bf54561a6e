import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it, vi } from "vitest";
import { areInstalled, bringDependencies } from "../../scripts/setup/dependencies.mjs";
import { scratch } from "./scratch.mjs";

// Progress goes to stderr, where it would stand between the results.
beforeEach(() => void vi.spyOn(process.stderr, "write").mockReturnValue(true));

const LOCK = {
  packages: {
    "": { name: "project" },
    "node_modules/a": { version: "1.0.0", integrity: "sha512-a" },
    "node_modules/b-other-platform": { version: "1.0.0", integrity: "sha512-b", optional: true },
  },
};

function project(lock = LOCK) {
  const root = scratch();
  writeFileSync(join(root, "package-lock.json"), JSON.stringify(lock));
  return root;
}

/** Stands in for npm: installs what the lock file says for this platform, and counts. */
function npm(root) {
  const calls = [];
  const install = async () => {
    calls.push(existsSync(join(root, "node_modules", ".package-lock.json")));
    record(root, { "node_modules/a": LOCK.packages["node_modules/a"] });
  };
  return { calls, install, cache: scratch() };
}

function record(root, packages) {
  mkdirSync(join(root, "node_modules"), { recursive: true });
  writeFileSync(join(root, "node_modules", ".package-lock.json"), JSON.stringify({ packages }));
}

it("a fresh clone is installed once", async () => {
  const root = project();
  const { calls, ...options } = npm(root);
  expect(await bringDependencies(root, options)).toBe(true);
  expect(await bringDependencies(root, options)).toBe(false);
  expect(calls).toHaveLength(1);
});

it("a changed lock file is installed again, with npm's old record out of the way", async () => {
  const root = project();
  const { calls, ...options } = npm(root);
  await bringDependencies(root, options);
  const changed = structuredClone(LOCK);
  changed.packages["node_modules/a"].version = "1.0.1";
  writeFileSync(join(root, "package-lock.json"), JSON.stringify(changed));
  await bringDependencies(root, options);
  expect(calls).toEqual([false, false]);
});

it("an installation that failed half-way counts as none", async () => {
  const root = project();
  const { install: _, ...options } = npm(root);
  record(root, { "node_modules/a": { version: "0.9.0", integrity: "sha512-old" } });
  const install = async () => {
    throw new Error("killed");
  };
  await expect(bringDependencies(root, { ...options, install })).rejects.toThrow("killed");
  expect(await areInstalled(root)).toBe(false);
});

it("what npm itself installed by hand is kept, and marked", async () => {
  const root = project();
  const { calls, ...options } = npm(root);
  record(root, { "node_modules/a": LOCK.packages["node_modules/a"] });
  expect(await bringDependencies(root, options)).toBe(false);
  expect(calls).toEqual([]);
  expect(readFileSync(join(root, "node_modules", ".docsign-lock"), "utf8")).toMatch(/^[0-9a-f]{64} \w+-\w+\n$/);
});

it.each([
  ["another version", { "node_modules/a": { version: "2.0.0", integrity: "sha512-a" } }],
  ["other bytes", { "node_modules/a": { version: "1.0.0", integrity: "sha512-x" } }],
  ["a package missing", {}],
  ["a package too many", { "node_modules/a": LOCK.packages["node_modules/a"], "node_modules/z": { version: "1.0.0" } }],
])("node_modules with %s is not what the lock file asks for", async (_, packages) => {
  const root = project();
  record(root, packages);
  expect(await areInstalled(root)).toBe(false);
});
