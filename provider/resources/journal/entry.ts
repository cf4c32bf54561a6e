import { z } from "zod";

const scope = { service: z.string(), urn: z.string(), backend: z.string().optional() };
const ids: z.ZodType<readonly string[]> = z.array(z.string());
const made = {
  fingerprint: z.string().optional(),
  /** Of name, PDF and people; older lines don't say. */
  contract: z.string().optional(),
  /** The beginning of the hash of its name, as it was sent; older lines don't say. */
  name: z.string().optional(),
  extra: z.string().optional(),
  /** What it is by the service, since somebody has changed it there and the program has followed. */
  followed: z.object({ fingerprint: z.string(), contract: z.string() }).optional(),
  /** Hash of the inputs that state has of it, where no fingerprint is known: another machine sent it. */
  stated: z.string().optional(),
};
/** Ids that imports have read under its URN since, and the deployments that did: previews, maybe. */
const imports = z.array(z.object({ id: z.string(), run: z.string() })).optional();
/** In milliseconds: two of them together are still one that a date can be made of. */
const time = z.number().min(0).max(4e15);

const attempt = z.object({
  ...scope,
  /** Eight hex digits: a person names the attempt with it (`DOCSIGN_FORGET`). */
  token: z.string(),
  /** The deployment that sent it. */
  run: z.string(),
  /** When it was first sent, in milliseconds by its machine's clock. */
  startedAt: time,
  /** When that machine was started, by the same clock; older lines don't say. */
  machineUp: z.number().optional(),
  /** When it was first sent by the service's clock, where it shows one: the next run may be on a machine with another clock. */
  serviceTime: time.optional(),
  /** For how long its request may be on its way, in milliseconds from then on. */
  lasts: time.optional(),
  /** Another run has begun a create of this contract, knowing of this one: it isn't sent any more. */
  overtaken: z.boolean().optional(),
  /** The id of the document that it is, as a person said: it is verified as an answer's is. */
  said: z.string().optional(),
  /** Who said it. */
  saidBy: z.string().optional(),
  supersedes: ids,
  /** Hash of all that is sent, except the invitations' messages. */
  fingerprint: z.string(),
  name: z.string(),
  sha256: z.string(),
  invitees: z.string(),
  description: z.string(),
  marker: z.string().optional(),
  /** Hash of `extraParameters`, where some are sent: they may put it where other documents aren't. */
  extra: z.string().optional(),
  /** Whether it was to be in a folder; older lines don't say. */
  inFolder: z.boolean().optional(),
  /** Names the account that it was sent to; older lines don't say. */
  account: z.string().optional(),
  /** Ids that an answer named and that couldn't be confirmed yet. */
  hints: ids,
  /** Documents that were at the service before it was sent, the latest that the journal knew. */
  older: ids.optional(),
  /** Some that were there `ABOUT_AS_OLD_MS` after it began at most, by the same clock. */
  beside: ids.optional(),
  /** The service answered that it was done, with an id or without. */
  answered: z.boolean().optional(),
  imports,
});
export type AttemptRow = z.infer<typeof attempt>;

const owned = z.object({
  ...scope,
  id: z.string(),
  /** The deployment that created it, or the last one in which something about it changed. */
  run: z.string(),
  ...made,
  supersedes: ids,
  /** The engine has shown that state holds it, in Diff, Read or Delete. Nothing else proves that. */
  shown: z.boolean(),
  /** Deleted from state for a replacement whose successor doesn't exist yet. */
  replaced: z.boolean(),
  /** What the service shows as the hash of its PDF, where that isn't what was sent. */
  rewrittenAs: z.string().optional(),
  /** When, in milliseconds. */
  released: z.number().optional(),
  /** Another resource gave it up to this one: only this one's own Delete lets go of it. */
  moved: z.boolean().optional(),
  /** Released because another one took its place. */
  superseded: z.boolean().optional(),
  /**
   * Another resource had it, and only Diff has shown it under this URN, maybe in a preview (`compared`); or only an import or
   * a Diff that may have been refused (`read`).
   */
  unproven: z.enum(["compared", "read"]).optional(),
  /** Who had it before, and hasn't let go of it. */
  others: z.array(z.object({ urn: z.string(), backend: z.string().optional() })).optional(),
  /** State was shown with another one in its place: it is nobody's but that of `others`. */
  unseen: z.literal(true).optional(),
  /** Of one that the engine hasn't shown yet. */
  imports,
});
export type OwnedRow = z.infer<typeof owned>;

const reminder = z.object({
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

/** Of a line that changes something about an id. */
const change = {
  ...scope,
  run: z.string(),
  /** When; older lines don't say. */
  at: z.number().default(0),
  id: z.string(),
  supersedes: ids,
};

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
    ...change,
    at: z.number(),
    ...made,
    rewrittenAs: z.string().optional(),
    /** The resource that lets go of it in this run. */
    from: z.string().optional(),
  }),
  z.object({
    op: z.literal("show"),
    ...change,
    ...made,
    imported: z.boolean(),
    /** Diff has shown it, and may refuse it. */
    undecided: z.literal(true).optional(),
    besides: ids,
  }),
  z.object({ op: z.literal("replace"), ...change }),
  z.object({
    op: z.literal("release"),
    ...change,
    at: z.number(),
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
