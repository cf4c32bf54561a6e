import type { DocumentBody } from "../../client/service.js";
import { isRecord, type Values } from "../../schema/values.js";
import type { Reminded } from "../journal/contract.js";
import type { SentReminder } from "./declaration.js";

/** What was sent before, as state and this machine know it. */
export interface History {
  /** Which the present triggers are. */
  readonly round: string;
  /** For these. */
  readonly sent: readonly SentReminder[];
  /** By invitation id, for whatever triggers. */
  readonly lastSentAt: Readonly<Record<string, string>>;
  /** How often, by invitation id. */
  readonly timesSent: Readonly<Record<string, number>>;
  /** By invitation id: other resources' reminders, in this stack or another. */
  readonly elsewhere: ReadonlyMap<string, readonly Reminded[]>;
}

/**
 * State is right. This machine's memory adds what state never got to know: what an interrupted run sent, or a run whose
 * resource was replaced by force. Of a list of documents not all are read: `keepAll` keeps what state has of the others.
 */
export function historyOf(
  bodies: readonly DocumentBody[],
  round: string,
  olds: Values | undefined,
  all: readonly Reminded[],
  { keepAll }: { keepAll: boolean },
): History & { readonly interrupted: readonly string[] } {
  const addresses = new Map(
    bodies.flatMap(({ invitations }) => invitations.map(({ id, email }) => [id, email ?? ""] as const)),
  );
  // Of its own, the latest of each invitation counts: triggers may take a value on again.
  const remembered = new Map(all.filter(({ own }) => own).map(row => [row.invitationId, row]));
  const known = lastSentIn(olds, id => keepAll || addresses.has(id));
  const timesSent = new Map(Object.entries(timesIn(olds, id => keepAll || addresses.has(id))));
  for (const { own, invitationId, at } of all)
    if (own && addresses.has(invitationId) && !(Date.parse(known[invitationId] ?? "") >= Date.parse(at)))
      timesSent.set(invitationId, (timesSent.get(invitationId) ?? 0) + 1);
  const unknownToState = [...remembered.values()].filter(
    ({ invitationId, at }) => addresses.has(invitationId) && !(Date.parse(known[invitationId] ?? "") >= Date.parse(at)),
  );
  const missed = unknownToState
    .filter(row => row.round === round)
    .map(({ invitationId, at, outcome }) => ({
      email: addresses.get(invitationId) ?? "",
      invitationId,
      at,
      outcome,
    }));
  const before = olds?.["round"] === round ? sentIn(olds) : [];
  const again = new Set(missed.map(row => row.invitationId));
  return {
    round,
    sent: [...before.filter(row => !again.has(row.invitationId)), ...missed],
    lastSentAt: { ...known, ...Object.fromEntries(unknownToState.map(row => [row.invitationId, row.at])) },
    timesSent: Object.fromEntries(timesSent),
    elsewhere: Map.groupBy(
      all.filter(({ own }) => !own),
      ({ invitationId }) => invitationId,
    ),
    interrupted: missed.filter(row => row.outcome === "unknown").map(row => row.email),
  };
}

function sentIn(outputs: Values): SentReminder[] {
  const rows = Array.isArray(outputs["sent"]) ? outputs["sent"].filter(isRecord) : [];
  return rows.map(row => ({
    email: String(row["email"] ?? ""),
    invitationId: String(row["invitationId"] ?? ""),
    at: String(row["at"] ?? ""),
    outcome: String(row["outcome"] ?? "unknown"),
  }));
}

function lastSentIn(outputs: Values | undefined, isKept: (invitationId: string) => boolean): Record<string, string> {
  const known = outputs?.["lastSentAt"];
  if (!isRecord(known)) return {};
  return Object.fromEntries(
    Object.entries(known).filter((entry): entry is [string, string] => {
      const [id, at] = entry;
      return isKept(id) && typeof at === "string";
    }),
  );
}

function timesIn(outputs: Values | undefined, isKept: (invitationId: string) => boolean): Record<string, number> {
  const known = outputs?.["timesSent"];
  if (!isRecord(known)) return {};
  return Object.fromEntries(
    Object.entries(known).filter((entry): entry is [string, number] => {
      const [id, times] = entry;
      return isKept(id) && typeof times === "number";
    }),
  );
}
