import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { scratch } from "./scratch.mjs";

const root = join(import.meta.dirname, "..", "..");
const SOURCES = [
  ...["kit", "provider", "sdk", "sandbox", "commands", "scripts"],
  ...["package.json", "package-lock.json"],
];

/** A clone as `npm install --omit=dev` leaves it, and an npm that notes what it is asked for. */
function installed() {
  const clone = scratch();
  for (const name of SOURCES) cpSync(join(root, name), join(clone, name), { recursive: true });
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  for (const name of Object.keys(dependencies)) {
    mkdirSync(join(clone, "node_modules", name, ".."), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(clone, "node_modules", name));
  }
  const npm = join(scratch(), "npm-cli.js");
  const asked = join(clone, "asked.json");
  writeFileSync(
    npm,
    `const { mkdirSync, readFileSync, symlinkSync, writeFileSync } = require("fs");
     const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
     writeFileSync(${JSON.stringify(asked)}, JSON.stringify({ args: process.argv.slice(2), lock }));
     for (const path of Object.keys(lock.packages)) {
       if (!/^node_modules\\/(@[^/]+\\/)?[^/]+$/.test(path)) continue;
       mkdirSync(require("path").dirname(path), { recursive: true });
       symlinkSync(${JSON.stringify(root)} + "/" + path, path);
     }`,
  );
  const env = { ...process.env, npm_execpath: npm, XDG_CACHE_HOME: scratch() };
  const prepare = () => spawnSync(process.execPath, [join(clone, "scripts", "prepare.mjs")], { env, encoding: "utf8" });
  return { clone, asked, prepare };
}

it("a clone without development dependencies is bundled once, with the packages of the lock file", () => {
  const { clone, asked, prepare } = installed();
  expect(prepare()).toMatchObject({ status: 0, stderr: "" });
  expect(existsSync(join(clone, "dist", "plugin.cjs"))).toBe(true);
  const { args, lock } = JSON.parse(readFileSync(asked, "utf8"));
  expect(args.slice(0, 2)).toEqual(["ci", "--ignore-scripts"]);
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const { "": _, ...brought } = lock.packages;
  expect(Object.keys(brought)).toContain("node_modules/postgres");
  expect(Object.keys(brought).filter(name => /vitest|typescript|biome|knip/.test(name))).toEqual([]);
  for (const [name, { integrity }] of Object.entries(brought)) expect(integrity).toBe(packages[name].integrity);
  expect(brought["node_modules/esbuild"].integrity).toMatch(/^sha512-/);

  const { mtimeMs } = statSync(join(clone, "dist", "plugin.cjs"));
  writeFileSync(asked, "");
  expect(prepare()).toMatchObject({ status: 0, stderr: "" });
  expect(readFileSync(asked, "utf8")).toBe("");
  expect(statSync(join(clone, "dist", "plugin.cjs")).mtimeMs, "what is up to date is left alone").toBe(mtimeMs);
});
