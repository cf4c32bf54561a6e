import { z } from "zod";

/** What a create is about to send, as hashes: the journal holds no content and names nobody. */
const intent = z.object({
  fingerprint: z.string(),
  name: z.string(),
  sha256: z.string(),
  invitees: z.string(),
  description: z.string(),
  /** When the request began, by this machine's clock, in milliseconds. */
  startedAt: z.number(),
  marker: z.string().optional(),
});
export type Intent = z.infer<typeof intent>;

const remembered = z.object({
  id: z.string(),
  fingerprint: z.string().optional(),
  supersedes: z.array(z.string()),
  /** The process that created it; null where that process was cancelled before it could know that state has the id. */
  session: z.string().nullable(),
  /** The engine has shown that state holds it. */
  settled: z.boolean(),
  /** Given up for a replacement whose successor doesn't exist yet. */
  givenUp: z.boolean(),
});
export type Remembered = z.infer<typeof remembered>;

export const entry = z.object({
  version: z.literal(1),
  service: z.string(),
  project: z.string(),
  stack: z.string(),
  urn: z.string(),
  backend: z.string().optional(),
  intent: intent.optional(),
  things: z.array(remembered),
});
export type Entry = z.infer<typeof entry>;

/** Whose memory: a resource at a service. */
export interface Scope {
  readonly service: string;
  readonly urn: string;
}

/** An entry with one of its parts left out. */
export function without<K extends keyof Entry>(from: Entry, key: K): Entry {
  const { [key]: _gone, ...rest } = from;
  return rest as unknown as Entry;
}

/** Of a resource that nothing is remembered of. */
export function blank({ service, urn }: Scope, backend: string | undefined): Entry {
  const [prefix = "", project = ""] = urn.split("::");
  const about: Entry = { version: 1, service, project, stack: prefix.slice("urn:pulumi:".length), urn, things: [] };
  return backend === undefined ? about : { ...about, backend };
}
