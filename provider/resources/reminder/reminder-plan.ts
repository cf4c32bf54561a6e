import type { DocumentBody } from "../../client/service.js";
import type { Values } from "../../schema/values.js";
import type { SignerRow } from "../document/declaration.js";
import { latestFile, signerRows, UNKNOWN_STATUS } from "../document/signatures.js";
import type { Call } from "../resource.js";
import { durationText, millisecondsOf } from "../signature-gate/changed-inputs.js";
import { chosenRows } from "../signature-gate/chosen-signers.js";
import { DEFAULT_MIN_INTERVAL, type SkippedReminder } from "./declaration.js";
import type { History } from "./history.js";

export interface ReminderPlan {
  readonly remind: readonly SignerRow[];
  readonly skipped: readonly SkippedReminder[];
}

/** Who would be reminded now, and why the others aren't. Wherever the service leaves a doubt, nobody is mailed. */
export function planReminders(
  body: DocumentBody,
  inputs: Values,
  history: History,
  now: Date,
  call: Call,
): ReminderPlan {
  const rows = signerRows(body);
  const stage = currentStage(body, rows);
  const invitedAt = new Map(body.invitations.map(({ id, createdAt }) => [id, createdAt ?? body.createdAt]));
  const reminded = new Set(history.sent.map(row => row.invitationId));
  const minIntervalMs = millisecondsOf(inputs["minInterval"], DEFAULT_MIN_INTERVAL);
  const unattributed = hasUnattributedSignature(body, rows);

  const reasonAgainst = (row: SignerRow): string | undefined => {
    if (row.status === "signed") return "has signed";
    if (row.status !== "unsigned" && row.status !== UNKNOWN_STATUS) return `is ${row.status}`;
    if (body.status !== "unsigned" && body.status !== "partially_signed") return `the document is ${body.status}`;
    if (row.status === UNKNOWN_STATUS && unattributed) return "the service doesn't tell who has signed";
    if (stage !== undefined && row.stage !== undefined && row.stage !== stage)
      return `is of stage ${row.stage}, and it is the turn of stage ${stage}`;
    return tooSoon(
      history.lastSentAt[row.invitationId],
      invitedAt.get(row.invitationId) ?? undefined,
      now,
      minIntervalMs,
    );
  };

  const remind: SignerRow[] = [];
  const skipped: SkippedReminder[] = [];
  for (const row of chosenRows(rows, inputs["signers"], body.id, call)) {
    if (reminded.has(row.invitationId)) continue;
    const reason = reasonAgainst(row);
    if (reason === undefined) remind.push(row);
    else skipped.push({ email: row.email, reason });
  }
  return { remind, skipped };
}

/**
 * The service's word, where somebody who hasn't signed is in that stage; otherwise the lowest stage with a signature
 * missing. Undefined where the service tells no stages: then it is everyone's turn.
 */
function currentStage(body: DocumentBody, rows: readonly SignerRow[]): number | undefined {
  const waiting = rows.flatMap(row => (row.status === "signed" || row.stage === undefined ? [] : [row.stage]));
  if (body.signingStage !== null && waiting.includes(body.signingStage)) return body.signingStage;
  return waiting.length === 0 ? undefined : Math.min(...waiting);
}

/** More signers may have signed than the rows account for: each of whom nothing is known may be one of them. */
function hasUnattributedSignature(body: DocumentBody, rows: readonly SignerRow[]): boolean {
  const signatures = latestFile(body)?.signers.filter(signer => signer.status !== "unsigned") ?? [];
  return signatures.length > rows.filter(row => row.status !== "unsigned" && row.status !== UNKNOWN_STATUS).length;
}

function tooSoon(
  lastSentAt: string | undefined,
  invitedAt: string | undefined,
  now: Date,
  minIntervalMs: number,
): string | undefined {
  if (minIntervalMs === 0) return undefined;
  const isRecent = (at: string): boolean => now.getTime() - Date.parse(at) < minIntervalMs;
  const interval = durationText(minIntervalMs);
  if (lastSentAt !== undefined && isRecent(lastSentAt)) return `was reminded less than ${interval} ago, ${lastSentAt}`;
  if (invitedAt === undefined || Number.isNaN(Date.parse(invitedAt)))
    return lastSentAt === undefined ? "the service doesn't tell when they were invited" : undefined;
  return isRecent(invitedAt) ? `was invited less than ${interval} ago, ${invitedAt}` : undefined;
}
