import { z } from "zod";
import { addressOf } from "../../provider/core/same.js";
import { type OurResource, objectIn } from "./state.js";

/** A value that is missing, null or of another type than expected counts as not there: the board shows what it can. */
const lenient = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);
const text = lenient(z.string());
/** Whether there is something to see. */
export const isVisible = (text: string): boolean => /[^\s\p{C}]/u.test(text);
/** One without a letter is none: a heading needs something to show. */
const name = text.transform(given => (given !== undefined && isVisible(given) ? given : undefined));
/** One that is no time is none: nobody has waited for so long. */
const moment = text.transform(given => (Number.isNaN(Date.parse(given ?? "")) ? undefined : given));

const signerSchema = z.object({
  email: z.string(),
  name,
  stage: lenient(z.number()),
  invitationId: text,
  status: z.string(),
});

const documentSchema = z.object({
  documentId: z.coerce.string(),
  name,
  status: z.string().catch(""),
  allSigned: lenient(z.boolean()),
  signers: lenient(z.array(signerSchema)),
  pendingSigners: lenient(z.array(z.string())),
  /** Of a set's row: whose turn it is, where that isn't everyone who hasn't signed. */
  waiting: lenient(z.object({ emails: z.array(z.string()) })),
  versions: lenient(z.array(z.object({ version: z.string(), signedEndedAt: moment }))),
  lastVersion: text,
  fileUrl: text,
  signedFileUrl: text,
  certificates: lenient(z.object({ ready: z.boolean(), btcUrl: text, ethUrl: text })),
  nom151: lenient(z.object({ ready: z.boolean() })),
  createdAt: moment,
  deadline: moment,
  effectiveFrom: text,
  expiresAt: text,
  renewBefore: text,
  supersedes: lenient(z.array(z.coerce.string())),
  drift: lenient(z.array(z.string())),
});

export type DocumentFacts = z.infer<typeof documentSchema>;
export type SignerFacts = z.infer<typeof signerSchema>;

export type FoundDocument = ReturnType<typeof documentIn>[number];

/** A set says when those who wait were invited, and not when its documents were created. */
const waitingSchema = z.array(z.object({ key: z.string(), since: moment })).catch([]);

/** The documents of a stack, those of sets included. */
export function documentsOf(resources: readonly OurResource[]) {
  return resources.flatMap(resource => {
    if (resource.kind === "Document") return documentIn(resource, resource.name, resource.outputs, resource.inputs);
    if (resource.kind !== "DocumentSet") return [];
    const outputs = objectIn(resource.outputs["documents"]);
    const inputs = objectIn(resource.inputs["documents"]);
    const drifted = new Set(z.array(z.string()).catch([]).parse(resource.outputs["drift"]));
    const since = new Map(waitingSchema.parse(resource.outputs["waitingFor"]).map(one => [one.key, one.since]));
    return Object.entries(outputs).flatMap(([key, value]) =>
      documentIn(
        resource,
        `${resource.name}/${key}`,
        {
          createdAt: since.get(key),
          // A set says which of its documents differ, and not in what.
          drift: drifted.has(key) ? ["content"] : [],
          ...objectIn(value),
        },
        objectIn(Object.hasOwn(inputs, key) ? inputs[key] : undefined),
        key,
      ),
    );
  });
}

type Values = ReturnType<typeof objectIn>;

function documentIn(resource: OurResource, ownName: string, outputs: Values, inputs: Values, title?: string) {
  const parsed = documentSchema.safeParse(outputs);
  if (!parsed.success) return [];
  const given = documentSchema.shape.name.parse(inputs["name"]);
  const facts = { ...parsed.data, name: parsed.data.name ?? given ?? title ?? ownName };
  const signersSecret = ["signers", "pendingSigners", "documents"].some(one => resource.secrets.has(one));
  // Stages as the program gives them: the service doesn't always return them.
  return [{ resource: ownName, facts, stages: stagesIn(inputs["invitations"]), signersSecret }];
}

const invitationsSchema = z
  .array(z.object({ email: z.string(), stage: z.coerce.number() }).nullable().catch(null))
  .catch([]);

function stagesIn(invitations: unknown): Map<string, number> {
  const known = invitationsSchema.parse(invitations).filter(one => one !== null);
  return new Map(known.map(({ email, stage }) => [addressOf(email), stage]));
}

/** When each invitation was last reminded, by its id. */
export function remindersOf(resources: readonly OurResource[]): Map<string, string> {
  const last = new Map<string, string>();
  for (const { kind, outputs } of resources) {
    if (kind !== "Reminder") continue;
    for (const [invitationId, at] of Object.entries(objectIn(outputs["lastSentAt"]))) {
      if (typeof at === "string" && !Number.isNaN(Date.parse(at)) && at > (last.get(invitationId) ?? ""))
        last.set(invitationId, at);
    }
  }
  return last;
}

const idsSchema = z.array(z.coerce.string()).catch([]);

/** The next deadline that a gate sets for a document, by the document's id. */
export function deadlinesOf(resources: readonly OurResource[]): Map<string, string> {
  const next = new Map<string, string>();
  for (const { kind, inputs, outputs } of resources) {
    if (kind !== "SignatureGate" || outputs["satisfied"] === true) continue;
    const deadline = outputs["deadlineAt"];
    if (typeof deadline !== "string" || Number.isNaN(Date.parse(deadline))) continue;
    const done = idsSchema.parse(outputs["satisfiedIds"]);
    const ids = [outputs["documentId"], ...idsSchema.parse(inputs["documentIds"])].filter(id => typeof id === "string");
    for (const documentId of ids.filter(id => !done.includes(id))) {
      const known = next.get(documentId);
      if (known === undefined || Date.parse(deadline) < Date.parse(known)) next.set(documentId, deadline);
    }
  }
  return next;
}
