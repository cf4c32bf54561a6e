import { withoutHostCommands } from "../../kit/text.js";
import { main } from "./command.js";

declare const DOCSIGN_VERSION: string;

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop.abort());
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

void main(process.argv.slice(2), {
  stdin: process.stdin,
  out: text => process.stdout.write(withoutHostCommands(text)),
  err: text => process.stderr.write(withoutHostCommands(text)),
  stop: stop.signal,
  version: DOCSIGN_VERSION,
}).then(code => {
  process.exitCode = code;
});
