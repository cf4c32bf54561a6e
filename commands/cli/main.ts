import { createRequire } from "node:module";
import { main } from "./command.js";

declare const DOCSIGN_VERSION: string;

for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

const [node = "", program = "", ...argv] = process.argv;

void main(argv, {
  out: text => process.stdout.write(text),
  err: text => process.stderr.write(text),
  env: process.env,
  cwd: process.cwd(),
  pid: process.pid,
  version: DOCSIGN_VERSION,
  interrupted() {
    const stop = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stop.abort());
    return stop.signal;
  },
  start(command, rest) {
    process.argv = [node, program, ...rest];
    createRequire(program)(`../${command}/cli.cjs`);
  },
}).then(code => {
  if (code !== undefined) process.exitCode = code;
});
