import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { EngineEvent as PulumiEvent } from "@pulumi/pulumi/automation/index.js";
import type { Environment } from "../../provider/config.js";
import type { Clock } from "../../provider/core/clock.js";
import { textIn } from "../../provider/core/private-folder.js";
import { factsIn, factsOfRun, mailsIn, type Notice, type Step, wordsIn } from "../../provider/schema/facts.js";
import { CommandError } from "../cli/flags.js";
import { errorLine, isNoStack, locksIn } from "../engine-words.js";
import { type EngineEvent, EXIT, failedAmong, verdictOf } from "../gate-status/verdict.js";
import { type Engine, failed, type Hooks, type Outcome, type Task } from "./engine.js";
import { checkpointsOf } from "./engine-environment.js";
import { EngineTime, writeGuard } from "./guard.js";
import { areProvenGone } from "./leases.js";
import type { PlannedStack } from "./plan.js";
import { type State, stateSchema } from "./state-rows.js";

export interface PulumiEngineOptions {
  readonly env: Environment;
  readonly secretsProvider: string | undefined;
  /** Whether the journal of an engine with this environment is where whoever goes on with the stack finds it. */
  readonly isJournalKept: (env: Environment) => boolean;
  readonly clock: Clock;
  /** This machine's name, as locks have it. */
  readonly host: string;
  readonly isAlive: (pid: number) => boolean;
}

const WATCH_MS = 50;

/** What a run and the guards of its engines have in common. */
interface Files {
  /** Each engine notes its process here. */
  readonly pids: string;
  readonly time: EngineTime;
}

/** Where a command of Pulumi's runs, and with what. */
interface Where extends Pick<Task, "stack" | "program"> {
  readonly files?: Files;
  /** The engine gets it besides. */
  readonly more?: Readonly<Record<string, string>>;
  readonly onLine?: (line: string) => void;
  /** Interrupts it as Ctrl-C does. */
  readonly stop?: AbortSignal;
  readonly killed?: () => void;
}

/** Runs stacks with the Pulumi of this machine, each by as few commands as will do. */
export class PulumiEngine implements Engine, Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "docsign-fleet-"));
  #guard: string | undefined;
  /** Stacks that were there when this worker ran them. */
  readonly #known = new Set<string>();
  #tasks = 0;

  constructor(private readonly options: PulumiEngineOptions) {}

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async run(task: Task, hooks: Hooks): Promise<Outcome> {
    const path = join(this.#folder, `${++this.#tasks}`);
    const files = { pids: `${path}.pids`, time: new EngineTime(`${path}.lease`) };
    files.time.give(hooks.heldMs);
    const ended = new AbortController();
    const watching = this.#watch(files, hooks, ended.signal);
    try {
      const { command, program, stack } = task;
      const where = { program, stack, files, killed: hooks.killed };
      const env = { ...this.options.env, ...stack.env };
      const more = command === "up" && this.options.isJournalKept(env) ? checkpointsOf(program, stack, env) : {};
      const attempt = () => this.#attempt(task, hooks, { ...where, more });
      // Of a small stack each command of Pulumi's takes its share: a stack that is there is neither selected nor looked for.
      const makes = command === "up" || command === "preview";
      const isSure = makes && !this.#known.has(stack.name) && !hasSettings(program, stack.name);
      if (isSure) await this.#make(where);
      let first = await attempt();
      if (makes && !isSure && isNoStack(first.output)) {
        await this.#make(where);
        first = await attempt();
      }
      if (makes) this.#known.add(stack.name);
      const locks = locksIn(first.output);
      if (locks === undefined) return first.outcome;
      const holders = locks.map(({ user, host, pid }) => `${user}@${host} (pid ${pid})`).join(", ");
      if (!areProvenGone(locks, task.gone))
        return failed(
          `the stack is locked by ${holders}, and no lease proves that its holder is gone. Once nobody runs it, \`pulumi cancel\` breaks the lock.`,
        );
      // Of this machine more is known than the lease says.
      if (locks.some(({ host, pid }) => host === this.options.host && this.options.isAlive(pid)))
        throw new CommandError(`expected ${holders} to have ended with its worker, got it running`);
      hooks.note(`breaks the lock of ${holders}`);
      succeeded(await this.#pulumi(["cancel", "--yes"], where));
      return (await attempt()).outcome;
    } finally {
      ended.abort();
      await watching;
    }
  }

  async exportState(stack: PlannedStack, program: string): Promise<State | undefined> {
    const ended = await this.#pulumi(["stack", "export", "--show-secrets"], { stack, program });
    if (!ended.isOk && isNoStack(ended.stderr)) return undefined;
    return stateSchema.parse(JSON.parse(succeeded(ended).stdout));
  }

  async importState(stack: PlannedStack, program: string, state: State): Promise<void> {
    await this.#make({ stack, program });
    const file = join(this.#folder, `${++this.#tasks}.json`);
    try {
      // Its secrets are in the open.
      writeFileSync(file, JSON.stringify(state), { mode: 0o600 });
      succeeded(await this.#pulumi(["stack", "import", "--file", file], { stack, program }));
    } finally {
      rmSync(file, { force: true });
    }
  }

  /** Makes the stack where there is none. */
  async #make(where: Where): Promise<void> {
    const { secretsProvider } = this.options;
    const secrets = secretsProvider === undefined ? [] : ["--secrets-provider", secretsProvider];
    succeeded(await this.#pulumi(["stack", "select", "--create", ...secrets], where));
  }

  /** One command of Pulumi's on a stack. */
  async #pulumi(args: readonly string[], { stack, program, files, more, onLine, stop, killed }: Where) {
    this.#guard ??= writeGuard(this.#folder, this.options.env["PATH"]);
    const env: Environment = {
      // Engines, their hosts and plugins live for seconds: they spend less of them collecting garbage, and take more memory.
      GOGC: "400",
      DOCSIGN_FLEET_NURSERY: "8",
      ...this.options.env,
      ...stack.env,
      ...more,
      DOCSIGN_FLEET_PIDS: files?.pids ?? "",
      DOCSIGN_FLEET_LEASE: files?.time.path ?? "",
      PULUMI_SKIP_UPDATE_CHECK: "true",
    };
    const child = spawn(this.#guard, [...args, "--stack", stack.name, "--non-interactive"], {
      cwd: program,
      env: { ...env, PATH: [dirname(this.#guard), env["PATH"]].join(delimiter) },
    });
    const interrupt = (): boolean => child.kill("SIGINT");
    stop?.addEventListener("abort", interrupt);
    let [stdout, stderr] = ["", ""];
    if (onLine) createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY }).on("line", onLine);
    else child.stdout.setEncoding("utf8").on("data", text => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", text => (stderr += text));
    try {
      const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
      if (signal !== null && signal !== "SIGINT") killed?.();
      return { isOk: code === 0, stdout, stderr, signal };
    } finally {
      stop?.removeEventListener("abort", interrupt);
    }
  }

  /** Reports the engine's processes as they start, gives them the lease's time, and ends them when they are to be killed. */
  async #watch({ pids, time }: Files, { started, kill, heldMs }: Hooks, ended: AbortSignal): Promise<void> {
    const known = new Set<number>();
    while (!ended.aborted) {
      time.give(heldMs);
      for (const pid of readPids(pids)) {
        if (!known.has(pid)) started(pid);
        known.add(pid);
        if (kill.aborted) end(pid);
      }
      await this.options.clock.wait(WATCH_MS, ended).catch(() => undefined);
    }
  }

  /** The task's command on its stack, and everything that Pulumi said when it failed. */
  async #attempt({ command, stack }: Task, hooks: Hooks, where: Where): Promise<{ outcome: Outcome; output: string }> {
    const events: EngineEvent[] = [];
    const steps: Step[] = [];
    const notices: Notice[] = [];
    let summary: PulumiEvent["summaryEvent"];
    const onEvent = (event: PulumiEvent) => {
      const { diagnosticEvent: note, summaryEvent, resourcePreEvent: step } = event;
      if (step && command === "preview") steps.push({ op: String(step.metadata.op), urn: step.metadata.urn });
      if (step && step.metadata.op !== "same") hooks.note(`${step.metadata.op} ${nameOf(step.metadata.urn)}`);
      summary ??= summaryEvent;
      if (event.resOpFailedEvent) events.push({ resOpFailedEvent: event.resOpFailedEvent });
      if (!note) return;
      if (note.ephemeral) hooks.note(wordsIn(note.message));
      else if (note.severity === "error") events.push({ diagnosticEvent: { ...note, message: wordsIn(note.message) } });
      else if (factsIn(note.message)) {
        events.push({ diagnosticEvent: note });
        notices.push(note);
      }
    };
    const words: string[] = [];
    const onLine = (line: string) => {
      try {
        onEvent(JSON.parse(line));
      } catch {
        // It isn't an event, or not one of this version's.
        words.push(line);
      }
    };
    // Configuration goes along with the command that uses it.
    const settings = Object.entries(stack.config).flatMap(([key, value]) => ["--config", `${key}=${value}`]);
    const unasked = command === "preview" ? [] : ["--yes", "--skip-preview"];
    const args = [command, ...unasked, "--json", "--color", "never", ...settings];
    if (hooks.stop.aborted) throw new CommandError(`interrupted before its ${command}`);
    // Events are printed as they come, each on a line.
    const more = { ...where.more, PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true" };
    const ended = await this.#pulumi(args, { ...where, more, onLine, stop: hooks.stop });
    const changes = { ...summary?.resourceChanges } as Record<string, number>;
    if (ended.isOk) {
      // Without a summary its events weren't understood: whom it mails isn't known.
      const mails = command === "preview" && summary ? mailsIn(factsOfRun(steps, notices)) : undefined;
      return { outcome: { status: "ok", reasons: [], mails, changes }, output: "" };
    }
    const output = [...words, ended.stderr].join("\n");
    const { code, waiting, wrong } = verdictOf(1, failedAmong(events));
    const isSilent = !events.some(one => one.resOpFailedEvent || one.diagnosticEvent?.severity === "error");
    const why = ended.signal === null ? errorLine(output) : killedBy(ended.signal);
    const isWaiting = code === EXIT.waiting;
    const reasons = isWaiting ? waiting : isSilent ? [why] : wrong;
    return { outcome: { status: isWaiting ? "waiting" : "failed", reasons, mails: undefined, changes }, output };
  }
}

/** What it printed isn't shown: a state has secrets. */
function succeeded<T extends { readonly isOk: boolean; readonly stderr: string }>(ended: T): T {
  if (!ended.isOk) throw new CommandError(errorLine(ended.stderr));
  return ended;
}

const killedBy = (signal: string): string =>
  `the engine was killed (${signal}): the next run breaks its lock, once the lease of this one is over`;

/** A stack that was made on this machine, or whose settings are in the repository, is there as a rule. */
const hasSettings = (program: string, stack: string): boolean => existsSync(join(program, `Pulumi.${stack}.yaml`));

const nameOf = (urn: string): string => urn.split("::").at(-1) ?? urn;

const readPids = (path: string): number[] => textIn(path).split("\n").filter(Boolean).map(Number);

function end(pid: number): void {
  // Its group, too, where it has one of its own.
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
}
