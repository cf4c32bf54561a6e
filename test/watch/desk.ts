import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { main } from "../../commands/watch/command.js";
import type { Effects } from "../../commands/watch/watcher.js";
import { startSandbox } from "../../sandbox/index.js";
import type { LockOptions } from "../../scripts/setup/lock.mjs";

export const MINUTE = 60_000;

/** A service, a folder with settings, and a watcher's clock that moves only when the watcher waits. */
export async function openDesk(settings: object) {
  const folder = mkdtempSync(join(tmpdir(), "docsign-watch-"));
  const sandbox = await startSandbox({ seed: 1 });
  const file = join(folder, "watch.json");
  writeFileSync(file, JSON.stringify(settings));
  let now = Date.now();
  /** When each request was sent, by the watcher's clock. */
  const askedAt: number[] = [];
  const ran: { command: readonly string[]; cwd: string; changed: string | undefined }[] = [];
  const posted: { url: string; body: unknown }[] = [];
  const answers: { run: number; post: number | Error; output: string; hang?: (() => void) | undefined } = {
    run: 0,
    post: 200,
    output: "{}",
  };
  const effects: Effects = {
    async run(command, cwd, env) {
      ran.push({ command, cwd, changed: env["DOCSIGN_CHANGED"] });
      return answers.run;
    },
    async output(command, cwd) {
      ran.push({ command, cwd, changed: undefined });
      return answers.output;
    },
    async post(url, body) {
      posted.push({ url, body: JSON.parse(body) });
      if (answers.hang) {
        answers.hang();
        await new Promise(() => {});
      }
      if (answers.post instanceof Error) throw answers.post;
      return answers.post;
    },
  };
  let [out, err] = ["", ""];
  /** Runs the command; with `turns`, until it has waited as often. */
  async function command(
    argv: string[],
    {
      turns = Number.POSITIVE_INFINITY,
      lock = {},
      env = {},
    }: { turns?: number; lock?: LockOptions; env?: Record<string, string> } = {},
  ) {
    const stop = new AbortController();
    let waits = 0;
    return main(argv, {
      env: {
        DOCSIGN_BASE_URL: sandbox.url,
        DOCSIGN_API_KEY: sandbox.apiKey,
        DOCSIGN_STATE_DIR: join(folder, "state"),
        ...env,
      },
      cwd: folder,
      lock,
      clock: {
        now: () => now,
        startedUp: () => 0,
        async wait(ms) {
          now += ms;
          if (++waits > turns) stop.abort();
          stop.signal.throwIfAborted();
        },
      },
      effects,
      stop: stop.signal,
      version: "0.0.0",
      out: text => {
        out += text;
      },
      err: text => {
        err += text;
      },
    });
  }
  return {
    folder,
    sandbox,
    file,
    answers,
    askedAt,
    memory: () => JSON.parse(readFileSync(join(folder, "docsign-watch.state.json"), "utf8")),
    command,
    /** So many questions, each a minute after the last, each by a process of its own. */
    async turns(count: number) {
      for (let turn = 0; turn < count; turn++) {
        const before = sandbox.history.length;
        if ((await command(["--once", "watch.json"])) !== 0) throw new Error(err);
        for (let i = before; i < sandbox.history.length; i++) askedAt.push(now);
      }
    },
    pass(ms: number) {
      now += ms;
    },
    /** Programs run and webhooks called since the last look. */
    woken: () => ({ ran: ran.splice(0), posted: posted.splice(0) }),
    said: () => ({ out, err }),
    /** Requests so far, as `by_date_range signed` and `document 5001`. */
    asked: () =>
      sandbox.history.map(({ path, query }) =>
        query["status"] ? `by_date_range ${query["status"]}` : path.replace("/v1/documents/", "document "),
      ),
    async [Symbol.asyncDispose]() {
      await sandbox.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
