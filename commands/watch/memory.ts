import { readFileSync } from "node:fs";
import { z } from "zod";
import { certificatesOf, latestFile, nom151Of } from "../../provider/client/files.js";
import type { DatedDocument, DocumentBody } from "../../provider/client/service.js";
import { DAY_MS, dateOf } from "../../provider/core/clock.js";
import { writeWhole } from "../cli/flags.js";
import type { WatchSettings } from "./settings.js";

const LISTED_STATUSES = ["partially_signed", "signed"] as const;

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
type SeenDocument = z.infer<typeof seen>;
export type Change = z.infer<typeof change>;

/** What an earlier run knew; nothing where there was none. */
export function readMemory(path: string): Memory {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT")
      return { format: 1, askedAt: 0, turn: 0, listed: [], documents: {}, due: new Map() };
    throw error;
  }
  try {
    return memory.parse(JSON.parse(text));
  } catch {
    throw new Error(`expected ${path} to be this watcher's memory, got something else; move it away to start anew`);
  }
}

/** A watcher that is killed goes on from the memory before. */
export const writeMemory = (path: string, what: Memory): Promise<void> =>
  writeWhole(path, `${JSON.stringify({ ...what, due: [...what.due] })}\n`, { mode: 0o600 });

// ---- What to ask next, and what the answer shows ----

/** A certificate that isn't there a month after the last signature won't come because somebody asks. */
const CERTIFICATES_FOR_MS = 30 * DAY_MS;

/** Lists and certificates take turns, so that many open certificates don't keep signatures from being seen. */
export function nextPoll(memory: Memory, { days, certificates }: WatchSettings, now: number) {
  const round = LISTED_STATUSES.length + (certificates ? 1 : 0);
  const place = memory.turn % round;
  const open = certificates ? openCertificates(memory, now) : [];
  const id = place === LISTED_STATUSES.length ? open[Math.floor(memory.turn / round) % open.length] : undefined;
  if (id !== undefined) return { id };
  // The service's day may be another one than this machine's.
  const range = { fromDate: dateOf(now - days * DAY_MS), toDate: dateOf(now + DAY_MS) };
  return { status: LISTED_STATUSES[place] ?? "signed", ...range };
}

const openCertificates = ({ documents }: Memory, now: number): string[] =>
  Object.entries(documents)
    .filter(([, { status, certificates, signedEndedAt }]) => {
      const age = now - Date.parse(signedEndedAt ?? "");
      return status === "signed" && certificates !== "there" && !(age > CERTIFICATES_FOR_MS);
    })
    .map(([id]) => id);

/** What a list of one status shows that wasn't known. The first one only says how things stand. */
export function listPolled(memory: Memory, status: (typeof LISTED_STATUSES)[number], rows: readonly DatedDocument[]) {
  const first = !memory.listed.includes(status);
  const documents = new Map(Object.entries(memory.documents));
  const changes: Change[] = [];
  for (const row of rows) {
    const known = documents.get(row.id);
    // A signature can't be taken back: a list that says so lags behind.
    if (known?.status === "signed" && row.status !== "signed") continue;
    const now: SeenDocument = {
      status: row.status,
      signedEndedAt: row.lastVersionSignedEndedAt,
      certificates: known?.certificates ?? "open",
    };
    const moved =
      known === undefined ? !first : known.status !== now.status || known.signedEndedAt !== now.signedEndedAt;
    documents.set(row.id, now);
    if (moved) changes.push({ documentId: row.id, name: row.name, what: "status", status: row.status });
  }
  const listed = [...new Set([...memory.listed, status])];
  return { memory: { ...memory, documents: Object.fromEntries(documents), listed }, changes };
}

/** Whether a document's certificates have come. */
export function documentPolled(memory: Memory, body: DocumentBody) {
  const known = memory.documents[body.id];
  const file = latestFile(body);
  const blockchain = certificatesOf(file, "").ready;
  const nom151 = nom151Of(body.id, file).ready;
  const all = (blockchain || isUnwanted(body)) && (nom151 || body.withNom151 !== true) && (blockchain || nom151);
  const certificates = all ? "there" : blockchain ? "blockchain" : nom151 ? "nom151" : "open";
  const now: SeenDocument = {
    status: body.status,
    signedEndedAt: known?.signedEndedAt ?? file?.signedEndedAt ?? null,
    certificates,
  };
  const came = certificates !== "open" && certificates !== (known?.certificates ?? "open");
  const change: Change = { documentId: body.id, name: body.name, what: "certificates", status: body.status };
  return {
    memory: { ...memory, documents: { ...memory.documents, [body.id]: now } },
    changes: came ? [change] : [],
  };
}

/** Nobody asked for blockchain certificates, as far as the service says. */
const isUnwanted = (body: DocumentBody): boolean =>
  body.blockchainCertsEnabled === false ||
  (body.blockchainCertsEnabled === null && latestFile(body)?.blockchainCertsStatus === "not_requested");
