import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import { bringEngine, bringOlderEngines, engineOnPath } from "../../scripts/setup/engine.mjs";
import { scratch } from "./scratch.mjs";

const HOSTS = ["nodejs", "yaml", "python", "go"];

/** A directory with programs that only know their version. */
function programs(names, version = "v3.250.1") {
  const directory = scratch();
  for (const name of names) {
    writeFileSync(join(directory, name), `#!/bin/sh\necho ${version}\n`);
    chmodSync(join(directory, name), 0o755);
  }
  return directory;
}
const hosts = HOSTS.map(host => `pulumi-language-${host}`);

it("an engine on PATH with all its hosts is used", async () => {
  const directory = programs(["pulumi", ...hosts]);
  const { engine } = await engineOnPath([scratch(), directory].join(delimiter));
  const expected = {
    pulumi: join(directory, "pulumi"),
    binDir: directory,
    version: "3.250.1",
    from: "path",
  };
  expect(engine).toEqual(expected);
});

it("hosts may lie elsewhere on PATH", async () => {
  const { engine } = await engineOnPath([programs(["pulumi"]), programs(hosts)].join(delimiter));
  expect(engine.version).toBe("3.250.1");
});

it.each([
  ["no engine", () => scratch(), /^there is no pulumi on PATH$/],
  [
    "an old engine",
    () => programs(["pulumi", ...hosts], "v3.249.9"),
    /is version v3\.249\.9, and 3\.250\.0 or newer is needed$/,
  ],
  [
    "an engine without hosts",
    () => programs(["pulumi", hosts[0], hosts[3]]),
    /comes without pulumi-language-yaml, -python$/,
  ],
])("%s is passed over, with a reason", async (_, path, reason) => {
  const { engine, why } = await engineOnPath(path());
  expect(engine).toBe(undefined);
  expect(why).toMatch(reason);
});

it("DOCSIGN_ENGINE=path takes nothing else, and says what is wrong with PATH", async () => {
  const env = { PATH: scratch(), DOCSIGN_ENGINE: "path" };
  await expect(bringEngine({ cache: scratch(), env })).rejects.toThrow(
    "DOCSIGN_ENGINE=path, but there is no pulumi on PATH",
  );
});

it("DOCSIGN_ENGINE takes one of three values", async () => {
  const env = { PATH: "", DOCSIGN_ENGINE: "compile" };
  await expect(bringEngine({ cache: scratch(), env })).rejects.toThrow(
    'DOCSIGN_ENGINE is "compile"; it can be path, download or build',
  );
});

it("older engines are those in the cache, and there are none in an empty one", async () => {
  const cache = scratch();
  expect(await bringOlderEngines({ cache, env: {} })).toEqual([]);
  const bin = join(cache, "engine", `official-3.250.0-${process.platform}-${process.arch}`, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "pulumi"), "#!/bin/sh\necho v3.250.0\n", { mode: 0o755 });
  const found = [expect.objectContaining({ version: "3.250.0", binDir: bin })];
  expect(await bringOlderEngines({ cache, env: {} })).toEqual(found);
  expect(await bringOlderEngines({ cache, env: { DOCSIGN_ENGINES: "3.250.0, 3.259.0" } })).toEqual(found);
  expect(await bringOlderEngines({ cache, env: { DOCSIGN_ENGINES: "3.259.0" } })).toEqual([]);
});

it("DOCSIGN_ENGINES names versions that set-up knows", async () => {
  await expect(bringOlderEngines({ cache: scratch(), env: { DOCSIGN_ENGINES: "3.2" } })).rejects.toThrow(
    'expected versions out of 3.259.0, 3.250.0 in DOCSIGN_ENGINES, got "3.2"',
  );
});
