import {
  AmbiguousWriteError,
  CancelledError,
  LoginError,
  ServiceError,
  UnauthorizedError,
} from "../../client/errors.js";
import type { Context } from "../context.js";
import type { SignerRow } from "../document/declaration.js";
import type { Scope } from "../journal/contract.js";
import type { RememberedReminder } from "../journal/entry.js";
import type { Call } from "../resource.js";
import { serviceNow } from "../signature-gate/asking.js";
import { named } from "../signature-gate/chosen-signers.js";
import type { SentReminder } from "./declaration.js";

export interface Sending {
  readonly sent: readonly SentReminder[];
  /** Why people who should have been reminded weren't, one line each. */
  readonly failures: readonly string[];
}

export interface SentBefore {
  readonly scope: Scope;
  /** The triggers that these reminders go out for. */
  readonly round: string;
  readonly remembered: readonly RememberedReminder[];
}

/**
 * Reminds one person after the other, each once: what is about to go out is on disk before it does, and an answer
 * that was lost counts as a yes. One person's failure doesn't keep the others from being reminded.
 */
export async function sendReminders(
  context: Context,
  call: Call,
  { scope, round, remembered: earlier }: SentBefore,
  people: readonly SignerRow[],
): Promise<Sending> {
  const sent: SentReminder[] = [];
  const failures: string[] = [];
  const remembered = new Map(earlier.map(row => [row.invitationId, row]));
  let given: string | undefined;

  for (const { email, invitationId } of people) {
    const who = named([email], call);
    if (call.signal.aborted) given ??= "cancelled before it was sent";
    if (given !== undefined) {
      failures.push(`${who} wasn't reminded: ${given}`);
      continue;
    }
    const at = serviceNow(context).toISOString();
    const about = (result: RememberedReminder["outcome"]) => ({ invitationId, round, at, outcome: result });
    try {
      await context.journal.remind(scope, about("unknown"));
    } catch (error) {
      failures.push(`${who} wasn't reminded: this machine can't remember that it is. ${messageOf(error)}`);
      continue;
    }
    const outcome = await once(context, call, invitationId);
    // What is on disk already errs on the side of not mailing.
    if (outcome.kind === "not sent") {
      await context.journal.unremind(scope, invitationId, remembered.get(invitationId)).catch(() => undefined);
      failures.push(`${who} wasn't reminded: ${outcome.why}`);
      if (outcome.forAll) given = "nobody else was tried";
    } else {
      sent.push({ email, invitationId, at, outcome: outcome.kind });
      await context.journal.remind(scope, about(outcome.kind)).catch(() => undefined);
      if (outcome.kind === "unknown") {
        call.log.warn(
          `it isn't known whether the reminder for ${who} went out. It counts as sent, and isn't sent again. ${outcome.why}`,
        );
      }
    }
  }
  return { sent, failures };
}

type Outcome =
  | { readonly kind: "sent" }
  | { readonly kind: "unknown"; readonly why: string }
  | { readonly kind: "not sent"; readonly why: string; readonly forAll: boolean };

async function once(context: Context, call: Call, invitationId: string): Promise<Outcome> {
  try {
    await context.service().remind(invitationId, { signal: call.signal });
    return { kind: "sent" };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error instanceof AmbiguousWriteError) return { kind: "unknown", why: error.detail };
    if (error instanceof CancelledError && error.sent) return { kind: "unknown", why: error.message };
    const forAll = error instanceof UnauthorizedError || error instanceof LoginError;
    return { kind: "not sent", why: error.message, forAll };
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
