// npm run record: test/upgrade/states/v<version>/, what a stack looks like in the state that this version writes.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ask } from "./setup/child.mjs";
import { exitWith, ScriptError } from "./setup/progress.mjs";
import { readFlags } from "./setup/usage.mjs";
import { ready, root } from "./setup.mjs";

readFlags({
  name: "record",
  what: `Records the state that this version writes, with a real engine, into test/upgrade/states/v<version>/. A release
does it by itself; later versions are tried on what is recorded there.`,
});
try {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  if (await ask("git", ["tag", "--list", `v${version}`], { cwd: root }))
    throw new ScriptError(`${version} is out, and what it writes is recorded; later code can't say what it wrote`);
  const { node, env, engine } = await ready({ dependencies: true, build: true, engine: "needed" });
  const recorder = join(root, "test", "upgrade", "recorder", "main.ts");
  const child = spawn(node, ["--import", "tsx", recorder], {
    cwd: root,
    env: { ...env, DOCSIGN_TEST_ENGINE: engine.binDir },
    stdio: "inherit",
  });
  process.exitCode = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", code => resolve(code ?? 1));
  });
} catch (error) {
  exitWith(error);
}
