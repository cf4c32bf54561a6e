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
import { jsonObject, objectIn, SECRET_MARK, stackNamed } from "./state.js";

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

/** How `pulumi preview --json` writes what it doesn't show, and what isn't known before the deployment. */
export const SECRET = "[secret]";
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** With `--show-secrets` the value stands behind the mark; it isn't read. */
export const isHidden = (value: unknown): boolean =>
  value === SECRET || value === UNKNOWN || Object.hasOwn(objectIn(value), SECRET_MARK);

/** What a merge would do to contracts, read off `pulumi preview --json`. */
export interface Plan {
  readonly stack: string;
  /** People who would be mailed, each once by address; undefined where something isn't known yet. */
  readonly people: number | undefined;
  /** The same without resources of which something isn't known yet. */
  readonly known: number;
  /** Whether some of them may be the same: several resources mail more people than they name. */
  readonly mayOverlap: boolean;
  /** Resources that would mail, and what each would do. */
  readonly mails: readonly PlannedMail[];
  /** Resources that may mail somebody, and of which the provider said nothing. */
  readonly silent: readonly string[];
  /** Resources with contracts that a change would touch, and that are left alone because somebody has signed, say. */
  readonly refused: readonly Refused[];
  /** Contracts that may not be sent or replaced. */
  readonly refusals: number;
  /** Other errors of the preview, first lines only. */
  readonly failures: readonly string[];
  /** The preview ends at an error. */
  readonly isCut: boolean;
  /** Contracts sent in place of others, which stay alive at the service. */
  readonly replaced: number;
  /** Contracts that are at the service already, and that nobody is mailed about. */
  readonly takenBack: number;
  /** Contracts of which it isn't known whether they were sent before. */
  readonly unclear: number;
  /** Contracts that stay as they are; undefined where the preview doesn't list them (`--show-sames` does). */
  readonly unchanged: number | undefined;
  /** Contracts that the stack lets go of. They stay at the service. */
  readonly forgotten: number;
}

export interface PlannedMail {
  readonly resource: string;
  readonly name: string;
  readonly kind: "document" | "set" | "reminder";
  /** Contracts sent for the first time, and those sent in place of others. */
  readonly sends: number;
  readonly replaces: number;
  /** How many people; undefined where that isn't known yet. */
  readonly count: number | undefined;
  /** Those whose addresses are known, of a set the first few. */
  readonly people: readonly string[];
}

export interface Refused {
  readonly resource: string;
  /** The provider's reason: its first line. */
  readonly reason: string;
  readonly signedBy: readonly string[];
}

export const isPreview = (value: unknown): boolean => previewSchema.safeParse(value).success;

export function readPreview(value: unknown): Plan {
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
    people: mailsIn(run) === undefined ? undefined : peopleOf(mails),
    known: peopleOf(mails.filter(({ count }) => count !== undefined)),
    mayOverlap: mails.length > 1 && mails.some(({ count = 0, people }) => count > people.length),
    mails,
    silent: run.silent.map(nameOf),
    refused: notices
      .filter(one => isWarning(one) || (one.severity === "error" && isRefusal(one)))
      .map(({ urn = "", message }) => ({
        resource: nameOf(urn),
        reason: firstLine(message),
        signedBy: run.resources.get(urn)?.signed ?? [],
      })),
    refusals: refused,
    isCut: errors.length > 0,
    failures: errors.length > 1 ? failures.filter(one => !isLastWord(one)) : failures,
    replaced: replaces,
    takenBack: takesBack,
    unclear,
    unchanged: sames.length > 0 || (changeSummary?.["same"] ?? 0) === 0 ? contractsIn(sames) : undefined,
    forgotten: contractsIn(gone) + letsGo,
  };
}

const KINDS = { Document: "document", DocumentSet: "set", Reminder: "reminder" } as const;

function plannedMail(urn: string, facts: Facts, inputs: Readonly<Record<string, unknown>>): PlannedMail[] {
  const { mails, undecided = 0, sends = 0, replaces = 0, to = [] } = facts;
  const kind = own<"document" | "set" | "reminder">(KINDS, kindOf(typeOf(urn)) ?? "");
  if (kind === undefined || (mails ?? 0) + undecided === 0) return [];
  const resource = nameOf(urn);
  const { name } = inputs;
  return [
    {
      resource,
      name: kind === "document" && typeof name === "string" && !isHidden(name) ? name : resource,
      kind,
      ...{ sends, replaces },
      count: undecided > 0 ? undefined : peopleIn(facts),
      people: [...new Set<string>((kind === "document" ? invited(inputs) : to).map(addressOf))],
    },
  ];
}

const invitationsSchema = z.array(z.looseObject({ email: z.string() }));

/** Without those whom the program keeps secret, or who aren't known yet. */
const invited = ({ invitations }: Readonly<Record<string, unknown>>): string[] =>
  (invitationsSchema.safeParse(invitations).data ?? []).flatMap(({ email }) => (isHidden(email) ? [] : [email]));

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
