// Programs that set-up runs. Whatever happens to us, they don't outlive us (a kill -9 aside).
import { execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { ScriptError } from "./progress.mjs";

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

/** What a program prints, its last lines; an error with them where it fails. `what` names the work in it. */
export async function must(command, args, { what = [command, ...args].join(" "), ...options } = {}) {
  const { code, last } = await run(command, args, options).catch(error => ({ code: 1, last: [error.message] }));
  if (code !== 0) throw new ScriptError(`${what} failed:\n${last.join("\n")}`);
  return last.join("\n");
}

/** Runs a program in this terminal to its end, and resolves with its exit code. */
export function follow(command, args, options) {
  const child = spawn(command, args, { stdio: "inherit", ...options });
  running.add(child);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", code => resolve(code ?? 1));
  }).finally(() => running.delete(child));
}

// ---- npm ----

/** Runs npm: the one that started this script, under the Node that runs us, or else the one on PATH. */
export function runNpm(args, options) {
  const started = process.env.npm_execpath;
  if (started && /npm-cli\.c?js$/.test(started)) return run(process.execPath, [started, ...args], options);
  // On Windows npm is a script, and scripts need a shell there; our arguments hold no characters a shell would read.
  return run("npm", args, { ...options, shell: process.platform === "win32" });
}

/** npm's own words, without its usage page and the lines that only say where it wrote a log. */
export function whyNpmFailed(lines) {
  const words = lines
    .map(line => /^npm (?:error|ERR!) ?(.*)/.exec(line)?.[1].trim())
    .filter(text => text && !/^(code|errno|syscall|Usage:|npm |Options:|-|\[|A complete log)/.test(text));
  return words.length > 0 ? words.slice(0, 2).join(" ") : lines.at(-1);
}
