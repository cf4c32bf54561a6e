// A Python with Pulumi's SDK, for programs in Python: a virtual environment in the cache, brought only when asked for.
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cacheDirectory } from "./cache.mjs";
import { ask, run } from "./child.mjs";
import { withLock } from "./lock.mjs";
import { say, withProgress } from "./progress.mjs";
import { parseVersion } from "./version.mjs";

const SDK = "3.250.0";
const bin = process.platform === "win32" ? "Scripts" : "bin";

/** `{ venv, binDir }`, or `{ missing }` with the reason: Python is one language of several, so its absence is no trouble. */
export async function bringPython({ cache = cacheDirectory() } = {}) {
  const python = process.platform === "win32" ? "python" : "python3";
  const version = parseVersion(await ask(python, ["--version"]))?.join(".");
  if (!version) return { missing: `${python} is not on PATH` };
  const venv = join(cache, "python", `pulumi-${SDK}-python-${version}`);
  const done = join(venv, ".docsign-done");
  if (!existsSync(done)) {
    const missing = await withLock(
      join(cache, "python", ".lock"),
      async () => (existsSync(done) ? undefined : make(python, venv, done)),
      { onWait: ({ pid }) => say(`another set-up (pid ${pid}) is bringing Pulumi's SDK for Python; waiting for it`) },
    );
    if (missing) return { missing };
  }
  return { venv, binDir: join(venv, bin) };
}

/** A virtual environment holds its own path, so it can't be renamed into place: a mark says that it is whole. */
async function make(python, venv, done) {
  const what = `bringing Pulumi's SDK ${SDK} for Python`;
  return withProgress({ what, usually: "under a minute, once" }, async () => {
    const made = await run(python, ["-m", "venv", "--clear", venv]);
    if (made.code !== 0) return `${python} -m venv fails: ${made.last.at(-1) ?? `exit code ${made.code}`}`;
    const args = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries=1", `pulumi==${SDK}`];
    const installed = await run(join(venv, bin, "python"), args);
    if (installed.code !== 0) return `pip can't install pulumi ${SDK}: ${installed.last.at(-1) ?? "no reason given"}`;
    await writeFile(done, "");
    return undefined;
  });
}
