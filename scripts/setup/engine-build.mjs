// The engine from the Go module proxy, for machines that reach package registries and little else.
// Each program is built apart and kept when done: a set-up that was stopped goes on where it was.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ask } from "./child.mjs";
import { goEnvironment, requireGo } from "./go.mjs";
import { compileWithGo, goMod, once, removeDrafts } from "./go-program.mjs";
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
