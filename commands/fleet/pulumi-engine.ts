import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import type { EngineEvent as AutomationEvent, PulumiCommand, Stack } from "@pulumi/pulumi/automation/index.js";
import type { Environment } from "../../provider/config.js";
import type { Clock } from "../../provider/core/clock.js";
import { factsIn, factsOfRun, mailsIn, type Notice, type Step, wordsIn } from "../../provider/schema/facts.js";
import { CommandError, messageOf } from "../cli/flags/errors.js";
import { type EngineEvent, failedAmong } from "../gate-status/events.js";
import { verdictOf } from "../gate-status/verdict.js";
import { checkpointsOf } from "./checkpoints.js";
import type { Engine, Hooks, Outcome, Task } from "./engine.js";
import { EngineTime, writeGuard } from "./guard.js";
import { areProvenGone, locksIn } from "./locks.js";
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

const run = promisify(execFile);

interface Opening extends Pick<Task, "stack" | "program"> {
  /** Whether a stack that isn't there is made. */
  readonly makes: boolean;
  /** What the engine gets besides. */
  readonly more?: Readonly<Record<string, string>>;
}

const NO_STACK = /no stack named/;

/** What a run and the guards of its engines have in common. */
interface Files {
  /** Each engine notes its process here. */
  readonly pids: string;
  readonly time: EngineTime;
}

/** Runs stacks with the Pulumi of this machine, through the Automation API. */
export class PulumiEngine implements Engine, Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "docsign-fleet-"));
  #command: Promise<PulumiCommand> | undefined;
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
      const { command, program } = task;
      const makes = command === "up" || command === "preview";
      const isSure = makes && !this.#known.has(task.stack.name) && !hasSettings(program, task.stack.name);
      const env = { ...this.options.env, ...task.stack.env };
      const more = command === "up" && this.options.isJournalKept(env) ? checkpointsOf(program, task.stack, env) : {};
      let stack = await this.#open({ ...task, makes: isSure, more }, files);
      let first = await attempt(stack, task, hooks);
      if (makes && !isSure && NO_STACK.test(first.output)) {
        stack = await this.#open({ ...task, makes, more }, files);
        first = await attempt(stack, task, hooks);
      }
      if (makes) this.#known.add(task.stack.name);
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
      const bare = { ...task.stack, config: {} };
      await (await this.#open({ program, stack: bare, makes: false }, files)).cancel();
      return (await attempt(stack, task, hooks)).outcome;
    } finally {
      ended.abort();
      await watching;
    }
  }

  async exportState(stack: PlannedStack, program: string): Promise<State | undefined> {
    const opened = await this.#open({ stack, program, makes: false });
    const state = await opened.exportStack().catch((error: unknown) => {
      if (NO_STACK.test(messageOf(error))) return undefined;
      throw error;
    });
    return state && stateSchema.parse(state);
  }

  async importState(stack: PlannedStack, program: string, state: State): Promise<void> {
    const opened = await this.#open({ stack, program, makes: true });
    await opened.importStack(state as never);
  }

  async #open({ stack: { name, env, config }, program, makes, more }: Opening, files?: Files): Promise<Stack> {
    const { LocalWorkspace, PulumiCommand, Stack } = await import("@pulumi/pulumi/automation/index.js");
    this.#command ??= PulumiCommand.get({
      root: writeGuard(this.#folder, this.options.env["PATH"]),
      skipVersionCheck: true,
    });
    const { secretsProvider } = this.options;
    const pulumiCommand = await this.#command;
    const envVars = {
      // Engines and their hosts live for seconds: they spend less of them collecting garbage, and take a third more memory.
      GOGC: "400",
      ...defined(this.options.env),
      ...env,
      ...more,
      DOCSIGN_FLEET_PIDS: files?.pids ?? "",
      DOCSIGN_FLEET_LEASE: files?.time.path ?? "",
      PULUMI_SKIP_UPDATE_CHECK: "true",
    };
    const workspace = await LocalWorkspace.create({
      workDir: program,
      pulumiCommand,
      envVars,
      ...(secretsProvider === undefined ? {} : { secretsProvider }),
    });
    // Of a small stack each command of the engine takes its share. So a stack is selected and made by one, and by none where
    // it is there; what nobody reads isn't asked for; and configuration goes along with the command that uses it.
    const secrets = secretsProvider === undefined ? [] : ["--secrets-provider", secretsProvider];
    const making = ["stack", "select", "--stack", name, "--create", ...secrets, "--non-interactive"];
    workspace.selectStack = async () => {
      if (makes) await run(pulumiCommand.command, making, { cwd: program, env: envVars });
    };
    workspace.stackOutputs = async () => ({});
    const settings = Object.entries(config).flatMap(([key, value]) => ["--config", `${key}=${value}`]);
    workspace.serializeArgsForOp = async () => settings;
    const stack = await Stack.select(name, workspace);
    stack.info = async () => undefined;
    return stack;
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
}

/** One command on the stack, and everything that the engine said when it failed. */
async function attempt(stack: Stack, { command }: Task, hooks: Hooks): Promise<{ outcome: Outcome; output: string }> {
  const events: EngineEvent[] = [];
  const steps: Step[] = [];
  const notices: Notice[] = [];
  let changes: Record<string, number> = {};
  const onEvent = (event: AutomationEvent) => {
    const { diagnosticEvent: note, summaryEvent: summary, resourcePreEvent: step } = event;
    if (step && command === "preview") steps.push({ op: String(step.metadata.op), urn: step.metadata.urn });
    if (step && step.metadata.op !== "same") hooks.note(`${step.metadata.op} ${nameOf(step.metadata.urn)}`);
    if (summary) changes = { ...summary.resourceChanges } as Record<string, number>;
    if (event.resOpFailedEvent) events.push({ resOpFailedEvent: event.resOpFailedEvent });
    if (!note) return;
    if (note.ephemeral) hooks.note(wordsIn(note.message));
    else if (note.severity === "error") events.push({ diagnosticEvent: { ...note, message: wordsIn(note.message) } });
    else if (factsIn(note.message)) {
      events.push({ diagnosticEvent: note });
      notices.push(note);
    }
  };
  const options = { onEvent, signal: hooks.stop, color: "never" as const, userAgent: "docsign-fleet" };
  try {
    if (command === "preview") await stack.preview(options);
    else await stack[command](options);
    const mails = command === "preview" ? mailsIn(factsOfRun(steps, notices)) : undefined;
    return { outcome: { status: "ok", reasons: [], mails, changes }, output: "" };
  } catch (error) {
    const output = messageOf(error);
    const { code, waiting, wrong } = verdictOf(1, failedAmong(events));
    const isSilent = !events.some(one => one.resOpFailedEvent || one.diagnosticEvent?.severity === "error");
    const unexplained = isSilent ? [errorLine(output)] : wrong;
    const status = code === 10 ? "waiting" : "failed";
    return { outcome: { status, reasons: code === 10 ? waiting : unexplained, mails: undefined, changes }, output };
  }
}

/** Of everything that the Automation API says of a command that failed, the line that says what is wrong. */
function errorLine(output: string): string {
  const lines = output.split("\n").map(line => stripVTControlCharacters(wordsIn(line)));
  const ofEngine = lines.filter(line => !line.includes("Command failed"));
  const [error] = ofEngine.flatMap(line => /\berror: (.+)/i.exec(line)?.[1] ?? []);
  return error ?? lines.findLast(line => /[a-z]{3}/i.test(line)) ?? "the engine failed without a word";
}

/** A stack that was made on this machine, or whose settings are in the repository, is there as a rule. */
const hasSettings = (program: string, stack: string): boolean => existsSync(join(program, `Pulumi.${stack}.yaml`));

const failed = (reason: string): Outcome => ({ status: "failed", reasons: [reason], mails: undefined, changes: {} });

const nameOf = (urn: string): string => urn.split("::").at(-1) ?? urn;

const defined = (env: Environment): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));

function readPids(path: string): number[] {
  try {
    return readFileSync(path, "utf8").split("\n").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

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
