// Programs that set-up runs. Whatever happens to us, they don't outlive us (a kill -9 aside).
import { execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline";

const running = new Set();
process.on("exit", () => {
  for (const child of running) child.kill();
});

/** What a program prints on stdout, trimmed, or undefined when it is missing, fails, or takes too long. */
export function ask(command, args, options = {}) {
  return new Promise(resolve => {
    execFile(command, args, { timeout: 20_000, ...options }, (error, stdout) => {
      resolve(error ? undefined : stdout.trim());
    });
  });
}

/**
 * Runs a program to its end, calling `onLine` for every line it prints. Resolves with its exit code and its last lines.
 */
export function run(command, args, { cwd, env = process.env, onLine = () => {}, shell = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, shell, stdio: ["ignore", "pipe", "pipe"] });
    running.add(child);
    const last = [];
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", line => {
        last.push(line);
        if (last.length > 200) last.shift();
        onLine(line);
      });
    }
    child.once("error", error => {
      running.delete(child);
      reject(error);
    });
    child.once("close", (code, signal) => {
      running.delete(child);
      resolve({ code: code ?? 1, signal, last });
    });
  });
}
