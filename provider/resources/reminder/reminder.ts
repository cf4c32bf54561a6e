import type { Change } from "../../../kit/changes.js";
import type { Stored } from "../../../kit/check.js";
import { isKnown, type Preview, unknownOutputs } from "../../../kit/define.js";
import { isUnknown, UNKNOWN } from "../../../kit/values.js";
import { CancelledError, LoginError, ServiceError, UnauthorizedError } from "../../client/errors.js";
import { allSigned } from "../../client/files.js";
import type { DocumentBody, Turn } from "../../client/service.js";
import { counted, MOST_NAMED } from "../../core/text.js";
import { mailsTo } from "../../schema/facts.js";
import { sendAtMostOnce } from "../at-most-once.js";
import { type Context, defineOurs } from "../context.js";
import { MOST_ROUNDS, type Scope } from "../journal/contract.js";
import { JournalUnavailableError } from "../journal/log.js";
import { previewing } from "../only-reading.js";
import { assertSameService } from "../refusal.js";
import { type Call, type Failure, unnamedFailure as failure, UserError } from "../resource.js";
import { choiceFailures } from "../signature-gate/declaration.js";
import { addressesIn, askFor, idOf, listedIn, peopleText, readEach, serviceNow } from "../signature-gate/evaluation.js";
import type { SignerRow } from "../signers.js";
import {
  type ReminderInputs,
  type ReminderOutputs,
  type ReminderState,
  reminderDeclaration,
  reminderOutputs,
  roundOf,
  type SentReminder,
  type SkippedReminder,
} from "./declaration.js";
import { type History, historyOf, isDue, planReminders, type ReminderPlan } from "./plan.js";

// ---- The resource ----

/**
 * Mail to those who haven't signed. It exists in state alone: its id is the document's, and what it keeps is whom it
 * reminded when, so that nobody is reminded twice.
 */
export const reminderResource = defineOurs({
  ...reminderDeclaration,

  contradictions: inputs => [...choiceFailures(inputs), ...intervalFailures(inputs)],

  /** Somebody who is due by now. Asks nothing but, by interval, the service's time. */
  outdated: async ({ call, context, inputs, outputs }) => ({
    outputs: isDue(outputs, await timeFor(context, call, inputs, outputs)) ? ["skipped"] : [],
  }),

  async preview({ call, context, inputs, before }) {
    const { origin } = context.service();
    if (before) assertSameService(context, before.outputs.service, titleOf(before.outputs), call.urn);
    if (before && isBack(inputs, before)) return { outputs: takenBack(call, before.outputs) };
    const outputs: Preview<ReminderOutputs> = {
      ...unknownOutputs(reminderOutputs),
      documentId: inputs.documentId ?? UNKNOWN,
      service: origin,
    };
    const { triggers, ...others } = inputs;
    if (!isKnown(others)) {
      call.log.info(
        `may remind people: whom isn't known yet. Nobody is reminded who was invited less than \`${inputs.every === undefined ? "minInterval" : "every"}\` ago.`,
        { undecided: 1 },
      );
      return { outputs };
    }
    const known = { ...others, triggers };
    const { plan } = await look(context, call, known, before?.outputs);
    const why = before && !isKnown(triggers) ? "if `triggers` change" : whyOf(known, before);
    announce(call, titleOf(known), plan, why);
    return { outputs };
  },

  async create({ call, context, inputs }) {
    return { id: idOf(inputs), ...(await remind(context, call, inputs)) };
  },

  async update({ call, context, inputs, ...before }) {
    assertSameService(context, before.outputs.service, titleOf(before.outputs), call.urn);
    if (isBack(inputs, before)) return { outputs: takenBack(call, before.outputs) };
    return remind(context, call, inputs, before.outputs);
  },

  /** What was sent is sent: the service returns nothing about it. A refresh must not make an unfinished round look finished. */
  async read({ outputs }) {
    if (outputs)
      return {
        outputs,
        unfinished: outputs.skipped?.some(isUnfinished) ? ["not everyone could be reminded", GO_ON] : [],
      };
    throw new UserError(
      "a reminder can't be imported: the service doesn't say whom it reminded. Declare it; `minInterval` still counts from the invitation.",
    );
  },

  /** A sent mail can't be taken back. This machine goes on remembering it, also where another one sent it and state alone knows. */
  async delete({ call, context, outputs }) {
    // A journal that can't be used must not keep a stack from being destroyed.
    await rememberState(context.journal, call, outputs).catch(() => undefined);
  },
});

async function rememberState(
  journal: Context["journal"],
  { urn }: Call,
  { sent = [], lastSentAt = {}, timesSent = {}, round = "", service = "" }: ReminderState,
): Promise<void> {
  const scope: Scope = { service, urn };
  const remembered = await journal.reminded(scope, Object.keys(lastSentAt));
  const ofRound = new Map(sent.map(row => [row.invitationId, row.outcome]));
  const remember = async ([invitationId, at]: [string, string]): Promise<void> => {
    const all = remembered.filter(row => row.invitationId === invitationId);
    const own = all.filter(row => row.own);
    // The last line counts: one that was sent since, by a forced replacement, stays the latest.
    const known = own.findLast(row => Date.parse(row.at) >= Date.parse(at));
    const ofState = { at, round: ofRound.has(invitationId) ? round : "", outcome: ofRound.get(invitationId) };
    const { outcome, ...latest } = known ? { at: known.at, round: known.round, outcome: known.outcome } : ofState;
    const knows = all.map(({ token }) => token);
    // `until` may be a number of times: those that state knew of, and what was sent since.
    const since = new Set(own.flatMap(row => (Date.parse(row.at) > Date.parse(at) ? [row.at] : [])));
    const times = Math.min((timesSent[invitationId] ?? 0) + since.size, MOST_ROUNDS);
    for (let left = Math.max(known ? 0 : 1, times - own.length); left > 0; left--) {
      const token = await journal.remind(scope, { invitationId, ...latest }, knows);
      if (token === undefined) return;
      knows.push(token);
      if (outcome !== "unknown") await journal.confirmReminder(scope, token);
    }
  };
  await Promise.all(Object.entries(lastSentAt).map(remember));
}

interface Before {
  readonly outputs: ReminderState;
  readonly changes: readonly Change[];
}

/** After an Update that failed half-way the engine keeps the new outputs beside the old inputs. */
const isBack = ({ triggers }: Preview<ReminderInputs>, { outputs, changes }: Before): boolean =>
  !changes.some(({ name }) => name === "triggers") && outputs.round !== roundOf(triggers);

function takenBack(call: Call, outputs: ReminderState): ReminderState {
  call.log.info("`triggers` are back at what they were before a run that failed: nobody is reminded");
  return { ...outputs, skipped: outputs.skipped?.filter(row => !isUnfinished(row)) ?? [] };
}

function whyOf(inputs: ReminderInputs, before: Before | undefined): string {
  if (!before) return "the reminder is new";
  if (before.changes.length > 0) return `changed: ${before.changes.map(({ name }) => name).join(", ")}`;
  if (before.outputs.skipped?.some(isUnfinished)) return "an earlier run didn't get to it";
  return inputs.every === undefined ? "it was too soon in an earlier run" : "`every` says so";
}

/** The service's time where people are due by it: its answer shows it, whatever else it says. */
async function timeFor(
  context: Context,
  call: Call,
  { every, documentId, documentIds }: Preview<ReminderInputs>,
  { skipped = [] }: ReminderState,
): Promise<Date> {
  const asks = every !== undefined && !isUnknown(every) && skipped.some(({ dueAt }) => dueAt !== undefined);
  const id = documentId ?? (isUnknown(documentIds) ? undefined : documentIds?.[0]);
  if (asks && id !== undefined && !isUnknown(id) && context.service().now() === undefined)
    await askFor(context, call, id).catch((error: unknown) => {
      if (error instanceof CancelledError) throw error;
    });
  return serviceNow(context);
}

/** What the service and the journal say now, and who is to be reminded by that. */
async function look(context: Context, call: Call, inputs: ReminderInputs, olds: ReminderState | undefined) {
  const { journal } = previewing(context, call);
  const round = roundOf(inputs.triggers);
  const scope: Scope = { service: context.service().origin, urn: call.urn };
  const listed = listedIn(inputs);
  const done = new Set(listed && olds?.signedIds);
  const ask = (id: string) => askFor(context, call, id, { patient: !call.preview });
  const { found: bodies, unread } =
    listed === undefined
      ? { found: [await ask(inputs.documentId ?? "")], unread: [] }
      : await readEach(listed, done, ask, call);
  const decide = async (about: readonly DocumentBody[], now = serviceNow(context)) => {
    const ids = about.flatMap(({ invitations }) => invitations.map(({ id }) => id));
    const at = now.toISOString();
    for (;;) {
      await journal.refresh();
      const remembered = await journal.reminded(scope, ids);
      const history = historyOf(about, round, olds, remembered, { keepAll: listed !== undefined });
      const plan = planReminders(about, inputs, history, now, call);
      if (!call.preview) return { remembered, history, plan };
      // Another Reminder's preview counts them, and may have announced its own meanwhile.
      const knows = remembered.map(({ token }) => token);
      const announced = await Promise.all(
        plan.remind.map(({ invitationId }) => journal.remind(scope, { invitationId, round, at }, knows)),
      );
      if (!announced.includes(undefined)) return { remembered, history, plan };
    }
  };
  const started = serviceNow(context);
  const signedBefore = (listed ?? []).filter(each => done.has(each));
  return { ...(await decide(bodies, started)), decide, scope, bodies, unread, started, signedBefore };
}

type LookResult = Awaited<ReturnType<typeof look>>;

async function remind(
  context: Context,
  call: Call,
  inputs: ReminderInputs,
  olds?: ReminderState,
): Promise<{ readonly outputs: ReminderOutputs; readonly unfinished: readonly string[] }> {
  const found = await look(context, call, inputs, olds);
  const { bodies, unread, plan, history } = found;
  if (history.interrupted.length > 0) {
    call.log.warn(
      `an earlier run was interrupted while it reminded ${peopleText(history.interrupted, call)}: that counts as sent, and isn't sent again`,
    );
  }
  const { sent, unsent, failures } = await sendReminders(context, call, found);
  const after = withSent(history, sent);
  const repeats = inputs.every !== undefined;
  // Whoever was reminded by interval is due again one day.
  const { skipped: waiting } =
    repeats && sent.length > 0 ? planReminders(bodies, inputs, after, found.started, call) : plan;
  const skipped = [...waiting, ...unsent, ...unread.map(({ id }) => unfinishedRow("", `document ${id}: ${UNREAD}`))];
  const outputs: ReminderOutputs = {
    ...(inputs.documentId === undefined ? {} : { documentId: inputs.documentId }),
    signedIds: [...found.signedBefore, ...bodies.filter(allSigned).map(body => body.id)],
    ...(repeats ? { timesSent: { ...after.timesSent } } : {}),
    sent: [...after.sent],
    skipped,
    lastSentAt: { ...after.lastSentAt },
    round: history.round,
    service: found.scope.service,
  };
  const missed = [...failures, ...unread.map(({ id, error }) => `document ${id}: ${UNREAD}: ${error.message}`)];
  if (missed.length === 0 && plan.remind.length === 0)
    call.log.info(`reminded nobody of ${titleOf(inputs)}${reasons(plan, call)}`);
  return { outputs, unfinished: missed.length === 0 ? [] : [...missed, GO_ON] };
}

function withSent(history: History, sent: readonly SentReminder[]): History {
  const again = new Set(sent.map(({ invitationId }) => invitationId));
  const byInvitation = <T>(value: (row: SentReminder) => T) =>
    Object.fromEntries(sent.map(row => [row.invitationId, value(row)]));
  return {
    ...history,
    sent: [...history.sent.filter(({ invitationId }) => !again.has(invitationId)), ...sent],
    lastSentAt: { ...history.lastSentAt, ...byInvitation(({ at }) => at) },
    timesSent: {
      ...history.timesSent,
      ...byInvitation(({ invitationId }) => (history.timesSent[invitationId] ?? 0) + 1),
    },
  };
}

/** Of a resource's inputs, or of what state has of it. */
const titleOf = ({ documentId, documentIds }: Stored<Pick<ReminderInputs, "documentId" | "documentIds">>): string =>
  documentId !== undefined
    ? `document ${documentId}`
    : documentIds
      ? counted(documentIds.length, "document")
      : "the documents of the reminder";

/** What is wrong with when people are reminded, beyond the types. */
function intervalFailures(inputs: Preview<ReminderInputs>): Failure[] {
  if (inputs.every !== undefined)
    return inputs.triggers === undefined ? [] : [failure("every: expected either every or triggers, got both")];
  const stray = (["until", "businessDays", "timeZone"] as const).filter(name => inputs[name] !== undefined);
  if (stray.length === 0) return [];
  return [failure(`${stray.join(", ")}: expected every beside ${stray.length === 1 ? "it" : "them"}, got none`)];
}

const UNSENT = "the reminder couldn't be sent";
/** Of a document, whoever is invited to it. */
const UNREAD = "couldn't be read, so nobody was reminded of it";
const GO_ON = "Run `pulumi up` again: whoever was reminded isn't reminded again.";

/** The round isn't over: beside the words for people, state keeps a fact that no schema shows. */
interface Unfinished extends SkippedReminder {
  readonly unfinished: true;
}

const unfinishedRow = (email: string, reason: string): Unfinished => ({ email, reason, unfinished: true });

const isUnfinished = (row: Stored<SkippedReminder> | Stored<Unfinished>): boolean =>
  "unfinished" in row && row.unfinished === true;

/** Says at preview who will be mailed and why, and why the others won't. */
function announce(call: Call, title: string, plan: ReminderPlan, why: string): void {
  const { remind } = plan;
  const addresses = addressesIn(remind);
  const rest = addresses.length - MOST_NAMED;
  const people = `${peopleText(addresses.slice(0, MOST_NAMED), call)}${rest > 0 ? ` and ${rest} more` : ""}`;
  call.log.info(
    remind.length === 0
      ? `will remind nobody of ${title}${reasons(plan, call)}`
      : `will mail ${people}: a reminder of ${title} (${why})${reasons(plan, call)}`,
    { ...mailsTo(remind.map(({ email }) => email)), to: call.secrets.has("signers") ? [] : addresses },
  );
}

function reasons({ skipped, settled }: ReminderPlan, call: Call): string {
  const rows = [...skipped, ...settled];
  return rows
    .slice(0, MOST_NAMED)
    .map(({ email, reason }) => `\n  not ${peopleText([email], call)}: ${reason}`)
    .concat(rows.length > MOST_NAMED ? [`\n  and ${rows.length - MOST_NAMED} more aren't reminded`] : [])
    .join("");
}

// ---- Sending ----

/** What became of one person. */
type Outcome =
  | { readonly kind: "sent"; readonly row: SentReminder; readonly why?: string }
  /** Another run has reminded them meanwhile. */
  | { readonly kind: "skip"; readonly row: SkippedReminder }
  | { readonly kind: "not sent"; readonly why: string; readonly forAll: boolean };

/**
 * Reminds one person after the other, each once: what is about to go out is in the journal before it does, where the first
 * line of an invitation wins, and an answer that was lost counts as a yes. One person's failure doesn't keep the others
 * from being reminded. Answers who was reminded, and who was to be and wasn't: `failures` say why, unless another run has.
 */
async function sendReminders(context: Context, call: Call, found: LookResult) {
  const sent: SentReminder[] = [];
  const unsent: SkippedReminder[] = [];
  const failures: string[] = [];
  /** Why nobody else is tried. */
  let ended: string | undefined;
  for (const person of found.plan.remind) {
    const who = peopleText([person.email], call);
    if (call.signal.aborted) ended ??= "cancelled before it was sent";
    const outcome: Outcome =
      ended === undefined
        ? await remindOnce(context, call, found, person)
        : { kind: "not sent", why: ended, forAll: true };
    if (outcome.kind === "skip") unsent.push(outcome.row);
    else if (outcome.kind === "not sent") {
      unsent.push(unfinishedRow(person.email, UNSENT));
      failures.push(`${who} wasn't reminded: ${outcome.why}`);
      if (outcome.forAll) ended ??= "nobody else was tried";
    } else {
      sent.push(outcome.row);
      if (outcome.row.outcome === "unknown" && outcome.why !== undefined) {
        call.log.warn(
          `it isn't known whether the reminder for ${who} went out. It counts as sent, and isn't sent again. ${outcome.why}`,
        );
      }
    }
  }
  return { sent, unsent, failures };
}

/** What is to become of one person, by all that is known now. `knows`: the tokens of their reminders that were considered. */
async function decideOn(
  { bodies, decide, history }: LookResult,
  { invitationId, email }: SignerRow,
): Promise<{ readonly kind: "remind"; readonly knows: readonly string[] } | Exclude<Outcome, { kind: "not sent" }>> {
  const now = await decide(bodies.filter(({ invitations }) => invitations.some(({ id }) => id === invitationId)));
  const isOf = (row: { readonly invitationId: string }) => row.invitationId === invitationId;
  if (now.plan.remind.some(isOf))
    return { kind: "remind", knows: now.remembered.filter(isOf).map(({ token }) => token) };
  const row = now.history.sent.find(isOf);
  // By interval there is one of last time.
  if (row && row.at !== history.sent.find(isOf)?.at) return { kind: "sent", row };
  const skipped = now.plan.skipped.find(skipped => skipped.email === email);
  return { kind: "skip", row: skipped ?? unfinishedRow(email, UNSENT) };
}

/** Until a line of this run counts, or another run's has reminded the person. */
async function remindOnce(context: Context, call: Call, found: LookResult, person: SignerRow): Promise<Outcome> {
  const { scope, history } = found;
  const { email, invitationId } = person;
  const { journal, clock } = context;
  const { signal } = call;
  for (;;) {
    let line: Line | undefined;
    const rowOf = (outcome: SentReminder["outcome"], at = line?.at ?? ""): SentReminder => ({
      ...{ email, invitationId, at, outcome },
    });
    try {
      const decision = await decideOn(found, person);
      if (decision.kind !== "remind") return decision;
      const sent = await sendAtMostOnce<Line, Turn, void>(
        {
          clock,
          serviceNow: () => context.service().ticks(),
          turn: work => context.service().turn(work, { signal }),
          begin: async () => {
            const at = serviceNow(context).toISOString();
            const token = await journal.remind(scope, { invitationId, round: history.round, at }, decision.knows);
            line = token === undefined ? undefined : { token, at };
            return line;
          },
          owns: ({ token }) => journal.owns(scope, token),
          send: (turn, _, mayLeave) => turn.remind(invitationId, { signal, mayLeave }),
          withdraw: ({ token }) => journal.unremind(scope, token),
        },
        // Nobody sends it in its place, however late it is.
        { lasts: Number.POSITIVE_INFINITY },
      );
      if (sent.kind === "forestalled") continue;
      if (sent.kind === "lost") return { kind: "sent", row: rowOf("unknown"), why: sent.error.detail };
      await journal.confirmReminder(scope, sent.line.token).catch(() => undefined);
      return { kind: "sent", row: rowOf("sent") };
    } catch (error) {
      if (error instanceof JournalUnavailableError)
        return { kind: "not sent", why: `it can't be remembered that they are. ${error.message}`, forAll: false };
      if (!(error instanceof ServiceError)) throw error;
      if (line && error instanceof CancelledError && error.sent)
        return { kind: "sent", row: rowOf("unknown"), why: error.message };
      const forAll = error instanceof UnauthorizedError || error instanceof LoginError;
      return { kind: "not sent", why: error.message, forAll };
    }
  }
}

interface Line {
  readonly token: string;
  readonly at: string;
}
