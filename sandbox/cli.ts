import { main, paintFor } from "./command.js";

declare const DOCSIGN_VERSION: string;

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop.abort());
// Who reads the greeting and goes away, as `head -1` does, isn't a reason to end.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

void main(process.argv.slice(2), {
  out: text => process.stdout.write(text),
  err: text => process.stderr.write(text),
  stop: stop.signal,
  version: DOCSIGN_VERSION,
  paintOut: paintFor(process.stdout, process.env),
  paintErr: paintFor(process.stderr, process.env),
}).then(code => {
  process.exitCode = code;
});
