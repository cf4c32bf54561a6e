import { factsIn, typeIn, wordsIn } from "../../provider/schema/facts.js";

/** A resource whose operation failed, with what was said about it. */
export interface FailedResource {
  readonly urn: string;
  readonly type: string;
  readonly messages: readonly string[];
  /** What it waits for, where that alone stopped it: one sentence for each time. */
  readonly stoppedBy: readonly string[];
}

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
export const failedIn = (log: string): readonly FailedResource[] =>
  failedAmong(
    log
      .split("\n")
      .filter(line => line.trim() !== "")
      .map(line => JSON.parse(line) as EngineEvent),
  );

export function failedAmong(events: readonly EngineEvent[]): readonly FailedResource[] {
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
    type: failed.get(urn) ?? typeIn(urn),
    messages: errors.filter(error => error.urn === urn).map(({ message }) => message.trim()),
    stoppedBy: notes.filter(note => note.urn === urn && isStop(note)).map(({ message }) => wordsIn(message)),
  }));
}

const isStop = ({ message, severity }: Diagnostic): boolean =>
  severity !== "error" && (factsIn(message)?.stops ?? 0) > 0;
