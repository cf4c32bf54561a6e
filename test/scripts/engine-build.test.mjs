import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { buildEngine, builtEngine, ENGINES } from "../../scripts/setup/engine.mjs";
import { buildAndCount, goMod, requireGo } from "../../scripts/setup/go.mjs";
import { scratch } from "./scratch.mjs";

const builder = (...args) =>
  spawn(process.execPath, [join(import.meta.dirname, "fixtures", "engine-builder.mjs"), ...args], { stdio: "ignore" });
const lines = path => (existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : []);

it("a killed set-up keeps the programs it finished, and the next one builds only the rest", async () => {
  const cache = scratch();
  const journal = join(cache, "journal");
  const first = builder(cache, journal, "pulumi-language-python");
  while (lines(journal).at(-1) !== "pulumi-language-python") await sleep(10);
  first.kill("SIGKILL");
  await once(first, "close");
  expect(lines(journal)).toEqual(["pulumi", "pulumi-language-nodejs", "pulumi-language-python"]);
  expect(builtEngine(cache), "an unfinished engine is not offered").toBe(undefined);

  const [code] = await once(builder(cache, journal, "none"), "close");
  expect(code).toBe(0);
  expect(lines(journal).slice(3)).toEqual(["pulumi-language-python", "pulumi-language-go", "pulumi-language-yaml"]);

  const bin = builtEngine(cache);
  const names = readdirSync(bin).sort();
  expect(names).toEqual([
    "pulumi",
    "pulumi-language-go",
    "pulumi-language-nodejs",
    "pulumi-language-python",
    "pulumi-language-python-exec",
    "pulumi-language-yaml",
  ]);
  for (const name of names) expect(readFileSync(join(bin, name), "utf8")).toBe("whole");
  expect(readdirSync(join(bin, "..")), "no drafts are left").toEqual(["bin"]);
});

it("a finished engine is not built again", async () => {
  const cache = scratch();
  const journal = join(cache, "journal");
  await once(builder(cache, journal, "none"), "close");
  const built = lines(journal).length;
  await once(builder(cache, journal, "none"), "close");
  expect(lines(journal)).toHaveLength(built);
});

it("an older engine gets its hosts from the current one, and only itself is built", async () => {
  const cache = scratch();
  const built = [];
  const compile = async ({ program, version }, output) => {
    built.push(`${program} ${version}`);
    writeFileSync(output, program);
  };
  const copy = async output => writeFileSync(output, "script");
  for (const version of ENGINES) await buildEngine(cache, { version, go: async () => {}, compile, copy });
  const [current, older] = ENGINES;
  expect(built.filter(each => each.startsWith("pulumi "))).toEqual([`pulumi ${current}`, `pulumi ${older}`]);
  expect(built).toHaveLength(6);
  expect(readdirSync(builtEngine(cache, older))).toEqual(readdirSync(builtEngine(cache, current)));
  expect(readFileSync(join(builtEngine(cache, older), "pulumi-language-yaml"), "utf8")).toBe("pulumi-language-yaml");
});

it("says how many packages are compiled, of those that Go's cache doesn't have", async () => {
  const said = [];
  const go = async (_, [verb], { onLine }) => {
    const lines =
      verb === "list"
        ? ["go: downloading example.org/a v1.0.0", "", "stale", "", "stale"]
        : ["example.org/a", "example.org/b"];
    for (const line of lines) onLine(line);
    return { code: 0, last: [] };
  };
  await buildAndCount(["build"], "example.org/a", {}, text => said.push(text), go);
  expect(said).toEqual(["1 module fetched", "1 of 2 packages", "2 of 2 packages"]);
});

it("writes a go.mod with exact versions, and with the replacement that only a main module can make", () => {
  const text = goMod({ require: { "example.org/a": "v1.2.3", "example.org/b": "v4.5.6" }, replace: "x => y v1.0.0" });
  expect(text).toBe(
    "module engine\n\ngo 1.25\n\nrequire (\n\texample.org/a v1.2.3\n\texample.org/b v4.5.6\n)\n\nreplace x => y v1.0.0\n",
  );
});

/** A machine's answers to `go version` and `go env GOTOOLCHAIN`. */
const machine = (version, toolchain) => ({ tell: async (_, [what]) => (what === "version" ? version : toolchain) });

it.each([
  ["go version go1.26.8 linux/amd64", "local"],
  ["go version go1.25.11 linux/amd64", "local"],
  ["go version go1.22.0 linux/amd64", "auto"],
])("%s with GOTOOLCHAIN=%s will do", async (version, toolchain) => {
  await expect(requireGo(machine(version, toolchain))).resolves.toBe(undefined);
});

it.each([
  [
    "no Go",
    undefined,
    undefined,
    /^no Pulumi engine was found.*install Go 1\.25\.11 or newer, or Pulumi 3\.250 or newer$/,
  ],
  ["an old Go", "go version go1.19 linux/amd64", "auto", /^Go 1\.19\.0 is too old.*install Go 1\.25\.11/],
  ["a Go held back", "go version go1.24.1 linux/amd64", "local", /^Go 1\.24\.1 is too old/],
])("%s is one line that says what to install", async (_, version, toolchain, message) => {
  await expect(requireGo(machine(version, toolchain))).rejects.toThrow(message);
});

it("no Go for another program is one line that names it", async () => {
  await expect(requireGo({ ...machine(undefined), program: "versitygw" })).rejects.toThrow(
    /^Go, to build versitygw, is missing: install Go 1\.25\.11 or newer$/,
  );
});
