import * as pulumi from "@pulumi/pulumi";
import type { ReminderOutputs } from "../provider/resources/reminder/declaration.js";
import { dynamicTypeOf } from "./front-end.js";
import { briefTraces, isOfKind, optionsOf, outputNames, propsOf } from "./inputs.js";
import type { SentReminder, SkippedReminder } from "./types.js";

export interface ReminderArgs {
  /**
   * Id of the document to remind people of, such as `nda.documentId`. Another one is a new reminder. Give either this or
   * `documentIds`.
   */
  documentId?: pulumi.Input<string | number>;
  /**
   * Ids of several documents to remind people of, such as all contracts of a set. Another list is gone through in place;
   * nobody is reminded twice.
   */
  documentIds?: pulumi.Input<pulumi.Input<string | number>[]>;
  /** Who may be reminded, by e-mail address. Left out, everyone who hasn't signed. */
  signers?: pulumi.Input<pulumi.Input<string>[]>;
  /**
   * Any value: each time it changes, each person is reminded once, also where it takes on an earlier value again. To
   * remind by the calendar give `every` instead.
   */
  triggers?: unknown;
  /**
   * How often to remind a person, such as `"7d"`: counted from their last reminder and from their invitation, by the
   * service's clock. Whole days are days of the calendar in `timeZone`: who was reminded on a Monday is due from the start
   * of the next Monday on. `minInterval` doesn't count then.
   */
  every?: pulumi.Input<string | number>;
  /**
   * How long `every` goes on: the last day, such as `"2027-03-01"`, or how many times each person is reminded, such as `3`.
   * Left out, until they have signed.
   */
  until?: pulumi.Input<string | number | undefined>;
  /** Whether `every` leaves people in peace on Saturdays and Sundays: who is due then is reminded from Monday on. Default: `false`. */
  businessDays?: pulumi.Input<boolean>;
  /** Whose days `every`, `until` and `businessDays` count, such as `"America/Mexico_City"`. Default: `UTC`. */
  timeZone?: pulumi.Input<string>;
  /**
   * How long to leave a person in peace after their last reminder, and after their invitation: a duration such as `"12h"` or
   * `"7d"`, a bare number is seconds. `"0s"` reminds at once. Default: `24h`.
   */
  minInterval?: pulumi.Input<string | number>;
}

/** Outputs of a {@link Reminder}. */
const OUTPUTS = outputNames<ReminderOutputs, Reminder>({
  documentId: true,
  signedIds: true,
  sent: true,
  skipped: true,
  lastSentAt: true,
  timesSent: true,
  round: true,
  service: true,
});

/**
 * Reminds the people who haven't signed a document yet.
 *
 * Creating a reminder, or changing its `triggers`, mails everyone who hasn't signed and whose turn it is: in a document signed
 * in stages, only the current stage. Nobody is mailed within `minInterval` of their invitation or of their last reminder,
 * more than once for the same `triggers`, or in a preview, which says who would be. For whom it was only too soon, the
 * reminder stays due: the first `pulumi up` after that reminds them. A reminder that was sent is never sent again, also when
 * its answer was lost. With nothing changed and nobody due, `pulumi up` asks the service nothing.
 *
 * With `every` a person is due again and again: whether they are is decided from what was sent, by the service's clock, so
 * that a preview and an `up` agree, and any number of `up`s in an interval send one reminder.
 *
 * Deleting the resource forgets it: a sent mail can't be taken back.
 *
 * @example
 * ```ts
 * new docsign.Reminder("weekly", {
 *   documentId: nda.documentId,
 *   every: "7d",
 * });
 * ```
 */
export class Reminder extends pulumi.CustomResource {
  /** Id of the document. Not there with `documentIds`. */
  declare readonly documentId: pulumi.Output<string | undefined>;
  /** Documents that everyone had signed. Of `documentIds`, these aren't read again. */
  declare readonly signedIds: pulumi.Output<string[]>;
  /** Who was reminded for the present `triggers`; with `every`, each person's last reminder. Secret where `signers` are. */
  declare readonly sent: pulumi.Output<SentReminder[]>;
  /** Who wasn't, and why. Secret where `signers` are. */
  declare readonly skipped: pulumi.Output<SkippedReminder[]>;
  /** When each invitation was last reminded by this resource, by invitation id: `minInterval` and `every` count from there. */
  declare readonly lastSentAt: pulumi.Output<Record<string, string>>;
  /** How often each invitation was reminded by this resource, by invitation id. Only with `every`. */
  declare readonly timesSent: pulumi.Output<Record<string, number> | undefined>;
  /** Hash of the `triggers` that `sent` belongs to. Secret where `triggers` are. */
  declare readonly round: pulumi.Output<string>;
  /** Origin of the service that holds the document. */
  declare readonly service: pulumi.Output<string>;

  /**
   * @param name - Name of the resource in the program. It must be unique in the stack.
   * @param args - Which document, whom to remind, and when again.
   * @param opts - Pulumi's resource options. A reminder can't be imported or read with `get`: the service doesn't say whom
   *   it reminded.
   */
  constructor(name: string, args: ReminderArgs, opts: pulumi.CustomResourceOptions = {}) {
    if (opts.import !== undefined || opts.id !== undefined) {
      throw new pulumi.RunError(
        `pulumi-docsign: the reminder "${name}" can't be imported: the service doesn't say whom it reminded. Declare it; \`minInterval\` still counts from the invitation.`,
      );
    }
    const back = briefTraces();
    try {
      const props = propsOf("Reminder", name, args ?? {}, OUTPUTS, opts);
      super(dynamicTypeOf("Reminder"), name, props, optionsOf("Reminder", opts));
    } finally {
      back();
    }
  }

  /** Whether this is a Reminder, also where the SDK is loaded twice. */
  static override isInstance(value: unknown): value is Reminder {
    return isOfKind("Reminder", value);
  }
}
