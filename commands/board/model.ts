import { z } from "zod";

/**
 * What the board shows. This is also its JSON: `board.schema.json` is made off these tables, so each field says what it
 * means where it is declared.
 */
const count = z.int().min(0);
const moment = z.string().meta({ description: "ISO 8601" });

const totals = z.object({
  contracts: count,
  signed: count,
  partlySigned: count,
  unsigned: count,
  other: count.meta({ description: "Contracts with a status that this version doesn't know" }),
  waitingFor: count.meta({ description: "People whose turn it is" }),
  late: count.meta({ description: "Contracts that are late" }),
  drifted: count.meta({ description: "Contracts that were changed at the service behind the program's back" }),
  superseded: count.meta({ description: "Documents that were replaced, and are still alive at the service" }),
});

const stackSummary = z.object({
  name: z.string(),
  contracts: count,
  signed: count,
  stateAt: moment.optional().meta({ description: "When its state was last written, by an update or a refresh" }),
});

const signer = z.object({
  email: z.string(),
  name: z.string().optional(),
  stage: z.number().optional(),
  status: z.string(),
  turn: z.boolean().meta({ description: "Whether the service waits for this person now" }),
  lastReminderAt: moment.optional(),
});

const contract = z.object({
  documentId: z.string(),
  name: z.string(),
  stack: z.string(),
  resource: z.string().meta({ description: "The resource's name in the program" }),
  status: z.string().meta({ description: "unsigned, partially_signed, signed, or what the service adds later" }),
  allSigned: z.boolean().meta({ description: "Whether everyone has signed the latest version" }),
  signers: z.array(signer).meta({ description: "Empty where the program keeps its signers secret" }),
  signersSecret: z.boolean(),
  sentAt: moment.optional(),
  signedAt: moment.optional(),
  lastReminderAt: moment.optional(),
  deadline: moment.optional(),
  effectiveFrom: z.string().optional().meta({ description: "First day, as the program says it" }),
  expiresAt: z.string().optional().meta({ description: "Last day, as the program says it" }),
  endsInDays: z.int().optional().meta({ description: "Days until then; negative once it is over" }),
  toRenew: z.boolean().optional().meta({ description: "Whether `renewBefore` says that it is time" }),
  late: z.boolean(),
  drift: z
    .array(z.string())
    .meta({ description: "Names of what was changed at the service behind the program's back" }),
  supersedes: z.array(z.string()).meta({ description: "Ids of the documents this one replaced" }),
  originalUrl: z.string().optional(),
  signedUrl: z.string().optional().meta({ description: "Only once everyone has signed" }),
  bitcoinCertificateUrl: z.string().optional(),
  ethereumCertificateUrl: z.string().optional(),
  nom151: z.boolean().meta({ description: "Whether the NOM151 certificate is in state" }),
});

const person = z.object({
  email: z.string(),
  name: z.string().optional(),
  late: z.boolean(),
  since: moment.optional().meta({ description: "When the oldest of their contracts was sent" }),
  lastReminderAt: moment.optional(),
  nextDeadline: moment.optional(),
  contracts: z
    .array(z.object({ documentId: z.string(), stack: z.string(), name: z.string() }))
    .meta({ description: "The contracts that wait for them, the oldest first" }),
});

const openCreate = z.object({
  token: z.string().meta({ description: "What `docsign journal resolve` takes" }),
  stack: z.string(),
  resource: z.string().meta({ description: "The resource's name in the program; of a set, its row's key after a #" }),
  since: moment.meta({ description: "When it was begun" }),
  answered: z.boolean().meta({ description: "Whether the service said that it was created" }),
  candidates: z.array(z.string()).meta({ description: "Ids of the documents that may be it" }),
});

export const boardSchema = z
  .object({
    format: z.literal(1).meta({ description: "The version of this format" }),
    madeAt: moment,
    lateAfterDays: z.number().meta({ description: "Days after which a contract without a deadline is late" }),
    totals,
    stacks: z.array(stackSummary),
    open: z
      .array(openCreate)
      .meta({ description: "Creates whose outcome isn't known, off `docsign journal list --json`" }),
    contracts: z.array(contract),
    people: z.array(person).meta({ description: "Whose turn it is, the late ones and the longest waits first" }),
  })
  .meta({ title: "The board of docsign board --format json" });

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;
export type Board = DeepReadonly<z.infer<typeof boardSchema>>;
export type Totals = Board["totals"];
export type StackSummary = Board["stacks"][number];
export type Contract = Board["contracts"][number];
export type Signer = Contract["signers"][number];
export type Person = Board["people"][number];

/** The JSON schema of the board. */
export const boardJsonSchema = (): object => z.toJSONSchema(boardSchema, { io: "input" });
