import { isLastWord, reasonIn } from "../engine-words.js";
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
  if (wrong.length === 0 && waiting.size === 0) {
    const reason = reasonIn(output);
    wrong.push(`the command ended with ${exitCode}${reason ? `: ${reason}` : ", and its events don't say why"}`);
  }
  const pending = wrong.length === 0 && waiting.size > 0;
  return { code: pending ? EXIT.waiting : EXIT.wrong, waiting: [...waiting], wrong };
}

const isSummary = ({ type, urn, messages }: FailedResource): boolean =>
  (type === "pulumi:pulumi:Stack" || urn === "") && messages.every(isLastWord);

const lineOf = ({ urn, messages }: FailedResource): string =>
  `${urn.split("::").at(-1) || "the command"}: ${messages[0]?.split("\n")[0] ?? "failed"}`;
