import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { processorOf, type Watch, watchSilence } from "../../support/silence.js";

export interface Output {
  readonly code: number;
  readonly text: string;
}

/** One shell, as somebody has it open: folders entered and variables set stay. Both of its streams are one text. */
export class Shell implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #mark = "-- that was it:";
  #lines: string[] = [];
  #heard: ((said: Output) => void) | undefined;
  #watch: Watch | undefined;
  #broken: ((error: Error) => void) | undefined;

  constructor(cwd: string, env: NodeJS.ProcessEnv) {
    this.#child = spawn("bash", ["--norc", "--noprofile"], {
      cwd,
      env,
      detached: true,
      stdio: ["pipe", "pipe", "inherit"],
    });
    const { stdout } = this.#child;
    if (!stdout) throw new Error("a shell without output");
    createInterface({ input: stdout }).on("line", line => this.#hear(line));
    this.#child.once("close", () => this.#broken?.(new Error(`the shell has ended:\n${this.#lines.join("\n")}`)));
    process.once("exit", this.#kill);
  }

  run(command: string): Promise<Output> {
    this.#lines = [];
    return new Promise((resolve, reject) => {
      const watch = watchSilence(command, processorOf(this.#child.pid ?? 0));
      this.#watch = watch;
      watch.silent.catch((error: Error) => {
        this.#kill();
        reject(new Error(`${error.message}; until then:\n${this.#lines.join("\n")}`));
      });
      this.#heard = said => {
        watch.stop();
        resolve(said);
      };
      this.#broken = error => {
        watch.stop();
        reject(error);
      };
      // The mark stands on a line of its own, also after output that doesn't end its last one.
      this.#child.stdin?.write(`{ ${command}\n} </dev/null 2>&1; printf '\\n${this.#mark}%s\\n' "$?"\n`);
    });
  }

  #hear(line: string): void {
    this.#watch?.heard();
    if (!line.startsWith(this.#mark)) {
      this.#lines.push(line);
      return;
    }
    this.#heard?.({ code: Number(line.slice(this.#mark.length)), text: this.#lines.join("\n").trimEnd() });
  }

  readonly #kill = (): void => {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  };

  async [Symbol.asyncDispose](): Promise<void> {
    this.#broken = undefined;
    this.#watch?.stop();
    process.removeListener("exit", this.#kill);
    this.#kill();
  }
}
