import { type ChildProcess, spawn } from "node:child_process";
import { processorOf, watchSilence } from "../silence.js";

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Kills it, and all it started, when aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Called with its number. */
  readonly started?: ((pid: number) => void) | undefined;
}

const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) kill(child);
});

/** Its process group, which is the program itself and what it started that has not left the group. */
function kill(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

/** Runs a program to its end. One that is silent for minutes is killed, and fails with what it had said. */
export function run(command: string, args: readonly string[], { cwd, env, signal, started }: RunOptions): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    running.add(child);
    if (child.pid !== undefined) started?.(child.pid);
    signal?.addEventListener("abort", () => kill(child), { once: true });
    const said = { stdout: "", stderr: "" };
    const words = `${command} ${args.join(" ")}`;
    const watch = watchSilence(words, processorOf(child.pid ?? 0));
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (text: string) => {
        said[name] += text;
        watch.heard();
      });
    }
    watch.silent.catch((error: Error) => {
      kill(child);
      reject(new Error(`${error.message}; until then it said:\n${said.stdout}${said.stderr}`));
    });
    child.once("error", error => {
      watch.stop();
      reject(error);
    });
    child.once("close", code => {
      watch.stop();
      running.delete(child);
      resolve({ code: code ?? 1, ...said });
    });
  });
}
