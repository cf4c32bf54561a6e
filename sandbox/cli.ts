import { main } from "./command.js";

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort());

void main(process.argv.slice(2), {
  out: text => process.stdout.write(text),
  err: text => process.stderr.write(text),
  stop: stop.signal,
}).then(code => {
  process.exitCode = code;
});
