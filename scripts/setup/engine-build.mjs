// The engine from the Go module proxy, for machines that reach package registries and little else.
// Each program is built apart and kept when done: a set-up that was stopped goes on where it was.
import { existsSync } from "node:fs";
import { chmod, copyFile, link, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ask } from "./child.mjs";
import { CURRENT, ENGINES, keyOf, PYTHON_EXEC, programsOf } from "./engine-recipes.mjs";
import { ScriptError } from "./errors.mjs";
import { goEnvironment, requireGo } from "./go.mjs";
import { compileWithGo, goMod, once, removeDrafts } from "./go-program.mjs";
import { withProgress } from "./progress.mjs";

const suffix = process.platform === "win32" ? ".exe" : "";
const binDirectory = (cache, version) => join(cache, "engine", keyOf(version), "bin");
const has = (bin, name) => existsSync(join(bin, name));

/** The directory of an engine built before, or undefined while anything is missing from it. */
export function builtEngine(cache, version = CURRENT) {
  const bin = binDirectory(cache, version);
  const whole = programsOf(version).every(({ program }) => has(bin, program + suffix)) && has(bin, PYTHON_EXEC);
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
    const name = program.program + suffix;
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
