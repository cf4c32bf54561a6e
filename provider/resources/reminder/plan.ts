import { latestFile } from "../../client/files.js";
import type { DocumentBody } from "../../client/service.js";
import { addressOf } from "../../core/same.js";
import { durationText, millisecondsOf } from "../../schema/types.js";
import type { SignerRow } from "../document/declaration.js";
import type { ReminderAttempt } from "../journal/contract.js";
import type { Call } from "../resource.js";
import { chosenRows, rowsOf } from "../signature-gate/evaluation.js";
import { openStage, signerRows, UNKNOWN_STATUS } from "../signers.js";
import {
  dueAfter,
  type Interval,
  intervalIn,
  type ReminderInputs,
  type ReminderState,
  type SentReminder,
  type SkippedReminder,
} from "./declaration.js";

// ---- What was sent ----

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
  readonly elsewhere: ReadonlyMap<string, readonly ReminderAttempt[]>;
  /** Invitations and times of reminders that may not have gone out. */
  readonly unconfirmed: ReadonlySet<string>;
}

/**
 * State is right. This machine's memory adds what state never got to know: what an interrupted run sent, or a run whose
 * resource was replaced by force. Of a list of documents not all are read: `keepAll` keeps what state has of the others.
 */
export function historyOf(
  bodies: readonly DocumentBody[],
  round: string,
  olds: ReminderState | undefined,
  all: readonly ReminderAttempt[],
  { keepAll }: { keepAll: boolean },
): History & { readonly interrupted: readonly string[] } {
  const addresses = new Map(
    bodies.flatMap(({ invitations }) => invitations.map(({ id, email }) => [id, email ?? ""] as const)),
  );
  // Of its own, the latest of each invitation counts: triggers may take a value on again.
  const remembered = new Map(all.filter(({ own }) => own).map(row => [row.invitationId, row]));
  const keptOf = <T>(byInvitation: Readonly<Record<string, T>> = {}) =>
    Object.fromEntries(Object.entries(byInvitation).filter(([id]) => keepAll || addresses.has(id)));
  const known = keptOf(olds?.lastSentAt);
  const timesSent = new Map(Object.entries(keptOf(olds?.timesSent)));
  const isUnknownToState = ({ invitationId, at }: ReminderAttempt) =>
    addresses.has(invitationId) && !(Date.parse(known[invitationId] ?? "") >= Date.parse(at));
  for (const row of all)
    if (row.own && isUnknownToState(row)) timesSent.set(row.invitationId, (timesSent.get(row.invitationId) ?? 0) + 1);
  const unknownToState = [...remembered.values()].filter(isUnknownToState);
  const missed = unknownToState
    .filter(row => row.round === round)
    .map(({ invitationId, at, outcome }) => ({ email: addresses.get(invitationId) ?? "", invitationId, at, outcome }));
  const before = (olds?.round === round ? (olds.sent ?? []) : []).flatMap(
    ({ invitationId, email = "", at = "", outcome = "unknown" }) =>
      invitationId === undefined ? [] : [{ email, invitationId, at, outcome }],
  );
  const again = new Set(missed.map(row => row.invitationId));
  const sent = [...before.filter(row => !again.has(row.invitationId)), ...missed];
  return {
    round,
    sent,
    lastSentAt: { ...known, ...Object.fromEntries(unknownToState.map(row => [row.invitationId, row.at])) },
    timesSent: Object.fromEntries(timesSent),
    elsewhere: Map.groupBy(
      all.filter(({ own }) => !own),
      ({ invitationId }) => invitationId,
    ),
    unconfirmed: new Set([...all, ...sent].filter(row => row.outcome === "unknown").map(nameOf)),
    interrupted: missed.filter(row => row.outcome === "unknown").map(row => row.email),
  };
}

const nameOf = ({ invitationId, at }: Pick<SentReminder, "invitationId" | "at">): string => `${invitationId} ${at}`;

// ---- The plan ----

export interface ReminderPlan {
  readonly remind: readonly SignerRow[];
  readonly skipped: readonly SkippedReminder[];
  /** Whom this reminder has reminded for these triggers. State has them under `sent`. */
  readonly settled: readonly SkippedReminder[];
}

/** Why somebody isn't reminded, and when they may be, where time is all that is missing. */
type Against = Omit<SkippedReminder, "email">;

/** Who would be reminded now, and why the others aren't. Wherever the service leaves a doubt, nobody is mailed. */
export function planReminders(
  body: DocumentBody,
  inputs: ReminderInputs,
  history: History,
  now: Date,
  call: Call,
): ReminderPlan {
  const { signers } = inputs;
  const rows = signerRows(body);
  const stage = openStage(rows, body.signingStage);
  const invitedAt = new Map(body.invitations.map(({ id, createdAt }) => [id, createdAt ?? body.createdAt]));
  const interval = intervalIn(inputs);
  // By interval what counts of a reminder is its time.
  const reminded = new Map(interval ? [] : history.sent.map(row => [row.invitationId, row.at]));
  const minIntervalMs = millisecondsOf(inputs.minInterval);
  const unattributed = hasUnattributedSignature(body, rows);

  const remindedIn = (invitationId: string, at = ""): string =>
    history.unconfirmed.has(nameOf({ invitationId, at })) ? "may have been reminded" : "was reminded";

  const against = (row: SignerRow): Against | undefined => {
    const reason = (text: string): Against => ({ reason: text });
    if (row.status === "signed") return reason("has signed");
    if (row.status !== "unsigned" && row.status !== UNKNOWN_STATUS) return reason(`is ${row.status}`);
    if (body.status !== "unsigned" && body.status !== "partially_signed")
      return reason(`the document is ${body.status}`);
    if (row.status === UNKNOWN_STATUS && unattributed) return reason("the service doesn't say who has signed");
    if (stage !== undefined && row.stage !== undefined && row.stage !== stage)
      return reason(`is of stage ${row.stage}, and it is the turn of stage ${stage}`);
    const others = history.elsewhere.get(row.invitationId) ?? [];
    const planned = others.find(
      each => each.isPlanned && (interval || minIntervalMs > 0 || each.round === history.round),
    );
    if (planned) return reason(`will be reminded by ${planned.urn} in this run`);
    const lastSentAt = latest([history.lastSentAt[row.invitationId], ...others.map(({ at }) => at)]);
    const invited = invitedAt.get(row.invitationId) ?? undefined;
    const last = { lastSentAt, invited, wasReminded: remindedIn(row.invitationId, lastSentAt) };
    if (interval) return notYet(interval, { ...last, times: history.timesSent[row.invitationId] ?? 0 }, now);
    const same = others.find(each => each.round === history.round);
    if (same)
      return reason(`${remindedIn(row.invitationId, same.at)} for the same triggers by ${same.urn}, ${same.at}`);
    return tooSoon(last, now, minIntervalMs);
  };

  const remind: SignerRow[] = [];
  const skipped: SkippedReminder[] = [];
  const settled: SkippedReminder[] = [];
  const isListed = inputs.documentIds !== undefined;
  const skippedFor = ({ email }: SignerRow, { reason, ...due }: Against): SkippedReminder => ({
    email,
    reason: isListed ? `document ${body.id}: ${reason}` : reason,
    ...due,
  });
  // Of a list of documents, `signers` needn't be invited to each.
  const chosen = isListed ? rowsOf(rows, signers) : chosenRows(rows, signers, body.id, call);
  for (const row of chosen) {
    if (reminded.has(row.invitationId)) {
      const at = reminded.get(row.invitationId);
      const was = remindedIn(row.invitationId, at);
      settled.push(skippedFor(row, { reason: `${was} for the same triggers already${at && `, ${at}`}` }));
      continue;
    }
    const found = against(row);
    if (found === undefined) remind.push(row);
    else skipped.push(skippedFor(row, found));
  }
  return { remind, skipped, settled };
}

/** What is planned for each document, as one plan. An address that none of them has is said. */
export function planSeveral(
  bodies: readonly DocumentBody[],
  inputs: ReminderInputs,
  history: History,
  now: Date,
  call: Call,
): ReminderPlan {
  const plans = bodies.map(body => planReminders(body, inputs, history, now, call));
  const invited = new Set(bodies.flatMap(body => signerRows(body).map(row => addressOf(row.email))));
  const nowhere = (inputs.signers ?? []).filter(email => !invited.has(addressOf(email)));
  return {
    remind: plans.flatMap(({ remind }) => remind),
    skipped: [
      ...plans.flatMap(({ skipped }) => skipped),
      ...nowhere.map(email => ({ email, reason: "isn't invited to sign any document that is open" })),
    ],
    settled: plans.flatMap(({ settled }) => settled),
  };
}

/** More signers may have signed than the rows account for: each of whom nothing is known may be one of them. */
function hasUnattributedSignature(body: DocumentBody, rows: readonly SignerRow[]): boolean {
  const signatures = latestFile(body)?.signers.filter(signer => signer.status !== "unsigned") ?? [];
  return signatures.length > rows.filter(row => row.status !== "unsigned" && row.status !== UNKNOWN_STATUS).length;
}

const latest = (times: readonly (string | undefined)[]): string | undefined =>
  times
    .filter(at => at !== undefined)
    .sort((a, b) => Date.parse(a) - Date.parse(b))
    .at(-1);

interface LastMail {
  readonly lastSentAt: string | undefined;
  readonly invited: string | undefined;
  /** What is said of the reminder. */
  readonly wasReminded: string;
}

function tooSoon(
  { lastSentAt, invited: invitedAt, wasReminded }: LastMail,
  now: Date,
  minIntervalMs: number,
): Against | undefined {
  if (minIntervalMs === 0) return undefined;
  const interval = durationText(minIntervalMs);
  const reminded = Date.parse(lastSentAt ?? "");
  const invited = Date.parse(invitedAt ?? "");
  if (Number.isNaN(invited) && Number.isNaN(reminded))
    return { reason: "the service doesn't say when they were invited" };
  const wait = (what: string, last: number, at: string | undefined): Against | undefined => {
    const due = last + minIntervalMs;
    if (!(now.getTime() < due)) return undefined;
    const dueAt = new Date(due).toISOString();
    return { reason: `${what} less than ${interval} ago, ${at}: due from ${dueAt} on`, dueAt };
  };
  return invited > reminded
    ? wait("was invited", invited, invitedAt)
    : (wait(wasReminded, reminded, lastSentAt) ?? wait("was invited", invited, invitedAt));
}

/** Why somebody isn't due by the interval. */
function notYet(
  interval: Interval,
  { lastSentAt, invited, wasReminded, times }: LastMail & { readonly times: number },
  now: Date,
): Against | undefined {
  const { until, endsAt = Number.POSITIVE_INFINITY } = interval;
  const [last] = [lastSentAt, invited]
    .map(at => Date.parse(at ?? ""))
    .filter(at => !Number.isNaN(at))
    .sort((one, other) => other - one);
  if (last === undefined) return { reason: "the service doesn't say when they were invited" };
  if (interval.times !== undefined && times >= interval.times)
    return { reason: `was reminded ${times === 1 ? "once" : `${times} times`}, as often as \`until\` says` };
  const due = dueAfter(last, now.getTime(), interval);
  if (due >= endsAt) return { reason: `isn't due again until ${until}, when reminders end` };
  if (due <= now.getTime()) return undefined;
  const dueAt = new Date(due).toISOString();
  const what = Date.parse(lastSentAt ?? "") === last ? wasReminded : "was invited";
  return { reason: `${what} ${new Date(last).toISOString()}: due from ${dueAt} on`, dueAt };
}

/** Whether somebody was left out only because it was too soon, and isn't any more. */
export const isDue = ({ skipped = [] }: ReminderState, now: Date): boolean =>
  skipped.some(({ dueAt }) => dueAt !== undefined && Date.parse(dueAt) <= now.getTime());
