/** A resource whose operation failed, with what was said about it. */
export interface Failed {
  readonly urn: string;
  readonly type: string;
  readonly messages: readonly string[];
}

export interface EngineEvent {
  readonly resOpFailedEvent?: { readonly metadata: { readonly urn: string; readonly type: string } };
  readonly diagnosticEvent?: { readonly urn?: string; readonly message: string; readonly severity: string };
}

/** What failed in one command, read off the engine's event log: one JSON object a line. */
export const failedIn = (log: string): readonly Failed[] =>
  failedAmong(
    log
      .split("\n")
      .filter(line => line.trim() !== "")
      .map(line => JSON.parse(line) as EngineEvent),
  );

export function failedAmong(events: readonly EngineEvent[]): readonly Failed[] {
  const errors = events.flatMap(({ diagnosticEvent: note }) =>
    note?.severity === "error" ? [{ urn: note.urn ?? "", message: note.message }] : [],
  );
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
  }));
}

function typeOf(urn: string): string {
  const qualified = urn.split("::")[2] ?? "";
  return qualified.slice(qualified.lastIndexOf("$") + 1);
}
