import { z } from "zod";
import type { Stored } from "../../../kit/check.js";
import type { Preview } from "../../../kit/define.js";
import { property } from "../../../kit/property.js";
import { isUnknown } from "../../../kit/values.js";
import { parseTimestamp } from "../../client/bodies.js";
import { isDay } from "../../core/clock.js";
import { addressOf } from "../../core/same.js";
import {
  day,
  duration,
  emailAddress,
  flag,
  idInput,
  isSpan,
  maybeFlag,
  maybeText,
  millisecondsOf,
  oneOf,
  parseDuration,
  span,
  text,
  texts,
} from "../../schema/types.js";
import { certificates } from "../document/declaration.js";
import { type Failure, UserError, unnamedFailure } from "../resource.js";

// ---- Deadlines ----

export const isDeadline = (given: string): boolean =>
  isDay(given) || parseTimestamp(given) !== undefined || isSpan(given);

/** When a gate stops waiting, in milliseconds: the end of that day, that moment, or so long after the document's creation. */
export function deadlineOf(
  given: string | undefined,
  { id, createdAt }: { readonly id: string; readonly createdAt: string | null },
): number | undefined {
  if (given === undefined) return undefined;
  if (isDay(given)) return endOfDay(given, createdAt);
  const moment = parseTimestamp(given);
  if (moment !== undefined) return moment;
  const created = parseTimestamp(createdAt);
  if (created !== undefined) return created + millisecondsOf(given);
  throw new UserError(
    `deadline: the service doesn't say when document ${id} was created; expected a date, got ${given}`,
  );
}

/** The last moment of a contract's last day, or of the time before it in which it isn't to be renewed yet. */
export function endOf(
  { expiresAt, renewBefore = "0s" }: Stored<GateInputs>,
  { createdAt }: { readonly createdAt: string | null },
): number | undefined {
  const end = expiresAt === undefined ? undefined : endOfDay(expiresAt, createdAt);
  return end === undefined ? undefined : end - millisecondsOf(renewBefore);
}

/** At the service's own offset, which its timestamps show. */
function endOfDay(day: string, createdAt: string | null): number | undefined {
  const [offset = "Z"] = /(?:Z|[+-]\d{2}:?\d{2})$/i.exec(createdAt?.trim() ?? "") ?? [];
  return parseTimestamp(`${day}T23:59:59.999${parseTimestamp(createdAt) === undefined ? "Z" : offset}`);
}

// ---- What is wrong between inputs ----

/** What is wrong with a gate's inputs beyond their types. */
export const gateFailures = (inputs: Preview<GateInputs>): Failure[] => [
  ...choiceFailures(inputs),
  ...minimumFailures(inputs),
  ...endFailures(inputs),
];

/** Of a gate and a reminder. */
export function choiceFailures(choice: { readonly documentId?: unknown; readonly documentIds?: unknown }): Failure[] {
  const { documentId, documentIds } = choice;
  if ((documentId === undefined) !== (documentIds === undefined)) return [];
  const got = documentId === undefined ? "neither" : "both";
  return [unnamedFailure(`documentId: expected either documentId or documentIds, got ${got}`)];
}

const failure = (property: string, reason: string): Failure[] => [
  { property, reason: `${property}: ${reason}`, saysProperty: true },
];

function minimumFailures({ documentIds, minimum }: Preview<GateInputs>): Failure[] {
  if (typeof minimum !== "number" || isUnknown(documentIds)) return [];
  if (!documentIds) return failure("minimum", "expected documentIds beside it, got none");
  const known = documentIds.filter(id => !isUnknown(id)).map(String);
  const most = new Set(known).size + documentIds.length - known.length;
  return most < minimum ? failure("minimum", `expected ${most} at most, as many as documentIds, got ${minimum}`) : [];
}

function endFailures({ until, expiresAt, renewBefore, documentId }: Preview<GateInputs>): Failure[] {
  if (until === "expiresAt" && expiresAt === undefined)
    return failure("expiresAt", "expected the contract's last day beside `until: expiresAt`, got none");
  if (until === "expiresAt" && documentId === undefined)
    return failure("documentId", "expected one document beside `until: expiresAt`, got `documentIds`");
  const extra = expiresAt !== undefined ? "expiresAt" : renewBefore !== undefined ? "renewBefore" : undefined;
  if (until === "expiresAt" || isUnknown(until) || extra === undefined) return [];
  return failure(extra, "expected `until: expiresAt` beside it, got another");
}

// ---- Inputs and outputs ----

const UNTIL = ["signed", "nom151", "blockchain", "all", "expiresAt"] as const;
const MODES = ["observe", "wait", "require"] as const;

/** How long `wait` waits where the program sets no `customTimeouts`. */
export const DEFAULT_WAIT_MS = 24 * 3_600_000;
const SHORTEST_POLL_MS = 1_000;

const DEADLINE =
  'a date such as "2027-03-01", a moment such as "2027-03-01T12:00:00Z", or a time after creation such as "30d"';

/** Addresses mean the same in any order and case, and twice is once. */
export const inAnyOrder = (addresses: readonly string[] | undefined) => idsInAnyOrder(addresses?.map(addressOf));
/** So do ids. */
export const idsInAnyOrder = (ids: readonly string[] | undefined) => (ids ? [...new Set(ids)].sort() : null);

export const gateInputs = z.object({
  documentId: property(idInput("a document's id").optional(), {
    description: "Id of the document to wait for. Give either this or `documentIds`.",
    replaces: true,
  }),
  documentIds: property(
    z
      .array(idInput("a document's id"), { error: "a list of documents' ids" })
      .min(1, { error: "at least one id: a gate in front of nothing would be open" })
      .optional(),
    {
      description:
        "Ids of several documents to wait for, all of them or `minimum` of them. Another list is looked at anew, in place.",
      compareBy: idsInAnyOrder,
    },
  ),
  minimum: property(
    z
      .number({ error: "how many of `documentIds` are enough, 1 at least" })
      .int({ error: "a whole number" })
      .min(1, { error: "1 at least" })
      .optional(),
    { description: "How many of `documentIds` are enough. Left out, all of them." },
  ),
  until: property(oneOf(UNTIL).default("signed"), {
    description:
      "What has to be there: `signed` (everyone has signed the latest version), `nom151` (the NOM151 certificate), `blockchain` (both blockchain certificates), `all` of it, or `expiresAt` (the contract's end, by the service's clock).",
    typeName: "GateCondition",
  }),
  expiresAt: property(day.optional(), {
    description:
      "With `until: expiresAt` and `documentId`: the last day of the contract, such as the document's own `expiresAt`. The gate opens once it is over, at the offset of the service's timestamps; `signers` given as well, those signatures count too.",
  }),
  renewBefore: property(span.optional(), {
    description:
      "How much sooner than after `expiresAt` the gate opens, such as `30d`: when the contract is to be renewed.",
  }),
  mode: property(oneOf(MODES).default("observe"), {
    description:
      "What happens while it isn't there: `observe` says so and goes on, `wait` waits up to `customTimeouts` (24 hours where none is set), `require` fails.",
    typeName: "GateMode",
  }),
  signers: property(
    z
      .array(emailAddress, { error: "a list of e-mail addresses" })
      .min(1, { error: "at least one address (left out, everyone's signature counts)" })
      .optional(),
    {
      description: "Whose signatures are waited for, by e-mail address. Left out, everyone's.",
      compareBy: inAnyOrder,
    },
  ),
  deadline: property(z.string({ error: DEADLINE }).refine(isDeadline, { error: DEADLINE }).optional(), {
    description:
      "Until when people have time: a date such as `2027-03-01` (its end, at the offset of the service's timestamps), a moment such as `2027-03-01T12:00:00Z`, or a time after the document's creation such as `30d`. Past it, a gate that isn't satisfied fails for good with `wait` and `require`, and says who is late. Left out, there is none.",
  }),
  pollInterval: property(
    duration("how long to wait before the service is asked again")
      .refine(given => (parseDuration(given) ?? SHORTEST_POLL_MS) >= SHORTEST_POLL_MS, { error: "a second at least" })
      .default("10s"),
    {
      description:
        "With `wait`, the pause between two questions to the service, a second at least, for as long as people act; after a quiet time a tenth of that time, up to five minutes. A bare number is seconds.",
      compareBy: millisecondsOf,
    },
  ),
});

export const gateOutputs = z.object({
  documentId: maybeText("Id of the document. Not there with `documentIds`, like `status` and the certificates."),
  satisfied: flag(
    "Whether what the gate waits for is there. Once true it stays true, until `until`, `expiresAt`, `renewBefore`, `signers`, `minimum` or `documentIds` changes.",
  ),
  satisfiedIds: texts("Documents that have all that the gate waits for. Of `documentIds`, these aren't read again."),
  status: maybeText(
    "The document's status, as the service said it when the gate last looked. `satisfied` is counted from the signers, never taken from here.",
  ),
  pendingSigners: property(z.array(z.string()), {
    description: "Addresses of those whose signature is still missing, among `signers` where that is given.",
    derivedFrom: ["signers"],
  }),
  missing: property(z.array(z.string()), {
    description: "What the gate waits for, in words, as it was when the gate last looked. Empty once satisfied.",
    derivedFrom: ["signers"],
  }),
  opensAt: maybeText("With `until: expiresAt`, the moment after which the gate opens, in UTC."),
  deadlineAt: maybeText("The moment `deadline` means for this document, in UTC."),
  certificates: property(certificates.optional(), {
    description: "The blockchain certificates of the latest version.",
  }),
  nom151Ready: maybeFlag("Whether the NOM151 certificate is there; `getDocument` and the document itself hold it."),
  nom151FileName: maybeText("File name to offer the NOM151 certificate under, once it is there."),
  checkedAt: text("When the gate last found something else than before, by the service's clock."),
  service: text("Origin of the service that holds the document."),
});

export type GateInputs = z.infer<typeof gateInputs>;
export type GateOutputs = z.infer<typeof gateOutputs>;
/** Outputs as state has them. */
export type GateState = Stored<GateOutputs>;

export const gateDeclaration = {
  token: "docsign:index:SignatureGate",
  description: `Holds what depends on it until a document is signed, or certified.

A gate that isn't satisfied is looked at again at every \`pulumi up\`: the preview says who is missing. A satisfied one stays
satisfied and asks the service nothing more, except in \`pulumi refresh\`. A gate never mails anyone and never changes the document;
deleting it forgets it.

With \`mode: wait\` the row of the gate says who is missing while \`pulumi up\` waits, for as long as \`customTimeouts\` allows. After
Ctrl-C or a time-out the next \`pulumi up\` goes on waiting.`,
  inputs: gateInputs,
  outputs: gateOutputs,
};
