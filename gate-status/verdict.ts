import type { Failed } from "./events.js";

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

/** What a gate says that fails for want of signatures or certificates alone: `mode: require`, and `wait` at its time-out. */
const WAITS =
  /(?:document \d+|the gate) waits for [^\n]*?(?=, and the gate requires it|, and the \S+ to wait for it are over)/;

/** Whether a command that ended with `exitCode` failed only because people haven't signed yet. */
export function verdictOf(exitCode: number, failed: readonly Failed[]): Verdict {
  if (exitCode === 0) return { code: EXIT.ok, waiting: [], wrong: [] };
  const waiting = new Set<string>();
  const wrong: string[] = [];
  for (const failure of failed) {
    if (isSummary(failure)) continue;
    const waits = GATE.test(failure.type)
      ? failure.messages.map(message => WAITS.exec(message)?.[0])
      : failure.messages.map(() => undefined);
    if (waits.length > 0 && waits.every(each => each !== undefined)) for (const each of waits) waiting.add(each);
    else wrong.push(lineOf(failure));
  }
  if (wrong.length === 0 && waiting.size === 0)
    wrong.push(`the command ended with ${exitCode}, and its events don't say why`);
  const pending = wrong.length === 0 && waiting.size > 0;
  return { code: pending ? EXIT.waiting : EXIT.wrong, waiting: [...waiting], wrong };
}

/** The engine's last word about the stack says only that something failed, which is known by then. */
const isSummary = ({ type, urn, messages }: Failed): boolean =>
  (type === "pulumi:pulumi:Stack" || urn === "") &&
  messages.every(message => /^(update|preview|refresh|destroy) failed$/.test(message));

const lineOf = ({ urn, messages }: Failed): string =>
  `${urn.split("::").at(-1) || "the command"}: ${messages[0]?.split("\n")[0] ?? "failed"}`;
