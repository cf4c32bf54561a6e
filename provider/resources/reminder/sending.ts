import { CancelledError, LoginError, ServiceError, UnauthorizedError } from "../../client/errors.js";
import type { Turn } from "../../client/service.js";
import { sendAtMostOnce } from "../at-most-once.js";
import type { Context } from "../context.js";
import type { SignerRow } from "../document/declaration.js";
import type { Scope } from "../journal/contract.js";
import { JournalUnavailableError } from "../journal/log.js";
import type { Call } from "../resource.js";
import { serviceNow } from "../signature-gate/asking.js";
import { named } from "../signature-gate/chosen-signers.js";
import type { SentReminder, SkippedReminder } from "./declaration.js";

export interface Sending {
  readonly sent: readonly SentReminder[];
  /** Whom another run has reminded meanwhile. */
  readonly skipped: readonly { readonly invitationId: string; readonly row: SkippedReminder }[];
  /** Why people who should have been reminded weren't, one line each. */
  readonly failures: readonly string[];
}

/** What is to become of one person, by all that is known now. */
export type Decision =
  | {
      readonly kind: "remind" /** The tokens of their reminders that were considered. */;
      readonly knows: readonly string[];
    }
  | { readonly kind: "sent"; readonly row: SentReminder }
  | { readonly kind: "skip"; readonly row: SkippedReminder };

export interface Reminding {
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
export async function sendReminders(context: Context, call: Call, reminding: Reminding): Promise<Sending> {
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
