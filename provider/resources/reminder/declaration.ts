import { createHash } from "node:crypto";
import { z } from "zod";
import type { Stored } from "../../../kit/check.js";
import { property } from "../../../kit/property.js";
import { Archive, Asset, hasUnknown } from "../../../kit/values.js";
import { DAY_MS, dayAfter, isDay } from "../../core/clock.js";
import { sortedJson } from "../../core/same.js";
import {
  duration,
  emailAddress,
  idInput,
  maybeText,
  millisecondsOf,
  parseDuration,
  text,
  texts,
} from "../../schema/types.js";
import { idsInAnyOrder, inAnyOrder } from "../signature-gate/declaration.js";

// ---- Intervals ----

/** When people are reminded again, as the inputs say it. */
export interface Interval {
  readonly everyMs: number;
  /** How often at most. */
  readonly times: number | undefined;
  /** From when on nobody is reminded any more. */
  readonly endsAt: number | undefined;
  /** `until`, as it was given. */
  readonly until: string;
  readonly businessDays: boolean;
  readonly timeZone: string;
}

const TIMES = /^[1-9]\d{0,3}$/;

/** Undefined without `every`. */
export function intervalIn(inputs: Partial<ReminderInputs>): Interval | undefined {
  const { every, until = "", businessDays = false, timeZone = "UTC" } = inputs;
  if (every === undefined) return undefined;
  const end = String(until);
  return {
    everyMs: millisecondsOf(every),
    times: TIMES.test(end) ? Number(end) : undefined,
    endsAt: isDay(end) ? startOfDay(dayAfter(end, 1), timeZone) : undefined,
    until: end,
    businessDays,
    timeZone,
  };
}

/** A day that there is, or how many times. */
const isUntil = (given: string): boolean => TIMES.test(given) || isDay(given);

function isTimeZone(given: string): boolean {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: given }) !== undefined;
  } catch {
    return false;
  }
}

/**
 * When somebody is due who was mailed last at `last`: `now`, or later. Whole days are days of the calendar: who was reminded
 * on a Monday at noon is due from the first minute of the next Monday on, or runs at other times of day would fall behind.
 */
export function dueAfter(last: number, now: number, interval: Interval): number {
  const { everyMs, timeZone } = interval;
  const due =
    everyMs % DAY_MS === 0 ? startOfDay(dayAfter(dayAt(last, timeZone), everyMs / DAY_MS), timeZone) : last + everyMs;
  return onBusinessDay(Math.max(due, now), interval);
}

/** That moment, or the start of the Monday after it. */
function onBusinessDay(moment: number, { businessDays, timeZone }: Interval): number {
  const day = dayAt(moment, timeZone);
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  if (!businessDays || (weekday !== 0 && weekday !== 6)) return moment;
  return startOfDay(dayAfter(day, weekday === 6 ? 2 : 1), timeZone);
}

/** The calendar's day at a moment, as `2027-01-31`. */
function dayAt(moment: number, timeZone: string): string {
  const { year = "", month = "", day = "" } = partsAt(moment, timeZone);
  return `${year.padStart(4, "0")}-${month}-${day}`;
}

/** The first moment of a day: clocks that are put forward at midnight have none at 00:00. */
function startOfDay(day: string, timeZone: string): number {
  const utc = Date.parse(`${day}T00:00:00Z`);
  const candidates = [utc - DAY_MS, utc + DAY_MS].map(near => utc - offsetAt(near, timeZone)).sort((a, b) => a - b);
  return candidates.find(each => dayAt(each, timeZone) === day) ?? utc;
}

/** How far a time zone is ahead of UTC. */
function offsetAt(moment: number, timeZone: string): number {
  const { year, month, day, hour, minute, second } = partsAt(moment, timeZone);
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)) - moment;
}

function partsAt(moment: number, timeZone: string): Readonly<Record<string, string>> {
  const parts = formatFor(timeZone).formatToParts(Math.floor(moment / 1000) * 1000);
  return Object.fromEntries(parts.map(({ type, value }) => [type, value]));
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatFor(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const two = "2-digit" as const;
  const format = new Intl.DateTimeFormat("en-US-u-ca-gregory-nu-latn", {
    ...{ timeZone, hourCycle: "h23", year: "numeric", month: two, day: two, hour: two, minute: two, second: two },
  });
  formats.set(timeZone, format);
  return format;
}

// ---- Inputs and outputs ----

const SHORTEST_MS = 3_600_000;
const UNTIL = "a day such as 2027-03-01, or a number of times from 1 to 9999";
const ZONE = "the name of a time zone such as America/Mexico_City";

/** Triggers by what they mean: keys in any order. */
export function roundOf(triggers: unknown): string {
  // What isn't known yet is a round of its own: somebody may be reminded.
  if (hasUnknown(triggers)) return "unknown";
  const text = sortedJson(triggers ?? null, value =>
    value instanceof Asset || value instanceof Archive ? { hash: value.hash } : value,
  );
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

export const reminderInputs = z.object({
  documentId: property(idInput("a document's id").optional(), {
    description: "Id of the document to remind people of. Give either this or `documentIds`.",
    replaces: true,
  }),
  documentIds: property(z.array(idInput("a document's id"), { error: "a list of documents' ids" }).optional(), {
    description:
      "Ids of several documents to remind people of, such as all contracts of a set. Another list is gone through in place; nobody is reminded twice.",
    compareBy: idsInAnyOrder,
  }),
  signers: property(z.array(emailAddress, { error: "a list of e-mail addresses" }).optional(), {
    description: "Who may be reminded, by e-mail address. Left out, everyone who hasn't signed.",
    compareBy: inAnyOrder,
  }),
  triggers: property(z.unknown().optional(), {
    description:
      "Any value: each time it changes, each person is reminded once, also where it takes on an earlier value again. To remind by the calendar give `every` instead.",
    compareBy: roundOf,
  }),
  every: property(
    duration("how often to remind a person")
      .refine(given => (parseDuration(given) ?? SHORTEST_MS) >= SHORTEST_MS, { error: "an hour at least" })
      .optional(),
    {
      description:
        "How often to remind a person, such as `7d`: counted from their last reminder and from their invitation, by the service's clock. Whole days are days of the calendar in `timeZone`: who was reminded on a Monday is due from the start of the next Monday on. `minInterval` doesn't count then.",
      compareBy: every => (every === undefined ? null : millisecondsOf(every)),
    },
  ),
  until: property(
    z
      .union([z.string({ error: UNTIL }), z.number({ error: UNTIL })], { error: UNTIL })
      .refine(given => isUntil(String(given)), { error: UNTIL })
      .optional(),
    {
      description:
        "How long `every` goes on: the last day, such as `2027-03-01`, or how many times each person is reminded, such as `3`. Left out, until they have signed.",
      compareBy: until => (until === undefined ? null : String(until)),
    },
  ),
  businessDays: property(z.boolean({ error: "true or false" }).optional(), {
    description:
      "Whether `every` leaves people in peace on Saturdays and Sundays: who is due then is reminded from Monday on (default `false`).",
    compareBy: (businessDays = false) => businessDays,
  }),
  timeZone: property(z.string({ error: ZONE }).refine(isTimeZone, { error: ZONE }).optional(), {
    description: "Whose days `every`, `until` and `businessDays` count, such as `America/Mexico_City` (default `UTC`).",
    compareBy: (timeZone = "UTC") => timeZone,
  }),
  minInterval: property(duration("how long to leave a person in peace").default("24h"), {
    description:
      "How long to leave a person in peace after their last reminder, and after their invitation. `0s` reminds at once. A bare number is seconds.",
    compareBy: millisecondsOf,
  }),
});

const sent = property(
  z.object({
    email: text("Address of the person reminded."),
    invitationId: text("Id of their invitation."),
    at: text("When the reminder was sent, by the service's clock."),
    outcome: text(
      "`sent`, or `unknown` where the service's answer was lost: the reminder counts as sent all the same, and isn't sent again.",
    ),
  }),
  { description: "A person who was reminded.", typeName: "SentReminder" },
);

const skipped = property(
  z.object({
    email: text("Address of the person."),
    reason: text("Why they weren't reminded."),
    dueAt: maybeText(
      "From when on they may be reminded, where it was only too soon: the first `pulumi up` after that reminds them.",
    ),
  }),
  { description: "A person who wasn't reminded.", typeName: "SkippedReminder" },
);

export const reminderOutputs = z.object({
  documentId: maybeText("Id of the document. Not there with `documentIds`."),
  signedIds: texts("Documents that everyone had signed. Of `documentIds`, these aren't read again."),
  sent: property(z.array(sent), {
    description: "Who was reminded for the present `triggers`; with `every`, each person's last reminder.",
    derivedFrom: ["signers"],
  }),
  skipped: property(z.array(skipped), { description: "Who wasn't, and why.", derivedFrom: ["signers"] }),
  lastSentAt: property(z.record(z.string(), z.string()), {
    description:
      "When each invitation was last reminded by this resource, by invitation id: `minInterval` and `every` count from there.",
  }),
  timesSent: property(z.record(z.string(), z.number().int()).optional(), {
    description: "How often each invitation was reminded by this resource, by invitation id. Only with `every`.",
  }),
  round: property(z.string(), {
    description: "Hash of the `triggers` that `sent` belongs to.",
    derivedFrom: ["triggers"],
  }),
  service: text("Origin of the service that holds the document."),
});

export type ReminderInputs = z.infer<typeof reminderInputs>;
export type ReminderOutputs = z.infer<typeof reminderOutputs>;
/** Outputs as state has them. */
export type ReminderState = Stored<ReminderOutputs>;
export type SentReminder = z.infer<typeof sent>;
export type SkippedReminder = z.infer<typeof skipped>;

export const reminderDeclaration = {
  token: "docsign:index:Reminder",
  description: `Reminds the people who haven't signed a document yet.

Creating a reminder, or changing its \`triggers\`, mails everyone who hasn't signed and whose turn it is: in a document signed in
stages, only the current stage. Nobody is mailed within \`minInterval\` of their invitation or of their last reminder, more than once for
the same \`triggers\`, or in a preview, which says who would be. For whom it was only too soon, the reminder stays due: the first
\`pulumi up\` after that reminds them. A reminder that was sent is never sent again, also when its answer was lost. With nothing
changed and nobody due, \`pulumi up\` asks the service nothing.

With \`every\` a person is due again and again: whether they are is decided from what was sent, by the service's clock, so that a
preview and an \`up\` agree, and any number of \`up\`s in an interval send one reminder.

Deleting the resource forgets it: a sent mail can't be taken back.`,
  inputs: reminderInputs,
  outputs: reminderOutputs,
};
