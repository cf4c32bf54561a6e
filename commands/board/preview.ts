import { z } from "zod";
import { own } from "../../kit/records.js";
import { addressOf } from "../../provider/core/same.js";
import {
  type Facts,
  factsOfRun,
  kindOf,
  mailsIn,
  type Notice,
  peopleIn,
  typeOf,
  wordsIn,
} from "../../provider/schema/facts.js";
import { isLastWord, withoutPrefix } from "../engine-words.js";
import { jsonObject, stackNamed } from "./state.js";

const stateSchema = z.looseObject({ inputs: jsonObject.optional(), outputs: jsonObject.optional() });
const stepSchema = z.looseObject({
  op: z.string(),
  urn: z.string(),
  oldState: stateSchema.nullish(),
  newState: stateSchema.nullish(),
});
/** What this reads of `pulumi preview --json`. */
export const previewSchema = z.looseObject({
  steps: z.array(stepSchema),
  diagnostics: z
    .array(z.looseObject({ urn: z.string().optional(), message: z.string(), severity: z.string() }))
    .nullish(),
  changeSummary: z.record(z.string(), z.number()).nullish(),
});

/** What a merge would do to contracts, read off `pulumi preview --json`. */
export type Plan = Readonly<ReturnType<typeof readPreview>>;
export type PlannedMail = ReturnType<typeof plannedMail>[number];
export type Refused = Plan["refused"][number];

export const isPreview = (value: unknown): boolean => previewSchema.safeParse(value).success;

export function readPreview(value: unknown) {
  const { steps, diagnostics, changeSummary } = previewSchema.parse(value);
  const notices = diagnostics ?? [];
  const run = factsOfRun(steps, notices);
  const contracts = steps.filter(({ urn }) => ["Document", "DocumentSet"].includes(kindOf(typeOf(urn)) ?? ""));
  const errors = notices.filter(({ severity }) => severity === "error");
  const isRefusal = ({ urn = "" }: { urn?: string | undefined }) => {
    const { refused = 0, unclear = 0 } = run.resources.get(urn) ?? {};
    return refused + unclear > 0;
  };
  // A set with other rows to do warns of those that can't be sent, by their causes.
  const isWarning = ({ urn = "", message, severity }: Notice) =>
    severity === "warning" &&
    isRefusal({ urn }) &&
    run.resources.get(urn)?.causes?.some(cause => firstLine(message).endsWith(`[docsign/${cause}]`));
  const inputs = new Map(steps.map(({ urn, newState }) => [urn, newState?.inputs ?? {}]));
  const mails = [...run.resources].flatMap(([urn, facts]) => plannedMail(urn, facts, inputs.get(urn) ?? {}));
  const sames = contracts.filter(({ op }) => op === "same");
  const gone = contracts.filter(({ op }) => op === "delete");
  const { replaces = 0, takesBack = 0, unclear = 0, letsGo = 0, refused = 0 } = run.all;
  const failures = errors.filter(one => !isRefusal(one)).map(({ message }) => firstLine(message));
  return {
    stack: stackNamed(steps[0]?.urn ?? notices.find(({ urn }) => urn)?.urn) ?? "the stack",
    /** People who would be mailed, each once by address; undefined where something isn't known yet. */
    people: mailsIn(run) === undefined ? undefined : peopleOf(mails),
    /** The same without resources of which something isn't known yet. */
    known: peopleOf(mails.filter(({ count }) => count !== undefined)),
    /** Whether some of them may be the same: several resources mail more people than they name. */
    mayOverlap: mails.length > 1 && mails.some(({ count = 0, people }) => count > people.length),
    /** Resources that would mail, and what each would do. */
    mails,
    /** Resources that may mail somebody, and of which the provider said nothing. */
    silent: run.silent.map(nameOf),
    /** Resources with contracts that a change would touch, and that are left alone because somebody has signed, say. */
    refused: notices
      .filter(one => isWarning(one) || (one.severity === "error" && isRefusal(one)))
      .map(({ urn = "", message }) => ({
        resource: nameOf(urn),
        /** The provider's reason. */
        reason: firstLine(message),
        signedBy: run.resources.get(urn)?.signed ?? [],
      })),
    /** Contracts that may not be sent or replaced. */
    refusals: refused,
    /** The preview ends at an error. */
    isCut: errors.length > 0,
    /** Other errors of the preview. The engine ends what they have stopped with one that says nothing more. */
    failures: errors.length > 1 ? failures.filter(one => !isLastWord(one)) : failures,
    /** Contracts sent in place of others, which stay alive at the service. */
    replaced: replaces,
    /** Contracts that are at the service already, and that nobody is mailed about. */
    takenBack: takesBack,
    /** Contracts of which it isn't known whether they were sent before. */
    unclear,
    /** Contracts that stay as they are; undefined where the preview doesn't list them (`--show-sames` does). */
    unchanged: sames.length > 0 || (changeSummary?.["same"] ?? 0) === 0 ? contractsIn(sames) : undefined,
    /** Contracts that the stack lets go of. They stay at the service. */
    forgotten: contractsIn(gone) + letsGo,
  };
}

const KINDS = { Document: "document", DocumentSet: "set", Reminder: "reminder" } as const;

function plannedMail(urn: string, facts: Facts, inputs: Readonly<Record<string, unknown>>) {
  const { mails, undecided = 0, sends = 0, replaces = 0, to = [] } = facts;
  const kind = own<"document" | "set" | "reminder">(KINDS, kindOf(typeOf(urn)) ?? "");
  if (kind === undefined || (mails ?? 0) + undecided === 0) return [];
  const resource = nameOf(urn);
  return [
    {
      resource,
      name: kind === "document" && typeof inputs["name"] === "string" ? inputs["name"] : resource,
      kind,
      /** Contracts sent for the first time, and those sent in place of others. */
      ...{ sends, replaces },
      /** How many people; undefined where that isn't known yet. */
      count: undecided > 0 ? undefined : peopleIn(facts),
      /** Those whose addresses are known, of a set the first few. */
      people: [...new Set<string>((kind === "document" ? invited(inputs) : to).map(addressOf))],
    },
  ];
}

const invitationsSchema = z.array(z.looseObject({ email: z.string() }));

/** Nobody where the program keeps them secret, or they aren't known yet. */
const invited = ({ invitations }: Readonly<Record<string, unknown>>): string[] =>
  (invitationsSchema.safeParse(invitations).data ?? []).map(({ email }) => email);

/** Each once where the addresses are known. */
function peopleOf(mails: readonly PlannedMail[]): number {
  const known = new Set(mails.flatMap(({ people }) => people));
  return mails.reduce((sum, { count = 0, people }) => sum + Math.max(0, count - people.length), known.size);
}

/** Of a set as many as it has documents in state. */
function contractsIn(steps: readonly z.infer<typeof stepSchema>[]): number {
  return steps.reduce((sum, { urn, oldState, newState }) => {
    const documents = (oldState ?? newState)?.outputs?.["documents"];
    const isSet = kindOf(typeOf(urn)) === "DocumentSet" && typeof documents === "object" && documents !== null;
    return sum + (isSet ? Object.keys(documents).length : 1);
  }, 0);
}

const firstLine = (message: string): string => withoutPrefix(wordsIn(message).split("\n")[0] ?? "");

/** The name in the program. */
export const nameOf = (urn: string): string => urn.split("::").slice(3).join("::");
