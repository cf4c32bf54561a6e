import { byKey, counted, printable } from "../../provider/core/text.js";
import type { RunningStack } from "./leases.js";
import type { StackJob } from "./queue.js";

/** Shows a run as it goes: a line for each change, and on a terminal a line for each stack that runs below them. */
export class Display {
  readonly #states = new Map<string, string>();
  #block = 0;

  constructor(
    private readonly out: (text: string) => void,
    private readonly isTerminal: boolean,
  ) {}

  update(jobs: readonly StackJob[], running: readonly RunningStack[]): void {
    const at = new Map(running.map(each => [each.stack, each]));
    const news = jobs.flatMap(job => {
      const holder = at.get(job.stack);
      // Between its fetch and its lease a job's worker isn't known.
      if (job.state === "running" && !holder) return [];
      const state = job.state === "running" ? `running on ${holder?.worker}` : resultOf(job);
      const before = this.#states.get(job.stack);
      this.#states.set(job.stack, state);
      return before === state || job.state === "queued" ? [] : [`${job.stack}: ${state}`];
    });
    this.clear();
    for (const line of news) this.out(`${printable(line)}\n`);
    if (!this.isTerminal) return;
    const lines = [...runningLines(jobs, at), totalsOf(jobs)];
    this.out(lines.map(line => `${printable(line).slice(0, 118)}\n`).join(""));
    this.#block = lines.length;
  }

  clear(): void {
    if (this.#block > 0) this.out(`\u001b[${this.#block}F\u001b[J`);
    this.#block = 0;
  }
}

function runningLines(jobs: readonly StackJob[], at: ReadonlyMap<string, RunningStack>): string[] {
  return jobs.flatMap(({ stack, state }) => {
    const holder = at.get(stack);
    if (state !== "running" || !holder) return [];
    const note = holder.silent ? `its worker ${holder.worker} is silent` : holder.note || "starts";
    return [`  ${stack.padEnd(20)} ${duration(holder.age).padStart(6)}  ${note}`];
  });
}

/** `12 of 20 stacks done: 10 ok, 1 waiting, 1 failed; 2 running, 6 queued`. */
export function totalsOf(jobs: readonly StackJob[]): string {
  const count = (state: StackJob["state"]) => jobs.filter(job => job.state === state).length;
  const part = (states: readonly StackJob["state"][]) =>
    states.filter(state => count(state) > 0).map(state => `${count(state)} ${state}`);
  const done = part(["ok", "waiting", "failed", "cancelled"]);
  const open = part(["running", "queued"]);
  const ended = jobs.length - count("running") - count("queued");
  const counts = [done.join(", "), open.join(", ")].filter(text => text !== "").join("; ");
  return `${ended} of ${counted(jobs.length, "stack")} done${counts === "" ? "" : `: ${counts}`}`;
}

function resultOf({ state, outcome, losses }: StackJob): string {
  const lost = losses > 0 && state !== "queued" ? [`after ${counted(losses, "loss", "losses")} of its worker`] : [];
  return [state, ...changesOf(outcome), ...lost, ...(outcome?.reasons.slice(0, 1) ?? [])].join(", ");
}

const changesOf = (outcome: StackJob["outcome"]): string[] =>
  Object.entries(outcome?.changes ?? {})
    .filter(([kind, count]) => count > 0 && kind !== "same")
    .map(([kind, count]) => `${count} ${kind}`);

/** Every stack of a run with what came of it, the ones that didn't go well last. */
export function tableOf(jobs: readonly StackJob[]): string {
  const order = ["ok", "queued", "running", "waiting", "cancelled", "failed"];
  const sorted = [...jobs].sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state) || byKey(a.stack, b.stack));
  const rows = sorted.map(({ stack, state, outcome, seconds }) => [
    stack,
    state,
    changesOf(outcome).join(", ") || "-",
    outcome?.mails === undefined ? "-" : String(outcome.mails),
    seconds === undefined ? "-" : duration(seconds),
  ]);
  const head = ["stack", "result", "changes", "mails", "time"];
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map(row => row[column]?.length ?? 0)));
  const padded = (cell: string, column: number) => cell.padEnd(widths[column] ?? 0);
  const line = (row: readonly string[]) => row.map(padded).join("  ").trimEnd();
  const reasons = sorted.flatMap(({ stack, outcome }) =>
    (outcome?.reasons ?? []).map(reason => `  ${stack}: ${printable(reason)}`),
  );
  const lines = [head, ...rows].map(line);
  return [...lines, ...(reasons.length > 0 ? ["", ...reasons] : []), "", totalsOf(jobs), ""].join("\n");
}

const duration = (seconds: number): string =>
  seconds < 100 ? `${seconds.toFixed(1)} s` : `${Math.floor(seconds / 60)} min`;
