// The Go toolchain, which builds what can't be had ready-made, and how a program is built with it.

import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ask, run } from "./child.mjs";
import { ScriptError } from "./progress.mjs";
import { atLeast, parseVersion } from "./version.mjs";

/** What pulumi's own go.mod asks for. */
const NEEDED = "1.25.11";
/** From here on Go can fetch the newer toolchain it needs by itself, unless that is switched off. */
const FETCHES_ITSELF = "1.21.0";

const ENGINE = {
  what: "the Pulumi engine",
  without: "no Pulumi engine was found, its download can't be reached, and Go, to build it, is missing",
  instead: `install Go ${NEEDED} or newer, or Pulumi 3.250 or newer`,
};

/** Ends with one clear line when there is no Go that can build the engine, or the program. */
export async function requireGo({ tell = ask, program } = {}) {
  const { what, without, instead } = program
    ? { what: program, without: `Go, to build ${program}, is missing`, instead: `install Go ${NEEDED} or newer` }
    : ENGINE;
  const version = await tell("go", ["version"]);
  const name = parseVersion(version)?.join(".");
  if (!name) throw new ScriptError(`${without}: ${instead}`);
  if (atLeast(name, NEEDED)) return;
  const local = (await tell("go", ["env", "GOTOOLCHAIN"]))?.startsWith("local") ?? true;
  if (atLeast(name, FETCHES_ITSELF) && !local) return;
  throw new ScriptError(`Go ${name} is too old to build ${what}: ${instead}`);
}

/** Go's environment for a build that depends on nothing but our go.mod; its caches stay the user's. */
export function goEnvironment() {
  const { GOOS, GOARCH, GOEXPERIMENT, ...rest } = process.env;
  return { ...rest, GOFLAGS: "-mod=mod", GOWORK: "off", GO111MODULE: "on" };
}

// ---- A program ----

// From the Go module proxy, built from a go.mod of our own, in a draft that is renamed into place when whole.

/** Makes one program in a directory of its own and renames it into `bin`, unless it's there. */
export async function once(bin, name, make) {
  if (existsSync(join(bin, name))) return;
  const draft = join(bin, "..", `.draft-${name}-${process.pid}`);
  await mkdir(draft, { recursive: true });
  try {
    await make(join(draft, name), draft);
    await rename(join(draft, name), join(bin, name));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** What a killed set-up left behind. We hold the lock, so no one works in them. */
export async function removeDrafts(directory) {
  for (const name of await readdir(directory)) {
    if (name.startsWith(".draft-")) await rm(join(directory, name), { recursive: true, force: true });
  }
}

export async function compileWithGo(program, output, draft, detail) {
  await writeFile(join(draft, "go.mod"), goMod(program));
  const { source } = program;
  if (source) await writeFile(join(draft, source.name), source.text);
  const args = [
    ...(source?.name.endsWith("_test.go") ? ["test", "-c"] : ["build"]),
    "-v",
    "-trimpath",
    "-ldflags",
    `-s -w ${program.flags ?? ""}`.trim(),
    "-o",
    output,
    program.package,
  ];
  const env = goEnvironment();
  const build = () => buildAndCount(args, program.package, { cwd: draft, env }, detail);
  let { code, last } = await build();
  // A download cut short is the common failure; what came before is in Go's caches, so the second try is the rest.
  if (code !== 0 && last.some(line => UNREACHED.test(line))) ({ code, last } = await build());
  if (code === 0) return;
  const why = last.find(line => REASON.test(line)) ?? last.at(-1) ?? `go exited with ${code}`;
  throw new ScriptError(`building ${program.program} ${program.version} failed: ${why}`);
}

/** Fetches, counts what is left to compile, and compiles it. Go's cache has what an earlier attempt compiled. */
export async function buildAndCount(args, path, { cwd, env }, detail, go = run) {
  const flags = args.filter(arg => arg === "-trimpath").concat(args[0] === "test" ? ["-test"] : []);
  let fetched = 0;
  let total = 0;
  const onListed = line => {
    if (line === "stale") total++;
    else if (line.startsWith("go: downloading ")) detail(`${++fetched} module${fetched === 1 ? "" : "s"} fetched`);
  };
  const list = ["list", "-deps", ...flags, "-f", "{{if .Stale}}stale{{end}}", path];
  const listed = await go("go", list, { cwd, env, onLine: onListed });
  if (listed.code !== 0) return listed;
  let begun = 0;
  // `go build -v` names a package when it begins with it.
  const onBuilt = line => {
    if (!line.startsWith("go: ")) detail(`${Math.min(++begun, total)} of ${total} packages`);
  };
  return go("go", args, { cwd, env, onLine: onBuilt });
}

const UNREACHED = /dial tcp|no such host|timeout|connection reset|unexpected EOF|TLS handshake|50\d /i;
const REASON = new RegExp(`${UNREACHED.source}|403|checksum|no space|killed|requires go`, "i");

export function goMod({ require, replace }) {
  const lines = Object.entries(require).map(([path, version]) => `\t${path} ${version}`);
  // Without a toolchain line: the modules themselves say which Go they need.
  const parts = ["module engine", "go 1.25", `require (\n${lines.join("\n")}\n)`];
  if (replace) parts.push(`replace ${replace}`);
  return `${parts.join("\n\n")}\n`;
}
