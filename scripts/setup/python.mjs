// A Python with Pulumi's SDK, for programs in Python: a virtual environment in the cache, brought only when asked for.
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { alone, cacheDirectory, intoPlace } from "./cache.mjs";
import { ask, run } from "./child.mjs";
import { orMissing, ScriptError, withProgress } from "./progress.mjs";
import { parseVersion } from "./version.mjs";

const SDK = "3.259.0";
/** What installing and importing a generated SDK takes that isn't in Pulumi's own. */
const NEEDS = ["parver>=0.2.1", "setuptools>=70.1"];
const bin = process.platform === "win32" ? "Scripts" : "bin";

/** `{ venv, needs, binDir }`, or `{ missing }` with the reason: Python is one language of several, so its absence is no error. */
export const bringPython = () =>
  orMissing(async () => {
    const cache = cacheDirectory();
    const python = process.platform === "win32" ? "python" : "python3";
    const version = parseVersion(await ask(python, ["--version"]))?.join(".");
    if (!version) throw new ScriptError(`${python} is not on PATH`);
    const venv = join(cache, "python", `pulumi-${SDK}-python-${version}`);
    const needs = `${venv}-sdk-needs`;
    const done = join(venv, ".docsign-done");
    if (!existsSync(done) || !existsSync(needs))
      await alone(join(cache, "python", ".lock"), "bringing Pulumi's SDK for Python", async () => {
        if (!existsSync(done)) await make(python, venv, done);
        if (!existsSync(needs)) await makeNeeds(venv, needs);
      });
    return { venv, needs, binDir: join(venv, bin) };
  });

/** A virtual environment holds its own path, so it can't be renamed into place: a mark says that it is whole. */
function make(python, venv, done) {
  const what = `bringing Pulumi's SDK ${SDK} for Python`;
  return withProgress({ what, usually: "under a minute, once" }, async () => {
    const made = await run(python, ["-m", "venv", "--clear", venv]);
    if (made.code !== 0)
      throw new ScriptError(`${python} -m venv fails: ${made.last.at(-1) ?? `exit code ${made.code}`}`);
    await pip(venv, [`pulumi==${SDK}`]);
    await writeFile(done, "");
  });
}

/** Beside the virtual environment, which generated SDKs of every checkout share. */
const makeNeeds = (venv, needs) =>
  withProgress({ what: "bringing what Python builds packages with" }, () =>
    intoPlace(needs, draft => pip(venv, ["--target", draft, ...NEEDS])),
  );

async function pip(venv, what) {
  const args = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries=1", ...what];
  const { code, last } = await run(join(venv, bin, "python"), args);
  if (code !== 0) throw new ScriptError(`pip can't install ${what.join(" ")}: ${last.at(-1) ?? "no reason given"}`);
}
