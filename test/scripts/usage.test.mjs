import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { coverageTable } from "../../scripts/coverage/table.mjs";
import { helpPage, nearest } from "../../scripts/setup/usage.mjs";
import { scratch } from "./scratch.mjs";

const root = join(import.meta.dirname, "..", "..");
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const ours = Object.entries(scripts).flatMap(([name, command]) => {
  const [, script, rest] = /^node scripts\/(\S+\.mjs)$/.exec(command) ?? [];
  return script && !rest ? [[name, script]] : [];
});

/** A home that is empty shows whether anything was brought. */
function run(script, ...args) {
  const home = scratch();
  const env = { PATH: process.env.PATH, HOME: home, XDG_CACHE_HOME: join(home, ".cache") };
  const options = { cwd: scratch(), env, encoding: "utf8" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "scripts", script), ...args], options);
  return { status, stdout, stderr, left: readdirSync(home) };
}

describe("every script answers --help without doing anything", () => {
  it("knows them all", () => {
    const names = ours.map(([name]) => name);
    expect(names).toEqual(expect.arrayContaining(["test", "demo", "check", "faults", "chaos", "build", "picture"]));
  });

  it.each(ours)("npm run %s", (name, script) => {
    const { status, stdout, stderr, left } = run(script, "--help");
    expect([status, stderr, left]).toEqual([0, "", []]);
    expect(stdout).toContain(name === "test" ? "npm test" : `npm run ${name}`);
    expect(stdout).toContain("--help");
  });
});

describe("a flag that isn't there", () => {
  it.each([
    ["check.mjs", "--wirte", "check: it has no flag --wirte; did you mean --write?"],
    ["demo.mjs", "--kep", "demo: it has no flag --kep; did you mean --keep?"],
    ["chaos.mjs", "--see=3", "chaos: it has no flag --see=3; did you mean --seed?"],
    ["picture.mjs", "--frobnicate", "picture: it has no flag --frobnicate"],
  ])("%s %s ends with 2 before anything is done", (script, flag, why) => {
    const { status, stdout, stderr, left } = run(script, flag);
    expect([status, stdout, left]).toEqual([2, "", []]);
    expect(stderr).toMatch(/\nUsage: npm run .*\n$/);
    expect(stderr.split("\n")[0]).toBe(why);
  });

  it("gets the nearest name, when one is near", () => {
    expect(nearest("wirte", ["help", "write"])).toBe("write");
    expect(nearest("x", ["help", "write"])).toBeUndefined();
  });
});

it("a page has only the parts it has something to say in", () => {
  const page = { name: "frost", what: "Freezes.", flags: { at: { type: "string", value: "N", help: "how cold" } } };
  expect(helpPage(page)).toBe(
    "Usage: npm run frost -- [--at N]\n\nFreezes.\n\nOptions\n" +
      "  --at N  how cold\n  --help  this page, and nothing else is done\n",
  );
});

it("coverage is summed by folder, and rounded down", () => {
  const counts = (covered, total) =>
    Object.fromEntries(["statements", "branches", "functions"].map(kind => [kind, { covered, total }]));
  const table = coverageTable(
    {
      total: counts(1999, 2010),
      "/x/provider/client/http.ts": counts(999, 1000),
      "/x/provider/client/bodies.ts": counts(1000, 1000),
      "/x/provider/main.ts": counts(0, 10),
      "/x/sandbox/store.ts": counts(0, 0),
    },
    "/x",
  );
  expect(table.split("\n").map(line => line.replaceAll(/ +/g, " "))).toEqual([
    " statements branches functions",
    "provider 0.0 % 0.0 % 0.0 %",
    "provider/client 99.9 % 99.9 % 99.9 %",
    "sandbox – – –",
    "together 99.4 % 99.4 % 99.4 %",
  ]);
});
