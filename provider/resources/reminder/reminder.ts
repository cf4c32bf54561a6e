import { createHash } from "node:crypto";
import { problemsOf } from "../../../kit/check.js";
import {
  Archive,
  Asset,
  hasUnknown,
  isRecord,
  isUnknown,
  UNKNOWN,
  type Value,
  type Values,
} from "../../../kit/values.js";
import { CancelledError, LoginError, ServiceError, UnauthorizedError } from "../../client/errors.js";
import type { DocumentBody, Turn } from "../../client/service.js";
import { sortedJson } from "../../core/same.js";
import { counted } from "../../core/text.js";
import { mailsTo } from "../../schema/facts.js";
import { sendAtMostOnce } from "../at-most-once.js";
import type { Context } from "../context.js";
import type { SignerRow } from "../document/declaration.js";
import { allSigned } from "../document/state.js";
import type { Reminded, Scope } from "../journal/contract.js";
import { JournalUnavailableError } from "../journal/log.js";
import { previewing } from "../only-reading.js";
import { assertSameService } from "../replace-guard.js";
import {
  type Call,
  type Created,
  type Diff,
  type Failure,
  NO_CHANGE,
  PartialFailure,
  type ReadResult,
  type Resource,
  UserError,
} from "../resource.js";
import {
  addressesIn,
  askFor,
  choiceFailures,
  idOfSeveral,
  idsMeaning,
  listedIn,
  named,
  readEach,
  serviceNow,
  withTextIds,
} from "../signature-gate/evaluation.js";
import {
  addressesMeaning,
  changedInputs,
  durationMeaning,
  type Meanings,
  textMeaning,
} from "../signature-gate/signature-gate.js";
import {
  DEFAULT_MIN_INTERVAL,
  intervalIn,
  reminderDeclaration,
  reminderInputs,
  reminderOutputs,
  type SentReminder,
  type SkippedReminder,
} from "./declaration.js";
import { type History, historyOf, isDue, planReminders, planSeveral, type ReminderPlan } from "./plan.js";

// ---- Sending ----

interface Sending {
  readonly sent: readonly SentReminder[];
  /** Whom another run has reminded meanwhile. */
  readonly skipped: readonly { readonly invitationId: string; readonly row: SkippedReminder }[];
  /** Why people who should have been reminded weren't, one line each. */
  readonly failures: readonly string[];
}

/** What is to become of one person, by all that is known now. */
type Decision =
  | {
      readonly kind: "remind" /** The tokens of their reminders that were considered. */;
      readonly knows: readonly string[];
    }
  | { readonly kind: "sent"; readonly row: SentReminder }
  | { readonly kind: "skip"; readonly row: SkippedReminder };

interface Reminding {
  readonly scope: Scope;
  /** The triggers that these reminders go out for. */
  readonly round: string;
  readonly people: readonly SignerRow[];
  /** Asked again where another run has reminded the person meanwhile. */
  decide(person: SignerRow): Promise<Decision>;
}

/**
 * Reminds one person after the other, each once: what is about to go out is in the journal before it does, where the first
 * line of an invitation wins, and an answer that was lost counts as a yes. One person's failure doesn't keep the others
 * from being reminded.
 */
async function sendReminders(context: Context, call: Call, reminding: Reminding): Promise<Sending> {
  const sent: SentReminder[] = [];
  const skipped: { invitationId: string; row: SkippedReminder }[] = [];
  const failures: string[] = [];
  let given: string | undefined;

  for (const person of reminding.people) {
    const who = named([person.email], call);
    if (call.signal.aborted) given ??= "cancelled before it was sent";
    if (given !== undefined) {
      failures.push(`${who} wasn't reminded: ${given}`);
      continue;
    }
    const outcome = await remindOnce(context, call, reminding, person);
    if (outcome.kind === "skip") skipped.push({ invitationId: person.invitationId, row: outcome.row });
    else if (outcome.kind === "not sent") {
      failures.push(`${who} wasn't reminded: ${outcome.why}`);
      if (outcome.forAll) given = "nobody else was tried";
    } else {
      sent.push(outcome.row);
      if (outcome.row.outcome === "unknown" && outcome.why !== undefined) {
        call.log.warn(
          `it isn't known whether the reminder for ${who} went out. It counts as sent, and isn't sent again. ${outcome.why}`,
        );
      }
    }
  }
  return { sent, skipped, failures };
}

type Outcome =
  | { readonly kind: "sent"; readonly row: SentReminder; readonly why?: string }
  | { readonly kind: "skip"; readonly row: SkippedReminder }
  | { readonly kind: "not sent"; readonly why: string; readonly forAll: boolean };

/** Until a line of this run counts, or another run's has reminded the person. */
async function remindOnce(
  context: Context,
  call: Call,
  { scope, round, decide }: Reminding,
  person: SignerRow,
): Promise<Outcome> {
  const { email, invitationId } = person;
  const { journal, clock } = context;
  const { signal } = call;
  for (;;) {
    let line: Line | undefined;
    const rowOf = (outcome: SentReminder["outcome"], at = line?.at ?? ""): SentReminder => ({
      ...{ email, invitationId, at, outcome },
    });
    try {
      const decision = await decide(person);
      if (decision.kind !== "remind") return decision;
      const sent = await sendAtMostOnce<Line, Turn, void>(
        {
          clock,
          serviceNow: () => context.service().ticks(),
          turn: work => context.service().turn(work, { signal }),
          begin: async () => {
            const at = serviceNow(context).toISOString();
            const token = await journal.remind(scope, { invitationId, round, at }, decision.knows);
            line = token === undefined ? undefined : { token, at };
            return line;
          },
          owns: ({ token }) => journal.reminds(scope, token),
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

// ---- The resource ----

const MEANINGS: Meanings = {
  documentId: textMeaning(),
  documentIds: idsMeaning,
  signers: addressesMeaning,
  triggers: given => roundOf(given),
  minInterval: durationMeaning(DEFAULT_MIN_INTERVAL),
  every: given => (given === undefined ? undefined : durationMeaning("0s")(given)),
  until: textMeaning(),
  businessDays: given => String(given === true),
  timeZone: textMeaning("UTC"),
};

/**
 * Mail to those who haven't signed. It exists in state alone: its id is the document's, and what it keeps is whom it
 * reminded when, so that nobody is reminded twice.
 */
export class ReminderResource implements Resource {
  readonly token = reminderDeclaration.token;

  /** URNs read since their last Check: their next Diff is the one of a refresh, which shows no update of its own. */
  readonly #read = new Set<string>();

  constructor(private readonly context: Context) {}

  async check(call: Call, { news }: { news: Values }): Promise<{ inputs: Values; failures: Failure[] }> {
    this.#read.delete(call.urn);
    const inputs = withTextIds(news);
    const problems = problemsOf(reminderInputs, news, { secrets: call.secrets });
    return { inputs, failures: [...problems, ...choiceFailures(inputs), ...intervalFailures(inputs)] };
  }

  /** Somebody who is due by now is an update without a changed input. Asks nothing but, by interval, the service's time. */
  async diff(call: Call, { olds, oldInputs, news }: { olds: Values; oldInputs: Values; news: Values }): Promise<Diff> {
    const detailed = changedInputs(reminderInputs, MEANINGS, oldInputs, news);
    if (!this.#read.has(call.urn) && isDue(olds, await this.#now(call, olds, news))) detailed["skipped"] ??= "update";
    return Object.keys(detailed).length === 0 ? NO_CHANGE : { changes: "some", detailed, deleteBeforeReplace: false };
  }

  /** The service's time where people are due by it: its answer shows it, whatever else it says. */
  async #now(call: Call, olds: Values, news: Values): Promise<Date> {
    const { context } = this;
    const asks = intervalIn(news) !== undefined && skippedIn(olds).some(({ dueAt }) => dueAt !== undefined);
    const id = news["documentId"] ?? listedIn(news)?.[0];
    if (asks && id !== undefined && !hasUnknown(id) && context.service().now() === undefined)
      await askFor(context, call, id).catch((error: unknown) => {
        if (error instanceof CancelledError) throw error;
      });
    return serviceNow(context);
  }

  async create(call: Call, { inputs }: { inputs: Values }): Promise<Created> {
    const outputs = await this.#remind(call, inputs, undefined, "the reminder is new");
    return { id: call.preview ? "" : idOf(inputs), outputs };
  }

  async update(
    call: Call,
    { id, olds, oldInputs, news }: { id: string; olds: Values; oldInputs: Values; news: Values },
  ): Promise<Values> {
    assertSameService(this.context, olds["service"], titleOf(olds), call.urn);
    const changed = Object.keys(changedInputs(reminderInputs, MEANINGS, oldInputs, news));
    // After an Update that failed half-way the engine keeps the new outputs beside the old inputs.
    if (!changed.includes("triggers") && olds["round"] !== roundOf(news["triggers"])) {
      call.log.info("`triggers` are back at what they were before a run that failed: nobody is reminded");
      return { ...olds, skipped: skippedIn(olds).filter(row => !isUnsent(row)) };
    }
    const why =
      changed.length > 0
        ? `changed: ${changed.join(", ")}`
        : unsentIn(olds)
          ? "an earlier run didn't get to it"
          : intervalIn(news)
            ? "`every` says so"
            : "it was too soon in an earlier run";
    return this.#remind(call, news, olds, why, id);
  }

  /** What was sent is sent: the service returns nothing about it. */
  async read(
    call: Call,
    { id, inputs, outputs }: { id: string; inputs: Values | undefined; outputs: Values | undefined },
  ): Promise<ReadResult> {
    this.#read.add(call.urn);
    if (inputs && outputs) {
      // A refresh must not make an unfinished round look finished: nobody would remind the rest.
      if (unsentIn(outputs)) throw new PartialFailure(id, outputs, inputs, ["not everyone could be reminded", GO_ON]);
      return { id, inputs, outputs };
    }
    throw new UserError(
      "a reminder can't be imported: the service doesn't say whom it reminded. Declare it; `minInterval` still counts from the invitation.",
    );
  }

  /** A sent mail can't be taken back. This machine goes on remembering it, so that a forced replacement sends no second one. */
  async delete(): Promise<void> {}

  async #remind(call: Call, inputs: Values, olds: Values | undefined, why: string, id = idOf(inputs)): Promise<Values> {
    const { context } = this;
    const { origin } = context.service();
    if (
      hasUnknown(inputs["documentId"]) ||
      hasUnknown(inputs["documentIds"]) ||
      hasUnknown(inputs["signers"]) ||
      hasUnknown(inputs["minInterval"]) ||
      INTERVAL_INPUTS.some(name => hasUnknown(inputs[name]))
    ) {
      call.log.info(
        "may remind people: whom isn't known yet. Nobody is reminded who was invited less than `minInterval` ago.",
        { undecided: 1 },
      );
      return unknownOutputs(inputs, origin);
    }
    const round = roundOf(inputs["triggers"]);
    const scope: Scope = { service: origin, urn: call.urn };
    const listed = listedIn(inputs);
    const done = new Set(listed === undefined ? [] : signedIn(olds));
    const signedBefore = (listed ?? []).filter(each => done.has(each));
    const ask = (id: Value | undefined) => askFor(context, call, id, { patient: !call.preview });
    const { found: bodies, unread } =
      listed === undefined
        ? { found: [await ask(inputs["documentId"])], unread: [] }
        : await readEach(listed, done, ask, call);
    const [only] = bodies;
    const planOf = (about: readonly DocumentBody[], history: History, now: Date): ReminderPlan => {
      const [first] = about;
      return listed === undefined && first !== undefined
        ? planReminders(first, inputs, history, now, call)
        : planSeveral(about, inputs, history, now, call);
    };
    const decide = async (about: readonly DocumentBody[], now = serviceNow(context)) => {
      const remembered = await this.#remembered(call, scope, about);
      const history = historyOf(about, round, olds, remembered, { keepAll: listed !== undefined });
      return { remembered, history, plan: planOf(about, history, now) };
    };
    const started = serviceNow(context);
    const { history, plan } = await decide(bodies, started);
    const interval = intervalIn(inputs);
    const title = titleOf(inputs);
    if (call.preview) {
      announce(call, title, plan, olds && hasUnknown(inputs["triggers"]) ? "if `triggers` change" : why);
      return unknownOutputs(inputs, origin);
    }
    if (history.interrupted.length > 0) {
      call.log.warn(
        `an earlier run was interrupted while it reminded ${named(history.interrupted, call)}: that counts as sent, and isn't sent again`,
      );
    }
    const decideOn = async ({ invitationId, email }: SignerRow): Promise<Decision> => {
      const now = await decide(bodies.filter(({ invitations }) => invitations.some(({ id }) => id === invitationId)));
      const isOf = (row: { readonly invitationId: string }) => row.invitationId === invitationId;
      if (now.plan.remind.some(isOf))
        return { kind: "remind", knows: now.remembered.filter(isOf).map(({ token }) => token) };
      const row = now.history.sent.find(isOf);
      // By interval there is one of last time.
      if (row && row.at !== history.sent.find(isOf)?.at) return { kind: "sent", row };
      return {
        kind: "skip",
        row: now.plan.skipped.find(skipped => skipped.email === email) ?? { email, reason: UNSENT },
      };
    };
    const people = plan.remind;
    const { sent, failures, ...met } = await sendReminders(context, call, { scope, round, people, decide: decideOn });
    const after = withSent(history, sent);
    // Whoever was reminded by interval is due again one day.
    const waiting = interval && sent.length > 0 ? planOf(bodies, after, started).skipped : plan.skipped;
    const settled = new Set([...sent, ...met.skipped].map(({ invitationId }) => invitationId));
    const unsent = plan.remind.filter(({ invitationId }) => !settled.has(invitationId));
    const skipped = [
      ...waiting,
      ...met.skipped.map(({ row }) => row),
      ...unsent.map(({ email }) => ({ email, reason: UNSENT })),
      ...unread.map(({ id: unreadId }) => ({ email: "", reason: `document ${unreadId}: ${UNREAD}` })),
    ];
    const signedIds = [...signedBefore, ...bodies.filter(allSigned).map(body => body.id)];
    const about: Values = { ...(listed === undefined && only !== undefined ? { documentId: only.id } : {}), signedIds };
    const timesSent = interval ? { timesSent: { ...after.timesSent } } : {};
    const outputs = outputsOf({ ...about, ...timesSent }, after, { ...plan, skipped }, round, origin);
    const missed = [
      ...failures,
      ...unread.map(({ id: unreadId, why: reason }) => `document ${unreadId}: ${UNREAD}: ${reason}`),
    ];
    if (missed.length === 0) {
      if (plan.remind.length === 0) call.log.info(`reminded nobody of ${title}${reasons(plan, call)}`);
      return outputs;
    }
    throw new PartialFailure(id, outputs, inputs, [...missed, GO_ON]);
  }

  /** All reminders of these documents' people. */
  async #remembered(call: Call, scope: Scope, bodies: readonly DocumentBody[]): Promise<readonly Reminded[]> {
    const { journal } = previewing(this.context, call);
    const ids = bodies.flatMap(({ invitations }) => invitations.map(({ id }) => id));
    await journal.refresh();
    return journal.reminded(scope, ids);
  }
}

/** People a preview names, and those it says why they aren't reminded. */
const MOST_NAMED = 20;

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

const idOf = (inputs: Values): string => {
  const listed = listedIn(inputs);
  return listed === undefined ? String(inputs["documentId"]) : idOfSeveral(listed);
};

const titleOf = ({ documentId, documentIds }: Values): string =>
  typeof documentId === "string"
    ? `document ${documentId}`
    : Array.isArray(documentIds)
      ? counted(documentIds.length, "document")
      : "the documents of the reminder";

const signedIn = (olds: Values | undefined): string[] =>
  Array.isArray(olds?.["signedIds"]) ? olds["signedIds"].map(String) : [];

const INTERVAL_INPUTS = ["every", "until", "businessDays", "timeZone"] as const;

/** What is wrong with when people are reminded, beyond the types. */
function intervalFailures(inputs: Values): Failure[] {
  const given = (name: string) => inputs[name] !== undefined && inputs[name] !== null;
  const stray = INTERVAL_INPUTS.filter(name => name !== "every" && given(name));
  if (given("every"))
    return given("triggers") ? [{ property: "", reason: "every: expected either every or triggers, got both" }] : [];
  if (stray.length === 0) return [];
  return [
    {
      property: "",
      reason: `${stray.join(", ")}: expected every beside ${stray.length === 1 ? "it" : "them"}, got none`,
    },
  ];
}

const UNSENT = "the reminder couldn't be sent";
/** Of a document, whoever is invited to it. */
const UNREAD = "couldn't be read, so nobody was reminded of it";
const GO_ON = "Run `pulumi up` again: whoever was reminded isn't reminded again.";

const skippedIn = ({ skipped }: Values): Values[] => (Array.isArray(skipped) ? skipped.filter(isRecord) : []);

const isUnsent = ({ reason }: Values): boolean => reason === UNSENT || String(reason).endsWith(UNREAD);

const unsentIn = (outputs: Values): boolean => skippedIn(outputs).some(isUnsent);

/** Triggers by what they mean: keys in any order. */
function roundOf(triggers: Value | undefined): string {
  const text = sortedJson(triggers ?? null, value => {
    if (isUnknown(value)) return "";
    return value instanceof Asset || value instanceof Archive ? { hash: value.hash } : value;
  });
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** Says at preview who will be mailed and why, and why the others won't. */
function announce(call: Call, title: string, { remind, skipped }: ReminderPlan, why: string): void {
  const addresses = addressesIn(remind);
  const rest = addresses.length - MOST_NAMED;
  const people = `${named(addresses.slice(0, MOST_NAMED), call)}${rest > 0 ? ` and ${rest} more` : ""}`;
  call.log.info(
    remind.length === 0
      ? `will remind nobody of ${title}${reasons({ remind, skipped }, call)}`
      : `will mail ${people}: a reminder of ${title} (${why})${reasons({ remind, skipped }, call)}`,
    { ...mailsTo(remind.map(({ email }) => email)), to: call.secrets.has("signers") ? [] : addresses },
  );
}

const reasons = ({ skipped }: ReminderPlan, call: Call): string =>
  skipped
    .slice(0, MOST_NAMED)
    .map(({ email, reason }) => `\n  not ${named([email], call)}: ${reason}`)
    .concat(skipped.length > MOST_NAMED ? [`\n  and ${skipped.length - MOST_NAMED} more aren't reminded`] : [])
    .join("");

const outputsOf = (about: Values, history: History, plan: ReminderPlan, round: string, service: string): Values =>
  ({
    ...about,
    sent: [...history.sent],
    skipped: [...plan.skipped],
    lastSentAt: { ...history.lastSentAt },
    round,
    service,
  }) as Values;

function unknownOutputs(inputs: Values, service: string): Values {
  const outputs: Values = Object.fromEntries(Object.keys(reminderOutputs.shape).map(name => [name, UNKNOWN]));
  return { ...outputs, documentId: inputs["documentId"] ?? UNKNOWN, service };
}
