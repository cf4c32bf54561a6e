import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { z } from "zod";

export const LISTED_STATUSES = ["partially_signed", "signed"] as const;

const seen = z.object({
  status: z.string(),
  signedEndedAt: z.string().nullable(),
  /** Of a signed document: `open` until the service has made what it makes. */
  certificates: z.enum(["open", "blockchain", "nom151", "there"]),
});

const change = z.object({
  documentId: z.string(),
  name: z.string(),
  what: z.enum(["status", "certificates"]),
  status: z.string(),
});

const memory = z.object({
  format: z.literal(1),
  /** When the service was last asked, in milliseconds since 1970. */
  askedAt: z.number(),
  /** Counts requests: whose turn it is. */
  turn: z.int(),
  /** Statuses that were listed once: before that, nothing a list shows is news. */
  listed: z.array(z.enum(LISTED_STATUSES)),
  documents: z.record(z.string(), seen),
  /** Changes that have woken nobody yet, by the name of the wake. */
  due: z.array(z.tuple([z.string(), z.array(change)])).transform(due => new Map(due)),
});

export type Memory = z.infer<typeof memory>;
export type SeenDocument = z.infer<typeof seen>;
export type Change = z.infer<typeof change>;

export const emptyMemory = (): Memory => ({
  format: 1,
  askedAt: 0,
  turn: 0,
  listed: [],
  documents: {},
  due: new Map(),
});

/** What an earlier run knew; nothing where there was none. */
export function readMemory(path: string): Memory {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return emptyMemory();
    throw error;
  }
  try {
    return memory.parse(JSON.parse(text));
  } catch {
    throw new Error(`expected ${path} to be this watcher's memory, got something else; move it away to start anew`);
  }
}

/** Whole or not at all: a watcher that is killed goes on from the memory before. */
export function writeMemory(path: string, what: Memory): void {
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, `${JSON.stringify({ ...what, due: [...what.due] })}\n`, { mode: 0o600 });
  renameSync(draft, path);
}
