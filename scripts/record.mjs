// npm run record: test/upgrade/states/v<version>/, what a stack looks like in the state that this version writes.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ask, follow } from "./setup/child.mjs";
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
  const options = { cwd: root, env: { ...env, DOCSIGN_TEST_ENGINE: engine.binDir } };
  process.exitCode = await follow(node, ["--import", "tsx", recorder], options);
} catch (error) {
  exitWith(error);
}
