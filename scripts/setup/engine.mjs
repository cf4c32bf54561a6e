// A real Pulumi engine with its language hosts: found on PATH, or brought once into the cache.

import { createHash } from "node:crypto";
import { chmodSync, createReadStream, createWriteStream, existsSync, writeFileSync } from "node:fs";
import { chmod, copyFile, link, mkdir, readdir, rename, writeFile } from "node:fs/promises";
import { basename, delimiter, dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { alone, cacheDirectory, intoPlace } from "./cache.mjs";
import { ask, run } from "./child.mjs";
import { compileWithGo, goEnvironment, goMod, once, removeDrafts, requireGo } from "./go.mjs";
import { ScriptError, say, withProgress } from "./progress.mjs";
import { atLeast, parseVersion } from "./version.mjs";

/** The engine that set-up brings, and older ones that the smaller matrix of the tests runs on. */
export const ENGINES = ["3.259.0", "3.250.0"];
export const [CURRENT] = ENGINES;

/** Older ones answer some of our calls differently. */
const OLDEST_ENGINE = ENGINES.at(-1);
const HOSTS = ["nodejs", "yaml", "python", "go"];

const programName = name => (process.platform === "win32" ? `${name}.exe` : name);

/**
 * Finds or brings an engine: `{ pulumi, binDir, version, from }`, `from` being path, download or build.
 * `DOCSIGN_ENGINE=path|download|build` allows one way only.
 */
export async function bringEngine({ cache = cacheDirectory(), env = process.env } = {}) {
  const only = env.DOCSIGN_ENGINE || undefined;
  if (only && !["path", "download", "build"].includes(only)) {
    throw new ScriptError(`DOCSIGN_ENGINE is "${only}"; it can be path, download or build`);
  }
  const may = way => only === undefined || only === way;

  if (may("path")) {
    const found = await engineOnPath(env.PATH ?? "");
    if (found.engine) return found.engine;
    if (only) throw new ScriptError(`DOCSIGN_ENGINE=path, but ${found.why}`);
  }
  return bringVersion(CURRENT, { cache, may, must: only === "download" });
}

/**
 * Older engines for the smaller matrix: those that are in the cache, or those that `DOCSIGN_ENGINES=3.250.0,3.259.0` names.
 * The current one is left out, because everything runs on it anyway.
 */
export async function bringOlderEngines({ cache = cacheDirectory(), env = process.env } = {}) {
  const wanted = env.DOCSIGN_ENGINES?.split(",").map(version => version.trim());
  const unknown = wanted?.find(version => !ENGINES.includes(version));
  if (unknown !== undefined)
    throw new ScriptError(`expected versions out of ${ENGINES.join(", ")} in DOCSIGN_ENGINES, got "${unknown}"`);
  const older = ENGINES.filter(version => version !== CURRENT);
  const may = () => true;
  if (wanted) {
    const brought = [];
    for (const version of older.filter(each => wanted.includes(each)))
      brought.push(await bringVersion(version, { cache, may }));
    return brought;
  }
  const here = version => downloadedEngine(cache, version) ?? builtEngine(cache, version);
  return Promise.all(older.filter(here).map(version => describe(here(version), "cache")));
}

async function bringVersion(version, { cache, may, must = false }) {
  const cached = () =>
    (may("download") && downloadedEngine(cache, version)) || (may("build") && builtEngine(cache, version));
  const bring = async () => {
    // An unreachable download is no error unless it was asked for: the other way follows.
    const downloaded = may("download") ? await downloadEngine(cache, { must, version }) : undefined;
    return downloaded ?? (await buildEngine(cache, { version }));
  };
  const binDir =
    cached() ||
    (await alone(
      join(cache, "engine", ".lock"),
      "bringing the Pulumi engine",
      async () => cached() || (await bring()),
    ));
  const from = downloadedEngine(cache, version) === binDir ? "download" : "build";
  return describe(binDir, from);
}

/** The engine in `path`, or why what is there won't do. */
export async function engineOnPath(path) {
  const directories = path.split(delimiter).filter(Boolean);
  const home = directories.find(directory => existsSync(join(directory, programName("pulumi"))));
  if (!home) return { why: "there is no pulumi on PATH" };
  const pulumi = join(home, programName("pulumi"));
  const version = await ask(pulumi, ["version"], { env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" } });
  if (!atLeast(version, OLDEST_ENGINE)) {
    return { why: `${pulumi} is version ${version ?? "unknown"}, and ${OLDEST_ENGINE} or newer is needed` };
  }
  const missing = HOSTS.filter(
    host => !directories.some(d => existsSync(join(d, programName(`pulumi-language-${host}`)))),
  );
  if (missing.length > 0) return { why: `${pulumi} comes without pulumi-language-${missing.join(", -")}` };
  return { engine: { pulumi, binDir: home, version: parseVersion(version).join("."), from: "path" } };
}

async function describe(binDir, from) {
  bringHelper(binDir);
  const pulumi = join(binDir, programName("pulumi"));
  const version = parseVersion(await ask(pulumi, ["version"]));
  if (!version) throw new ScriptError(`${pulumi} doesn't run here; remove ${dirname(binDir)} and try again`);
  return { pulumi, binDir, version: version.join("."), from };
}

// ---- What starts dynamic providers ----

const HELPER = "pulumi-resource-pulumi-nodejs";

const SCRIPT = `#!/bin/sh
# Started in a program's folder, with that program's SDK.
script=$(node -p "require.resolve('@pulumi/pulumi/cmd/dynamic-provider')") && exec node "$script" "$@"
`;

/**
 * Puts the program through which an engine starts Node's dynamic providers beside a brought engine, where engines expect it. They also find the one in node_modules, over PATH, and then say
 * so in every preview. A downloaded engine comes with its own.
 */
export function bringHelper(binDir, platform = process.platform) {
  const path = join(binDir, HELPER);
  if (platform === "win32" || existsSync(path)) return;
  writeFileSync(path, SCRIPT);
  chmodSync(path, 0o755);
}

// ---- As its vendor ships it ----

// One archive with every language host, checked against its published SHA-256.

const RELEASES = "https://get.pulumi.com/releases/sdk";
/** Long enough for a slow connection, short enough where nothing answers. */
const REACHABLE = 6_000;
/** For the whole archive, about 150 MB. */
const PATIENCE = 15 * 60_000;

const system = { win32: "windows" }[process.platform] ?? process.platform;
const archiveOf = version => `pulumi-v${version}-${system}-${process.arch}.${system === "windows" ? "zip" : "tar.gz"}`;
const target = (cache, version) => join(cache, "engine", `official-${version}-${process.platform}-${process.arch}`);

/** The directory of an engine downloaded before, or undefined. */
function downloadedEngine(cache, version = CURRENT) {
  const bin = join(target(cache, version), "bin");
  return existsSync(join(bin, programName("pulumi"))) ? bin : undefined;
}

/**
 * Downloads the engine and returns its directory; undefined where the download can't be reached, unless it `must` be.
 * Bytes that don't match their published hash are always an error.
 */
export async function downloadEngine(
  cache,
  { version = CURRENT, must = false, get = httpsGet, directory = target(cache, version) } = {},
) {
  const name = archiveOf(version);
  let published;
  try {
    published = await (await get(`${RELEASES}/pulumi-${version}-checksums.txt`, REACHABLE)).text();
  } catch (error) {
    const why = `Pulumi's download site can't be reached (${error.cause?.code ?? error.message})`;
    if (must) throw new ScriptError(`DOCSIGN_ENGINE=download, but ${why}`);
    say(`${why}; the engine has to be built from source`);
    return undefined;
  }
  const expected = publishedHash(published, name);
  if (!expected) throw new ScriptError(`Pulumi ${version} isn't published for ${process.platform} ${process.arch}`);
  await withProgress({ what: `downloading Pulumi ${version}`, usually: "a minute or two, once" }, () =>
    intoPlace(directory, async draft => {
      const archive = join(draft, name);
      const answer = await get(`${RELEASES}/${name}`, PATIENCE);
      await pipeline(Readable.fromWeb(answer.body), createWriteStream(archive));
      const found = await hashOf(archive);
      if (found !== expected) {
        throw new ScriptError(`${name} has the SHA-256 ${found}, but ${expected} is published; it wasn't used`);
      }
      return unpack(archive, draft);
    }),
  );
  return join(directory, "bin");
}

/** The hash that a checksum file, `<hex>  <name>` a line, gives for a name. */
export function publishedHash(text, name) {
  const line = text.split("\n").find(entry => entry.trim().split(/\s+\*?/)[1] === name);
  return line && /^[0-9a-f]{64}\b/.exec(line.trim().toLowerCase())?.[0];
}

async function httpsGet(url, timeout) {
  const answer = await fetch(url, { signal: AbortSignal.timeout(timeout) });
  if (!answer.url.startsWith("https://")) throw new Error("it redirected to an address without TLS");
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  return answer;
}

async function hashOf(path) {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

/** Unpacks into a directory with the programs in `bin`: the archives have them in `pulumi/` or in `pulumi/bin/`. */
async function unpack(archive, draft) {
  const unpacked = join(draft, "unpacked");
  await mkdir(unpacked);
  // Windows' own tar reads zip archives too.
  const { code, last } = await run("tar", ["-xf", archive, "-C", unpacked]);
  if (code !== 0)
    throw new ScriptError(`${basename(archive)} can't be unpacked: ${last.at(-1) ?? `tar exited with ${code}`}`);
  const [top = ""] = await readdir(unpacked);
  const inner = join(unpacked, top);
  if (existsSync(join(inner, "bin", programName("pulumi")))) return inner;
  const whole = join(draft, "whole");
  await mkdir(whole);
  await rename(inner, join(whole, "bin"));
  return whole;
}

// ---- From source ----

// From the Go module proxy, for machines that reach package registries and little else.
// Each program is built apart and kept when done: a set-up that was stopped goes on where it was.

const binDirectory = (cache, version) => join(cache, "engine", keyOf(version), "bin");
const has = (bin, name) => existsSync(join(bin, name));

/** The directory of an engine built before, or undefined while anything is missing from it. */
export function builtEngine(cache, version = CURRENT) {
  const bin = binDirectory(cache, version);
  const whole = programsOf(version).every(({ program }) => has(bin, programName(program))) && has(bin, PYTHON_EXEC);
  return whole ? bin : undefined;
}

/** Builds what is missing, and returns the directory. The work itself is an argument for the tests. */
export async function buildEngine(
  cache,
  { version = CURRENT, go = requireGo, compile = compileWithGo, copy = copyPythonExec } = {},
) {
  const bin = binDirectory(cache, version);
  await go();
  await mkdir(bin, { recursive: true });
  await removeDrafts(join(bin, ".."));
  // Engines of other versions have the same hosts.
  const others = ENGINES.filter(each => each !== version).map(each => binDirectory(cache, each));
  for (const program of programsOf(version)) {
    const name = programName(program.program);
    await once(bin, name, async (path, draft) => {
      const other = program.version === version ? undefined : others.find(each => has(each, name));
      if (other) return copyOrLink(join(other, name), path);
      const what = `building ${program.program} ${program.version} from source`;
      return withProgress({ what }, detail => compile(program, path, draft, detail));
    });
  }
  await once(bin, PYTHON_EXEC, copy);
  return bin;
}

const copyOrLink = (from, to) => link(from, to).catch(() => copyFile(from, to));

async function copyPythonExec(path, draft) {
  const python = programsOf(CURRENT).find(({ program }) => program === "pulumi-language-python");
  const [module] = Object.keys(python.require);
  await writeFile(join(draft, "go.mod"), goMod(python));
  const args = ["list", "-m", "-f", "{{.Dir}}", module];
  // `go list` names a directory only for a module that is there: fetch first, free when it was built from just now.
  await ask("go", ["mod", "download", module], { cwd: draft, env: goEnvironment(), timeout: 300_000 });
  const directory = await ask("go", args, { cwd: draft, env: goEnvironment() });
  if (!directory)
    throw new ScriptError(`the Go module ${module} v${python.version} can't be found, for ${PYTHON_EXEC}`);
  await copyFile(join(directory, "python", "cmd", PYTHON_EXEC), path);
  await chmod(path, 0o755);
}

const SDK = "github.com/pulumi/pulumi/sdk/v3";
const YAML = "github.com/pulumi/pulumi-yaml";
/** A script that the Python host starts programs with; it is in the SDK's module as it is. */
const PYTHON_EXEC = "pulumi-language-python-exec";

/** From the last version that has all three inside the SDK's module. */
const HOST_PROGRAMS = [
  host("nodejs", `${SDK}/nodejs/cmd/pulumi-language-nodejs`, { [SDK]: "v3.60.0" }),
  host("python", `${SDK}/python/cmd/pulumi-language-python`, { [SDK]: "v3.60.0" }),
  host("go", `${SDK}/go/pulumi-language-go`, { [SDK]: "v3.60.0" }),
  host("yaml", `${YAML}/cmd/pulumi-language-yaml`, { [YAML]: "v1.10.0" }),
];

function host(language, path, require) {
  return {
    program: `pulumi-language-${language}`,
    package: path,
    version: Object.values(require)[0].slice(1),
    require,
  };
}

/** The programs of an engine, each built from a go.mod of our own. */
export function programsOf(version) {
  const engine = {
    program: "pulumi",
    package: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
    version,
    require: { "github.com/pulumi/pulumi/pkg/v3": `v${version}`, [SDK]: `v${version}` },
    // Without it the engine calls itself version "", and that is what it writes into state.
    flags: `-X ${SDK}/go/common/version.Version=v${version}`,
    // Go honours only the main module's replacements, so pulumi's own has to be repeated here.
    replace: "github.com/atotto/clipboard => github.com/tgummerer/clipboard v0.0.0-20241001131231-d02d263e614e",
  };
  return [engine, ...HOST_PROGRAMS];
}

/** Covers everything that decides what is built, so that another version is another directory. */
function keyOf(version) {
  const recipe = createHash("sha256")
    .update(JSON.stringify(programsOf(version)))
    .digest("hex")
    .slice(0, 8);
  return `built-${version}-${recipe}-${process.platform}-${process.arch}`;
}
