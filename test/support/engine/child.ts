import { type ChildProcess, spawn } from "node:child_process";

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs?: number;
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

/** Runs a program to its end, or kills it after `timeoutMs` and fails with what it had said. */
export function run(
  command: string,
  args: readonly string[],
  { cwd, env, timeoutMs = 110_000 }: RunOptions,
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    running.add(child);
    const said = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said.stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said.stderr += text;
    });
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      kill(child);
    }, timeoutMs);
    child.once("error", reject);
    child.once("close", code => {
      clearTimeout(timer);
      running.delete(child);
      if (late) {
        const words = `${command} ${args.join(" ")}`;
        reject(
          new Error(`${words} was killed after ${timeoutMs} ms; until then it said:\n${said.stdout}${said.stderr}`),
        );
      } else resolve({ code: code ?? 1, ...said });
    });
  });
}
