// The engine as its vendor ships it: one archive with every language host, checked against its published SHA-256.
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { mkdir, readdir, rename } from "node:fs/promises";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { intoPlace } from "./cache.mjs";
import { run } from "./child.mjs";
import { CURRENT } from "./engine-recipes.mjs";
import { ScriptError } from "./errors.mjs";
import { say, withProgress } from "./progress.mjs";

const RELEASES = "https://get.pulumi.com/releases/sdk";
/** Long enough for a slow connection, short enough where nothing answers. */
const REACHABLE = 6_000;
/** For the whole archive, about 150 MB. */
const PATIENCE = 15 * 60_000;

const system = { win32: "windows" }[process.platform] ?? process.platform;
const archiveOf = version => `pulumi-v${version}-${system}-${process.arch}.${system === "windows" ? "zip" : "tar.gz"}`;
const target = (cache, version) => join(cache, "engine", `official-${version}-${process.platform}-${process.arch}`);
const program = process.platform === "win32" ? "pulumi.exe" : "pulumi";

/** The directory of an engine downloaded before, or undefined. */
export function downloadedEngine(cache, version = CURRENT) {
  const bin = join(target(cache, version), "bin");
  return existsSync(join(bin, program)) ? bin : undefined;
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
  if (existsSync(join(inner, "bin", program))) return inner;
  const whole = join(draft, "whole");
  await mkdir(whole);
  await rename(inner, join(whole, "bin"));
  return whole;
}
