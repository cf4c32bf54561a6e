import { latestFile } from "../../client/files.js";
import type { DocumentBody } from "../../client/service.js";
import { addressOf } from "../../core/same.js";
import { durationText, millisecondsOf } from "../../schema/types.js";
import type { ReminderAttempt } from "../journal/contract.js";
import type { Call } from "../resource.js";
import { chosenRows, rowsOf } from "../signature-gate/evaluation.js";
import { isUnderWay, openStage, type SignerRow, signerRows, UNKNOWN_STATUS } from "../signers.js";
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
  const [own = [], others = []] = [true, false].map(isOwn => all.filter(row => row.own === isOwn));
  // Of its own, the latest of each invitation counts: triggers may take a value on again.
  const remembered = new Map(own.map(row => [row.invitationId, row]));
  const keptOf = <T>(byInvitation: Readonly<Record<string, T>> = {}) =>
    Object.fromEntries(Object.entries(byInvitation).filter(([id]) => keepAll || addresses.has(id)));
  const known = keptOf(olds?.lastSentAt);
  const timesSent = new Map(Object.entries(keptOf(olds?.timesSent)));
  const isUnknownToState = ({ invitationId, at }: ReminderAttempt) =>
    addresses.has(invitationId) && !(Date.parse(known[invitationId] ?? "") >= Date.parse(at));
  for (const { invitationId } of own.filter(isUnknownToState))
    timesSent.set(invitationId, (timesSent.get(invitationId) ?? 0) + 1);
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
    elsewhere: Map.groupBy(others, ({ invitationId }) => invitationId),
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

/**
 * Who would be reminded now, and why the others aren't. Wherever the service leaves a doubt, nobody is mailed. Of a list of
 * documents, `signers` needn't be invited to each: an address that none of them has is said.
 */
export function planReminders(
  bodies: readonly DocumentBody[],
  inputs: ReminderInputs,
  history: History,
  now: Date,
  call: Call,
): ReminderPlan {
  const { signers = [], documentIds, every } = inputs;
  const remind: SignerRow[] = [];
  const skipped: SkippedReminder[] = [];
  const settled: SkippedReminder[] = [];
  // By interval what counts of a reminder is its time.
  const reminded = new Map(every === undefined ? history.sent.map(row => [row.invitationId, row.at]) : []);
  const invited = new Set<string>();
  for (const body of bodies) {
    const rows = signerRows(body);
    const about = documentIds === undefined ? "" : `document ${body.id}: `;
    const reasonFor = reasonsIn(body, rows, inputs, history, now);
    for (const row of documentIds ? rowsOf(rows, inputs.signers) : chosenRows(rows, inputs.signers, body.id, call)) {
      const { email, invitationId } = row;
      const at = reminded.get(invitationId);
      const against =
        at === undefined
          ? reasonFor(row)
          : { reason: `${wasReminded(history, invitationId, at)} for the same triggers already${at && `, ${at}`}` };
      if (against)
        (at === undefined ? skipped : settled).push({ email, ...against, reason: `${about}${against.reason}` });
      else remind.push(row);
    }
    for (const { email } of rows) invited.add(addressOf(email));
  }
  for (const email of signers)
    if (!invited.has(addressOf(email)))
      skipped.push({ email, reason: "isn't invited to sign any document that is open" });
  return { remind, skipped, settled };
}

const wasReminded = ({ unconfirmed }: History, invitationId: string, at = ""): string =>
  unconfirmed.has(nameOf({ invitationId, at })) ? "may have been reminded" : "was reminded";

/** Why a person invited to this document isn't reminded now; undefined of one who is. */
function reasonsIn(
  body: DocumentBody,
  rows: readonly SignerRow[],
  inputs: ReminderInputs,
  history: History,
  now: Date,
): (row: SignerRow) => Against | undefined {
  const stage = openStage(rows, body.signingStage);
  const invitedAt = new Map(body.invitations.map(({ id, createdAt }) => [id, createdAt ?? body.createdAt]));
  const interval = intervalIn(inputs);
  const minIntervalMs = millisecondsOf(inputs.minInterval);
  const unattributed = hasUnattributedSignature(body, rows);
  const reason = (text: string): Against => ({ reason: text });
  return row => {
    if (row.status === "signed") return reason("has signed");
    if (row.status !== "unsigned" && row.status !== UNKNOWN_STATUS) return reason(`is ${row.status}`);
    if (!isUnderWay(body)) return reason(`the document is ${body.status}`);
    if (row.status === UNKNOWN_STATUS && unattributed) return reason("the service doesn't say who has signed");
    if (stage !== undefined && row.stage !== undefined && row.stage !== stage)
      return reason(`is of stage ${row.stage}, and it is the turn of stage ${stage}`);
    const others = history.elsewhere.get(row.invitationId) ?? [];
    const planned = others.find(
      each => each.isPlanned && (interval || minIntervalMs > 0 || each.round === history.round),
    );
    if (planned) return reason(`will be reminded by ${planned.urn} in this run`);
    const reminders = [history.lastSentAt[row.invitationId], ...others.map(({ at }) => at)];
    const last = lastMail([
      { at: invitedAt.get(row.invitationId), what: "was invited" },
      ...reminders.map(at => ({ at, what: wasReminded(history, row.invitationId, at) })),
    ]);
    if (interval) return notYet(interval, last, history.timesSent[row.invitationId] ?? 0, now);
    const same = others.find(each => each.round === history.round);
    if (same) {
      const was = wasReminded(history, row.invitationId, same.at);
      return reason(`${was} for the same triggers by ${same.urn}, ${same.at}`);
    }
    if (minIntervalMs === 0) return undefined;
    if (!last) return NEVER_MAILED;
    const due = last.time + minIntervalMs;
    if (now.getTime() >= due) return undefined;
    return dueFrom(due, `${last.what} less than ${durationText(minIntervalMs)} ago, ${last.at}`);
  };
}

/** More signers may have signed than the rows account for: each of whom nothing is known may be one of them. */
function hasUnattributedSignature(body: DocumentBody, rows: readonly SignerRow[]): boolean {
  const signatures = latestFile(body)?.signers.filter(signer => signer.status !== "unsigned") ?? [];
  return signatures.length > rows.filter(row => row.status !== "unsigned" && row.status !== UNKNOWN_STATUS).length;
}

interface Mail {
  readonly time: number;
  /** As it was written. */
  readonly at: string;
  readonly what: string;
}

/** The last mail that somebody got, as far as its time is known. */
function lastMail(
  mails: readonly { readonly at: string | null | undefined; readonly what: string }[],
): Mail | undefined {
  const known = mails.map(({ at, what }) => ({ time: Date.parse(at ?? ""), at: at ?? "", what }));
  return known
    .filter(({ time }) => !Number.isNaN(time))
    .sort((one, other) => one.time - other.time)
    .at(-1);
}

const NEVER_MAILED: Against = { reason: "the service doesn't say when they were invited" };

function dueFrom(due: number, why: string): Against {
  const dueAt = new Date(due).toISOString();
  return { reason: `${why}: due from ${dueAt} on`, dueAt };
}

/** Why somebody isn't due by the interval. */
function notYet(interval: Interval, last: Mail | undefined, times: number, now: Date): Against | undefined {
  const { until, endsAt = Number.POSITIVE_INFINITY } = interval;
  if (!last) return NEVER_MAILED;
  if (interval.times !== undefined && times >= interval.times)
    return { reason: `was reminded ${times === 1 ? "once" : `${times} times`}, as often as \`until\` says` };
  const due = dueAfter(last.time, now.getTime(), interval);
  if (due >= endsAt) return { reason: `isn't due again until ${until}, when reminders end` };
  if (due <= now.getTime()) return undefined;
  return dueFrom(due, `${last.what} ${new Date(last.time).toISOString()}`);
}

/** Whether somebody was left out only because it was too soon, and isn't any more. */
export const isDue = ({ skipped = [] }: ReminderState, now: Date): boolean =>
  skipped.some(({ dueAt }) => dueAt !== undefined && Date.parse(dueAt) <= now.getTime());
