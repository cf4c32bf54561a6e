// The engine from the Go module proxy, for machines that reach package registries and little else.
// Each program is built apart and kept when done: a set-up that was stopped goes on where it was.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ask, run } from "./child.mjs";
import { goEnvironment, requireGo } from "./go.mjs";
import { withProgress } from "./progress.mjs";
import { Trouble } from "./trouble.mjs";

const SDK = "github.com/pulumi/pulumi/sdk/v3";
const YAML = "github.com/pulumi/pulumi-yaml";

/**
 * What is built, each from a go.mod of our own. Sizes of the wait are for two cores.
 * The hosts are from the last version that has all three inside the sdk module.
 */
const PROGRAMS = [
  {
    program: "pulumi",
    package: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
    version: "3.250.0",
    require: { "github.com/pulumi/pulumi/pkg/v3": "v3.250.0", [SDK]: "v3.250.0" },
    // Without it the engine calls itself version "", and that is what it writes into state.
    flags: `-X ${SDK}/go/common/version.Version=v3.250.0`,
    // Go honours only the main module's replacements, so pulumi's own has to be repeated here.
    replace: "github.com/atotto/clipboard => github.com/tgummerer/clipboard v0.0.0-20241001131231-d02d263e614e",
    usually: "about 5 minutes, once",
  },
  host("nodejs", `${SDK}/nodejs/cmd/pulumi-language-nodejs`, { [SDK]: "v3.60.0" }, "under a minute, once"),
  host("python", `${SDK}/python/cmd/pulumi-language-python`, { [SDK]: "v3.60.0" }, "a few seconds, once"),
  host("go", `${SDK}/go/pulumi-language-go`, { [SDK]: "v3.60.0" }, "a few seconds, once"),
  host("yaml", `${YAML}/cmd/pulumi-language-yaml`, { [YAML]: "v1.10.0" }, "under a minute, once"),
];
/** A script that the python host starts programs with; it lies in the sdk module as it is. */
const PYTHON_EXEC = "pulumi-language-python-exec";

function host(language, path, require, usually) {
  const version = Object.values(require)[0].slice(1);
  return { program: `pulumi-language-${language}`, package: path, version, require, usually };
}

/** Covers everything that decides what is built, so that another version is another directory. */
const recipes = PROGRAMS.map(({ usually, ...recipe }) => recipe);
const RECIPE = createHash("sha256").update(JSON.stringify(recipes)).digest("hex").slice(0, 8);
const KEY = `built-${PROGRAMS[0].version}-${RECIPE}-${process.platform}-${process.arch}`;
const suffix = process.platform === "win32" ? ".exe" : "";
const binDirectory = cache => join(cache, "engine", KEY, "bin");
const has = (bin, name) => existsSync(join(bin, name));

/** The directory of an engine built before, or undefined while anything is missing from it. */
export function builtEngine(cache) {
  const bin = binDirectory(cache);
  const whole = PROGRAMS.every(({ program }) => has(bin, program + suffix)) && has(bin, PYTHON_EXEC);
  return whole ? bin : undefined;
}

/** Builds what is missing, and returns the directory. The work itself is an argument for the tests. */
export async function buildEngine(cache, { go = requireGo, compile = compileWithGo, copy = copyPythonExec } = {}) {
  const bin = binDirectory(cache);
  await go();
  await mkdir(bin, { recursive: true });
  await removeDrafts(join(cache, "engine", KEY));
  for (const program of PROGRAMS) {
    await once(bin, program.program + suffix, (path, draft) => {
      const what = `building ${program.program} ${program.version} from source`;
      return withProgress({ what, usually: program.usually }, detail => compile(program, path, draft, detail));
    });
  }
  await once(bin, PYTHON_EXEC, copy);
  return bin;
}

/** Makes one program in a directory of its own and renames it into `bin`, unless it's there. */
async function once(bin, name, make) {
  if (has(bin, name)) return;
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
async function removeDrafts(directory) {
  for (const name of await readdir(directory)) {
    if (name.startsWith(".draft-")) await rm(join(directory, name), { recursive: true, force: true });
  }
}

async function compileWithGo(program, output, draft, detail) {
  await writeFile(join(draft, "go.mod"), goMod(program));
  const args = [
    "build",
    "-v",
    "-trimpath",
    "-ldflags",
    `-s -w ${program.flags ?? ""}`.trim(),
    "-o",
    output,
    program.package,
  ];
  let fetched = 0;
  let compiled = 0;
  const onLine = line => {
    if (line.startsWith("go: downloading ")) detail(`${++fetched} modules fetched`);
    else if (!line.startsWith("go: ")) detail(`${++compiled} packages compiled`);
  };
  const attempt = () => run("go", args, { cwd: draft, env: goEnvironment(), onLine });
  let { code, last } = await attempt();
  // A download cut short is the common failure; what came before is in Go's caches, so the second try is the rest.
  if (code !== 0 && last.some(line => UNREACHED.test(line))) ({ code, last } = await attempt());
  if (code === 0) return;
  const why = last.find(line => TELLING.test(line)) ?? last.at(-1) ?? `go exited with ${code}`;
  throw new Trouble(`building ${program.program} ${program.version} failed: ${why}`);
}

const UNREACHED = /dial tcp|no such host|timeout|connection reset|unexpected EOF|TLS handshake|50\d /i;
const TELLING = new RegExp(`${UNREACHED.source}|403|checksum|no space|killed|requires go`, "i");

export function goMod({ require, replace }) {
  const lines = Object.entries(require).map(([path, version]) => `\t${path} ${version}`);
  // Without a toolchain line: the modules themselves say which Go they need.
  const parts = ["module engine", "go 1.25", `require (\n${lines.join("\n")}\n)`];
  if (replace) parts.push(`replace ${replace}`);
  return `${parts.join("\n\n")}\n`;
}

async function copyPythonExec(path, draft) {
  const python = PROGRAMS.find(({ program }) => program === "pulumi-language-python");
  await writeFile(join(draft, "go.mod"), goMod(python));
  const args = ["list", "-m", "-f", "{{.Dir}}", SDK];
  // `go list` names a directory only for a module that is there: fetch first, free when it was built from just now.
  await ask("go", ["mod", "download", SDK], { cwd: draft, env: goEnvironment(), timeout: 300_000 });
  const directory = await ask("go", args, { cwd: draft, env: goEnvironment() });
  if (!directory) throw new Trouble(`the Go module ${SDK} v${python.version} can't be found, for ${PYTHON_EXEC}`);
  await copyFile(join(directory, "python", "cmd", PYTHON_EXEC), path);
  await chmod(path, 0o755);
}
