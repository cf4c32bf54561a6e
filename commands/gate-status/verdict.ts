import type { FailedResource } from "./events.js";

export const EXIT = { ok: 0, wrong: 1, usage: 2, waiting: 10 } as const;

export interface Verdict {
  readonly code: 0 | 1 | 10;
  /** What is waited for, one sentence for each gate. */
  readonly waiting: readonly string[];
  /** What else failed, one line for each. */
  readonly wrong: readonly string[];
}

/** The plugin's type, and the dynamic provider's. */
const GATE = /^(docsign:index:|pulumi-nodejs:dynamic\/docsign:)SignatureGate$/;

/** Whether a command that ended with `exitCode` failed only because people haven't signed yet. */
export function verdictOf(exitCode: number, failed: readonly FailedResource[], output = ""): Verdict {
  if (exitCode === 0) return { code: EXIT.ok, waiting: [], wrong: [] };
  const waiting = new Set<string>();
  const wrong: string[] = [];
  for (const failure of failed) {
    if (isSummary(failure)) continue;
    const { type, stoppedBy, messages } = failure;
    // Each of its errors is one that it said so of.
    if (GATE.test(type) && stoppedBy.length > 0 && stoppedBy.length >= messages.length)
      for (const each of stoppedBy) waiting.add(each);
    else wrong.push(lineOf(failure));
  }
  if (wrong.length === 0 && waiting.size === 0)
    wrong.push(`the command ended with ${exitCode}${reasonIn(output) ?? ", and its events don't say why"}`);
  const pending = wrong.length === 0 && waiting.size > 0;
  return { code: pending ? EXIT.waiting : EXIT.wrong, waiting: [...waiting], wrong };
}

/** A command that ends before the engine begins says why on stderr: no such stack, a wrong passphrase. */
function reasonIn(output: string): string | undefined {
  const errors = output.split("\n").filter(line => line.startsWith("error: "));
  return errors.length === 0 ? undefined : `: ${errors.at(-1)?.slice("error: ".length).trim()}`;
}

/** The engine's last word about the stack says only that something failed, which is known by then. */
const isSummary = ({ type, urn, messages }: FailedResource): boolean =>
  (type === "pulumi:pulumi:Stack" || urn === "") &&
  messages.every(message => /^(update|preview|refresh|destroy) failed$/.test(message));

const lineOf = ({ urn, messages }: FailedResource): string =>
  `${urn.split("::").at(-1) || "the command"}: ${messages[0]?.split("\n")[0] ?? "failed"}`;
