import { z } from "zod";

const scope = { service: z.string(), urn: z.string(), backend: z.string().optional() };
const ids = z.array(z.string());

const attempt = z.object({
  ...scope,
  token: z.string(),
  run: z.string(),
  startedAt: z.number(),
  serviceTime: z.number().optional(),
  lasts: z.number().optional(),
  overtaken: z.boolean().optional(),
  /** The id of the document that it is, as a person said. */
  said: z.string().optional(),
  saidBy: z.string().optional(),
  supersedes: ids,
  fingerprint: z.string(),
  name: z.string(),
  sha256: z.string(),
  invitees: z.string(),
  description: z.string(),
  marker: z.string().optional(),
  hints: ids,
  /** Some of the documents that its writer knew to be there. */
  older: ids.optional(),
  answered: z.boolean().optional(),
});
export type AttemptRow = z.infer<typeof attempt>;

const owned = z.object({
  ...scope,
  id: z.string(),
  run: z.string(),
  fingerprint: z.string().optional(),
  supersedes: ids,
  shown: z.boolean(),
  replaced: z.boolean(),
  /** What the service shows as the hash of its PDF, where that isn't what was sent. */
  rewrittenAs: z.string().optional(),
  /** When, in milliseconds. */
  released: z.number().optional(),
  /** Another resource gave it up to this one: only this one's own Delete lets go of it. */
  moved: z.boolean().optional(),
  /** Released because another one took its place. */
  superseded: z.boolean().optional(),
});
export type OwnedRow = z.infer<typeof owned>;

export const reminder = z.object({
  /** Eight hex digits. Older lines have none. */
  token: z.string().optional(),
  invitationId: z.string(),
  /** Which triggers it went out for. */
  round: z.string(),
  /** By the service's clock. */
  at: z.string(),
  /** `unknown` from before the request until its answer. */
  outcome: z.enum(["sent", "unknown"]),
});
export type RememberedReminder = z.infer<typeof reminder>;

const reminders = z.object({ ...scope, at: z.number(), rows: z.array(reminder) });
export type RemindersRow = z.infer<typeof reminders>;

/** One line of the journal: a call of the contract that changed something, or all that was remembered at some point. */
export const entry = z.discriminatedUnion("op", [
  attempt.extend({ op: z.literal("begin"), after: z.string().optional(), owned: ids, knows: ids.optional() }),
  z.object({ op: z.literal("hint"), ...scope, token: z.string(), id: z.string().optional() }),
  /** A person said what came of it: this document, or nothing. */
  z.object({
    op: z.literal("resolve"),
    ...scope,
    token: z.string(),
    id: z.string().optional(),
    /** Who said so; older lines don't say. */
    by: z.string().optional(),
    at: z.number(),
  }),
  z.object({ op: z.literal("withdraw"), ...scope, token: z.string() }),
  z.object({
    op: z.literal("claim"),
    ...scope,
    run: z.string(),
    at: z.number(),
    id: z.string(),
    fingerprint: z.string().optional(),
    supersedes: ids,
    rewrittenAs: z.string().optional(),
    /** The resource that lets go of it in this run. */
    from: z.string().optional(),
  }),
  z.object({
    op: z.literal("show"),
    ...scope,
    run: z.string(),
    /** When; older lines don't say. */
    at: z.number().default(0),
    id: z.string(),
    supersedes: ids,
    fingerprint: z.string().optional(),
    imported: z.boolean(),
    besides: ids,
  }),
  z.object({
    op: z.literal("replace"),
    ...scope,
    run: z.string(),
    /** When; older lines don't say. */
    at: z.number().default(0),
    id: z.string(),
    supersedes: ids,
  }),
  z.object({
    op: z.literal("release"),
    ...scope,
    run: z.string(),
    at: z.number(),
    id: z.string(),
    /** What it replaced, by state; older lines don't say. */
    supersedes: ids.default([]),
  }),
  z.object({ op: z.literal("forget"), tokens: ids }),
  /** Of no effect where an invitation has a reminder whose token isn't among `knows`. */
  reminders.extend({ op: z.literal("remind"), knows: ids.optional() }),
  z.object({ op: z.literal("reminded"), ...scope, token: z.string() }),
  z.object({ op: z.literal("unremind"), ...scope, token: z.string() }),
  z.object({
    op: z.literal("snapshot"),
    /** In a file: where it stands. */
    at: z.number().optional(),
    /** Whose rows these are all of; left out: everybody's. */
    stacks: z.array(z.string()).optional(),
    version: z.literal(1),
    /** What was read before isn't there any more. */
    lost: z.literal(true).optional(),
    attempts: z.array(attempt),
    owned: z.array(owned),
    reminders: z.array(reminders),
  }),
]);
export type Entry = z.infer<typeof entry>;
export type EntryOf<Op extends Entry["op"]> = Extract<Entry, { op: Op }>;
