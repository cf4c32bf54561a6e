import { spawn } from "node:child_process";
import { main } from "./command.js";

const run = (command: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<number> =>
  new Promise(resolve => {
    const child = spawn(command, args, { stdio: "inherit", env: { ...process.env, ...env } });
    // Ctrl-C reaches both; the command decides how it ends.
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
    child.once("error", error => {
      process.stderr.write(`docsign-gate-status: ${command} can't be started: ${error.message}\n`);
      resolve(127);
    });
    child.once("close", code => resolve(code ?? 1));
  });

void main(process.argv.slice(2), {
  run,
  out: text => process.stdout.write(text),
  err: text => process.stderr.write(text),
}).then(code => {
  process.exitCode = code;
});
