import { mkdirSync } from "node:fs";
import { createRequire, enableCompileCache } from "node:module";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { main } from "./command.js";
import { STOPPING, terminal } from "./flags.js";

declare const DOCSIGN_VERSION: string;

const [node = "", program = "", ...argv] = process.argv;

keepCompiled(join(dirname(program), "..", ".compile-cache"));

void main(argv, {
  ...terminal(),
  env: process.env,
  cwd: process.cwd(),
  pid: process.pid,
  user: userName(),
  version: DOCSIGN_VERSION,
  interrupted() {
    const stop = new AbortController();
    for (const signal of STOPPING) process.once(signal, () => stop.abort());
    return stop.signal;
  },
  start(command, rest) {
    process.argv = [node, program, ...rest];
    createRequire(program)(`../${command}/cli.cjs`);
  },
}).then(code => {
  if (code !== undefined) process.exitCode = code;
});

/** In a container the environment may name nobody, and a user may have no name. */
function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

/** As the plugin's launcher does: of a worker's start a third of a second. What is in there is run, so nobody else may write to it. */
function keepCompiled(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    enableCompileCache(folder);
  } catch {
    // Where it can't be written, nothing is lost.
  }
}
