import { spawn } from "node:child_process";
import { terminal } from "../cli/flags.js";
import { main, type Process } from "./command.js";

const MOST_KEPT = 64_000;

const run: Process["run"] = (command, args, env) =>
  new Promise(resolve => {
    const child = spawn(command, args, { stdio: ["inherit", "inherit", "pipe"], env: { ...process.env, ...env } });
    let output = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      process.stderr.write(text);
      output = (output + text).slice(-MOST_KEPT);
    });
    // Ctrl-C reaches both; the command decides how it ends.
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
    child.once("error", error => {
      process.stderr.write(`docsign gate-status: ${command} can't be started: ${error.message}\n`);
      resolve({ code: 127, output });
    });
    child.once("close", code => resolve({ code: code ?? 1, output }));
  });

void main(process.argv.slice(2), {
  run,
  ...terminal(),
}).then(code => {
  process.exitCode = code;
});
