// A real Pulumi engine with its language hosts: found on PATH, or brought once into the cache.
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { cacheDirectory } from "./cache.mjs";
import { ask } from "./child.mjs";
import { buildEngine, builtEngine } from "./engine-build.mjs";
import { downloadEngine, downloadedEngine } from "./engine-download.mjs";
import { CURRENT, ENGINES } from "./engine-recipes.mjs";
import { ScriptError } from "./errors.mjs";
import { withLock } from "./lock.mjs";
import { say } from "./progress.mjs";
import { atLeast, parseVersion } from "./version.mjs";

/** Older ones answer some of our calls differently. */
const OLDEST_ENGINE = ENGINES.at(-1);
export const HOSTS = ["nodejs", "yaml", "python", "go"];

const suffix = process.platform === "win32" ? ".exe" : "";
export const programName = name => `${name}${suffix}`;

/**
 * Finds or brings an engine: `{ pulumi, binDir, hosts, version, from }`, `from` being path, download or build.
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
    (await withLock(join(cache, "engine", ".lock"), async () => cached() || (await bring()), {
      onWait: ({ pid }) => say(`another set-up (pid ${pid}) is bringing the Pulumi engine; waiting for it`),
    }));
  const from = downloadedEngine(cache, version) === binDir ? "download" : "build";
  return describe(binDir, from);
}

/** The engine in `path`, or why what is there won't do. */
export async function engineOnPath(path, oldest = OLDEST_ENGINE) {
  const directories = path.split(delimiter).filter(Boolean);
  const home = directories.find(directory => existsSync(join(directory, programName("pulumi"))));
  if (!home) return { why: "there is no pulumi on PATH" };
  const pulumi = join(home, programName("pulumi"));
  const version = await ask(pulumi, ["version"], { env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" } });
  if (!atLeast(version, oldest)) {
    return { why: `${pulumi} is version ${version ?? "unknown"}, and ${oldest} or newer is needed` };
  }
  const missing = HOSTS.filter(
    host => !directories.some(d => existsSync(join(d, programName(`pulumi-language-${host}`)))),
  );
  if (missing.length > 0) return { why: `${pulumi} comes without pulumi-language-${missing.join(", -")}` };
  return { engine: { pulumi, binDir: home, hosts: HOSTS, version: parseVersion(version).join("."), from: "path" } };
}

async function describe(binDir, from) {
  bringHelper(binDir);
  const pulumi = join(binDir, programName("pulumi"));
  const version = parseVersion(await ask(pulumi, ["version"]));
  if (!version) throw new ScriptError(`${pulumi} doesn't run here; remove ${dirname(binDir)} and try again`);
  return { pulumi, binDir, hosts: HOSTS, version: version.join("."), from };
}

// The program through which an engine starts Node's dynamic providers.

const NAME = "pulumi-resource-pulumi-nodejs";

const SCRIPT = `#!/bin/sh
# Started in a program's folder, with that program's SDK.
script=$(node -p "require.resolve('@pulumi/pulumi/cmd/dynamic-provider')") && exec node "$script" "$@"
`;

/**
 * Puts it beside a brought engine, where engines expect it. They also find the one in node_modules, over PATH, and then say
 * so in every preview. A downloaded engine comes with its own.
 */
export function bringHelper(binDir, platform = process.platform) {
  const path = join(binDir, NAME);
  if (platform === "win32" || existsSync(path)) return;
  writeFileSync(path, SCRIPT);
  chmodSync(path, 0o755);
}
