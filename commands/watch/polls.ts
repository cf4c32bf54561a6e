import { certificatesOf, latestFile, nom151Of } from "../../provider/client/files.js";
import type { DatedDocument, DocumentBody } from "../../provider/client/service.js";
import { DAY_MS, dateOf } from "../../provider/core/clock.js";
import { type Change, LISTED_STATUSES, type Memory, type SeenDocument } from "./memory.js";

/** One request to the service. */
export type Poll =
  | {
      readonly kind: "list";
      readonly status: (typeof LISTED_STATUSES)[number];
      readonly fromDate: string;
      readonly toDate: string;
    }
  | { readonly kind: "document"; readonly id: string };

/** A certificate that isn't there a month after the last signature won't come because somebody asks. */
const CERTIFICATES_FOR_MS = 30 * DAY_MS;

/** Lists and certificates take turns, so that many open certificates don't keep signatures from being seen. */
export function nextPoll(
  memory: Memory,
  { days, certificates }: { days: number; certificates: boolean },
  now: number,
): Poll {
  const round = LISTED_STATUSES.length + (certificates ? 1 : 0);
  const place = memory.turn % round;
  const open = certificates ? openCertificates(memory, now) : [];
  const id = place === LISTED_STATUSES.length ? open[Math.floor(memory.turn / round) % open.length] : undefined;
  if (id !== undefined) return { kind: "document", id };
  // The service's day may be another one than this machine's.
  const range = { fromDate: dateOf(now - days * DAY_MS), toDate: dateOf(now + DAY_MS) };
  return { kind: "list", status: LISTED_STATUSES[place] ?? "signed", ...range };
}

const openCertificates = ({ documents }: Memory, now: number): string[] =>
  Object.entries(documents)
    .filter(([, { status, certificates, signedEndedAt }]) => {
      const age = now - Date.parse(signedEndedAt ?? "");
      return status === "signed" && certificates !== "there" && !(age > CERTIFICATES_FOR_MS);
    })
    .map(([id]) => id);

interface PollResult {
  readonly memory: Memory;
  readonly changes: readonly Change[];
}

/** What a list of one status shows that wasn't known. The first one only says how things stand. */
export function listPolled(
  memory: Memory,
  status: (typeof LISTED_STATUSES)[number],
  rows: readonly DatedDocument[],
): PollResult {
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
export function documentPolled(memory: Memory, body: DocumentBody): PollResult {
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
