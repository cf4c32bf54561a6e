import { spawn } from "node:child_process";
import { systemClock } from "../../provider/core/clock.js";
import { stopSignal, terminal } from "../cli/flags.js";
import { main } from "./command.js";
import type { Effects } from "./watcher.js";

declare const DOCSIGN_VERSION: string;

const stop = stopSignal();

const POST_TIMEOUT_MS = 30_000;

const effects: Effects = {
  run: (command, cwd, env) => started(command, cwd, env, "inherit").then(({ code }) => code),
  async output(command, cwd) {
    const { code, out } = await started(command, cwd, {}, "pipe");
    if (code !== 0) throw new Error(`expected \`${command.join(" ")}\` to end with 0, got ${code}`);
    return out;
  },
  async post(url, body) {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(POST_TIMEOUT_MS)]);
    const headers = { "content-type": "application/json" };
    const { status, body: answer } = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
    await answer?.cancel();
    return status;
  },
};

function started(
  [program = "", ...args]: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
  stdout: "inherit" | "pipe",
): Promise<{ code: number; out: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", stdout, "inherit"] });
    let out = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
    child.once("error", error => reject(new Error(`${program} can't be started: ${error.message}`)));
    child.once("close", code => resolve({ code: code ?? 1, out }));
  });
}

void main(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  lock: {},
  clock: systemClock,
  effects,
  stop,
  version: DOCSIGN_VERSION,
  ...terminal(),
}).then(code => {
  process.exitCode = code;
});
