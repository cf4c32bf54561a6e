import type { DocumentBody } from "../../client/service.js";
import type { Value, Values } from "../../schema/values.js";
import type { SignerRow } from "../document/declaration.js";
import { addressOf, latestFile, openStage, signerRows, UNKNOWN_STATUS } from "../document/signatures.js";
import type { Call } from "../resource.js";
import { durationText, millisecondsOf } from "../signature-gate/changed-inputs.js";
import { chosenRows } from "../signature-gate/chosen-signers.js";
import { listedIn } from "../signature-gate/several.js";
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
  const stage = openStage(rows, body.signingStage);
  const invitedAt = new Map(body.invitations.map(({ id, createdAt }) => [id, createdAt ?? body.createdAt]));
  const reminded = new Set(history.sent.map(row => row.invitationId));
  const minIntervalMs = millisecondsOf(inputs["minInterval"], DEFAULT_MIN_INTERVAL);
  const unattributed = hasUnattributedSignature(body, rows);

  const reasonAgainst = (row: SignerRow): string | undefined => {
    if (row.status === "signed") return "has signed";
    if (row.status !== "unsigned" && row.status !== UNKNOWN_STATUS) return `is ${row.status}`;
    if (body.status !== "unsigned" && body.status !== "partially_signed") return `the document is ${body.status}`;
    if (row.status === UNKNOWN_STATUS && unattributed) return "the service doesn't say who has signed";
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
  const isListed = listedIn(inputs) !== undefined;
  const chosen = isListed ? invitedAmong(rows, inputs["signers"]) : chosenRows(rows, inputs["signers"], body.id, call);
  for (const row of chosen) {
    if (reminded.has(row.invitationId)) continue;
    const reason = reasonAgainst(row);
    if (reason === undefined) remind.push(row);
    else skipped.push({ email: row.email, reason: isListed ? `document ${body.id}: ${reason}` : reason });
  }
  return { remind, skipped };
}

/** Of a list of documents, `signers` needn't be invited to each. */
function invitedAmong(rows: readonly SignerRow[], signers: Value | undefined): readonly SignerRow[] {
  if (!Array.isArray(signers)) return rows;
  const wanted = new Set(signers.map(email => addressOf(String(email))));
  return rows.filter(row => wanted.has(addressOf(row.email)));
}

/** What is planned for each document, as one plan. An address that none of them has is said. */
export function planSeveral(
  bodies: readonly DocumentBody[],
  inputs: Values,
  history: History,
  now: Date,
  call: Call,
): ReminderPlan {
  const plans = bodies.map(body => planReminders(body, inputs, history, now, call));
  const invited = new Set(bodies.flatMap(body => signerRows(body).map(row => addressOf(row.email))));
  const { signers } = inputs;
  const nowhere = Array.isArray(signers) ? signers.map(String).filter(email => !invited.has(addressOf(email))) : [];
  return {
    remind: plans.flatMap(({ remind }) => remind),
    skipped: [
      ...plans.flatMap(({ skipped }) => skipped),
      ...nowhere.map(email => ({ email, reason: "isn't invited to sign any document that is open" })),
    ],
  };
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
    return lastSentAt === undefined ? "the service doesn't say when they were invited" : undefined;
  return isRecent(invitedAt) ? `was invited less than ${interval} ago, ${invitedAt}` : undefined;
}
