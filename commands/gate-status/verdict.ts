import { factsIn, kindOf, typeOf, wordsIn } from "../../provider/schema/facts.js";
import { isLastWord, reasonIn } from "../engine-words.js";

export const EXIT = { ok: 0, wrong: 1, usage: 2, waiting: 10 } as const;

/** Whether a command that ended with `exitCode` failed only because people haven't signed yet. */
export function verdictOf(exitCode: number, failed: readonly FailedResource[], output = "") {
  /** What is waited for, one sentence for each gate. */
  const waiting = new Set<string>();
  /** What else failed, one line for each. */
  const wrong: string[] = [];
  if (exitCode === 0) return { code: EXIT.ok, waiting: [], wrong };
  for (const failure of failed) {
    if (isSummary(failure)) continue;
    const { type, stoppedBy, messages } = failure;
    // Each of its errors is one that it said so of.
    if (kindOf(type) === "SignatureGate" && stoppedBy.length > 0 && stoppedBy.length >= messages.length)
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

// ---- What failed ----

/** A resource whose operation failed, with what was said about it. */
type FailedResource = ReturnType<typeof failedAmong>[number];

interface Diagnostic {
  readonly urn?: string;
  readonly message: string;
  readonly severity: string;
}

export interface EngineEvent {
  readonly resOpFailedEvent?: { readonly metadata: { readonly urn: string; readonly type: string } };
  readonly diagnosticEvent?: Diagnostic;
}

/** What failed in one command, read off the engine's event log: one JSON object a line. */
export const failedIn = (log: string): FailedResource[] =>
  failedAmong(
    log
      .split("\n")
      .filter(line => line.trim() !== "")
      .map(line => JSON.parse(line) as EngineEvent),
  );

export function failedAmong(events: readonly EngineEvent[]) {
  const notes = events.flatMap(({ diagnosticEvent: note }) => (note ? [{ ...note, urn: note.urn ?? "" }] : []));
  const errors = notes.filter(({ severity }) => severity === "error");
  const failed = new Map(
    events.flatMap(({ resOpFailedEvent: failure }) =>
      failure ? [[failure.metadata.urn, failure.metadata.type] as const] : [],
    ),
  );
  // A Check or a Diff that fails, and a program that does, are said about a resource that has no failed operation.
  const urns = new Set([...failed.keys(), ...errors.map(({ urn }) => urn)]);
  return [...urns].map(urn => ({
    urn,
    type: failed.get(urn) ?? typeOf(urn),
    messages: errors.filter(error => error.urn === urn).map(({ message }) => message.trim()),
    /** What it waits for, where that alone stopped it: one sentence for each time. */
    stoppedBy: notes.filter(note => note.urn === urn && isStop(note)).map(({ message }) => wordsIn(message)),
  }));
}

const isStop = ({ message, severity }: Diagnostic): boolean =>
  severity !== "error" && (factsIn(message)?.stops ?? 0) > 0;
