// npm, for what comes from its registry: the dependencies, and a Node where the one at hand is too old.
import { run } from "./child.mjs";

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
