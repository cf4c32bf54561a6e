import { hash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { byId } from "../client/bodies.js";
import { CancelledError, StatusError, UnauthorizedError } from "../client/errors.js";
import { latestFile } from "../client/files.js";
import type { DocumentBody, Service } from "../client/service.js";
import { makeFolder } from "../core/private-folder.js";
import { inParallel } from "../core/turns.js";
import {
  ARCHIVE,
  type Archive,
  type ArchivedDocument,
  archivedOf,
  assertFolder,
  fileFacts,
  isDocumentFolder,
  isDraft,
  namesIn,
  PULLING,
  readArchive,
  readEvidence,
  type SavedEvidence,
} from "./archive.js";
import { collectFrom } from "./collect.js";
import { Drafts } from "./draft.js";
import { constanciaText, expectedKinds, headOf, isSigned, possibleFiles } from "./possible-files.js";
import { EvidenceError, type EvidenceManifest } from "./types.js";

/** Documents at a time. */
const AT_ONCE = 8;

export interface PullOptions {
  readonly service: Service;
  /** For a manifest, and a folder for each document. */
  readonly directory: string;
  readonly ids: readonly string[];
  readonly allowOrigins?: readonly string[];
  readonly signal: AbortSignal;
  /** After each document. */
  readonly onProgress: (done: number) => void;
}

export interface PullResult {
  /** Documents whose evidence came. */
  readonly fresh: number;
  /** Documents whose evidence was there. */
  readonly unchanged: number;
  /** Documents that not everybody has signed. */
  readonly unsigned: number;
  readonly failed: readonly PullFailure[];
  /** All documents of the folder, and those among them that lack something. */
  readonly documents: number;
  readonly incomplete: number;
  /** Of the manifest. */
  readonly sha256: string;
}

interface PullFailure {
  readonly id: string;
  readonly why: string;
  /** Asked again, the service says the same. */
  readonly lasting: boolean;
}

type Outcome = "fresh" | "unchanged" | "unsigned" | PullFailure;

/**
 * Brings the evidence of many documents into a folder, each document whole or not at all. What is there already and is what
 * the service says isn't downloaded. Killed anywhere, it goes on from there: a document is there once its `evidence.json` is.
 */
export async function pull(options: PullOptions): Promise<PullResult> {
  const { service, directory, signal, onProgress } = options;
  makeFolder(directory);
  const before = await documentsInManifest(directory, service.origin);
  const inManifest = new Map(before.map(each => [each.documentId, each]));
  const ids = [...new Set(options.ids)];
  const outcomes = new Map<string, Outcome>();
  let open: readonly string[] = ids;
  let done = 0;
  while (open.length > 0) {
    await inParallel(AT_ONCE, open, async id => {
      outcomes.set(id, await outcomeOf(id, inManifest.get(id), options));
      onProgress(++done);
    });
    // As long as the service answers now and then, what failed is asked for again.
    const again = open.filter(id => isPassing(outcomes.get(id)));
    if (again.length === open.length) break;
    done -= again.length;
    open = again;
  }
  signal.throwIfAborted();
  const all = [...outcomes];
  const of = (wanted: Outcome) => all.flatMap(([id, outcome]) => (outcome === wanted ? [id] : []));
  const touched = new Set([...of("fresh"), ...of("unchanged")]);
  const documents = await documentsInFolder(directory, service.origin, inManifest, touched);
  return {
    fresh: of("fresh").length,
    unchanged: of("unchanged").length,
    unsigned: of("unsigned").length,
    failed: all.flatMap(([, outcome]) => (typeof outcome === "object" ? [outcome] : [])),
    documents: documents.length,
    incomplete: documents.filter(({ complete }) => !complete).length,
    sha256: await write(directory, { format: 1, service: service.origin, documents }),
  };
}

const isPassing = (outcome: Outcome | undefined): boolean => typeof outcome === "object" && !outcome.lasting;

/** What an earlier pull put there; a folder of anybody else's is refused. Drafts of one that was killed are removed. */
async function documentsInManifest(directory: string, service: string): Promise<readonly ArchivedDocument[]> {
  for (const name of await namesIn(directory)) {
    if (isDraft(name)) await rm(join(directory, name), { force: true });
    else if (name !== ARCHIVE && name !== PULLING && !isDocumentFolder(name))
      throw new EvidenceError(
        `${directory}: expected an empty folder or one of an earlier pull, got one with ${JSON.stringify(name)}`,
      );
  }
  const found = await readArchive(directory);
  if (found && found.archive.service !== service)
    throw new EvidenceError(
      `${directory}: expected the evidence of ${service}, got that of ${found.archive.service}. Give each service a folder of its own.`,
    );
  return found?.archive.documents ?? [];
}

async function outcomeOf(
  id: string,
  known: ArchivedDocument | undefined,
  { service, directory, allowOrigins, signal }: PullOptions,
): Promise<Outcome> {
  try {
    const body = await service.getDocument(id, { signal });
    if (!isSigned(body)) return "unsigned";
    const folder = join(directory, id);
    await assertFolder(folder);
    for (const name of await namesIn(folder)) if (isDraft(name)) await rm(join(folder, name), { force: true });
    const there = await intactEvidence(folder, known);
    if (there && isCurrent(there, body, service)) return "unchanged";
    await collectFrom(service, body, { directory: folder, allowOrigins, signal }, manifest => {
      if (there) assertNothingLost(there, manifest, folder);
    });
    return "fresh";
  } catch (error) {
    if (error instanceof CancelledError || error instanceof UnauthorizedError || signal.aborted) throw error;
    if (!(error instanceof Error)) throw error;
    const lasting = error instanceof EvidenceError || (error instanceof StatusError && error.isLasting);
    return { id, why: error.message, lasting };
  }
}

/**
 * The evidence in a document's folder, where every file is what it was. Of a document in the manifest `evidence.json` has to be the
 * very same, and sizes are enough: the hashes are `docsign verify`'s to compare. Nobody vouches for another one but its hashes.
 */
async function intactEvidence(folder: string, known: ArchivedDocument | undefined): Promise<SavedEvidence | undefined> {
  const found = await readEvidence(folder);
  if (!found) return undefined;
  const { evidence, own } = found;
  if (known && !known.files.some(({ sha256 }) => sha256 === own.sha256)) return undefined;
  for (const { fileName, bytes, sha256 } of evidence.files) {
    const file = await fileFacts(join(folder, fileName));
    if (file?.bytes !== bytes || (!known && (await file.hash()) !== sha256)) return undefined;
  }
  return evidence;
}

/** Whether collecting anew would bring nothing else, by all that the service says of the document. */
function isCurrent(there: SavedEvidence, body: DocumentBody, service: Service): boolean {
  const file = latestFile(body);
  if (!file) return false;
  const expected = expectedKinds(body, file);
  const { documentId, name, version, status, allSigned, service: origin } = there;
  const head = { documentId, name, version, status, allSigned, service: origin, expected: there.expected };
  if (JSON.stringify(head) !== JSON.stringify({ ...headOf(body, file, service), expected })) return false;
  const hashes = new Map(there.files.map(({ kind, sha256 }) => [kind, sha256]));
  const constancia = constanciaText(file);
  return (
    hashes.get("nom151") === (constancia === "" ? undefined : hash("sha256", Buffer.from(constancia, "base64"))) &&
    possibleFiles(body, file, service)
      .filter(({ kind }) => expected.includes(kind))
      .every(({ kind, address, stated }) => {
        const saved = hashes.get(kind);
        return Boolean(address) === (saved !== undefined) && (stated?.hash ?? saved) === saved;
      })
  );
}

/** Evidence that was there stays: another file in its place, or none, is for a person to judge. */
function assertNothingLost(there: SavedEvidence, now: EvidenceManifest, folder: string): void {
  for (const { kind, fileName, sha256 } of there.files) {
    const other = now.files.find(each => each.kind === kind);
    if (other?.sha256 === sha256) continue;
    const found = other ? "has another one" : "has none any more";
    throw new EvidenceError(
      `${join(folder, fileName)}: the service ${found}, so nothing of document ${now.documentId} was written. To take what it has now, move ${folder} away.`,
    );
  }
}

/** Every document of the folder, those of earlier pulls too. */
async function documentsInFolder(
  directory: string,
  service: string,
  inManifest: ReadonlyMap<string, ArchivedDocument>,
  touched: ReadonlySet<string>,
): Promise<ArchivedDocument[]> {
  const folders = (await namesIn(directory)).filter(isDocumentFolder);
  const found = await inParallel(AT_ONCE, folders, async id => {
    const known = inManifest.get(id);
    if (known && !touched.has(id)) return [];
    const folder = join(directory, id);
    await assertFolder(folder);
    const isWhole = touched.has(id) || (await intactEvidence(folder, undefined)) !== undefined;
    const there = isWhole ? await readEvidence(folder) : undefined;
    const isOurs = there?.evidence.documentId === id && there.evidence.service === service;
    return isOurs ? [archivedOf(there.evidence, there.own)] : [];
  });
  const untouched = [...inManifest.values()].filter(({ documentId }) => !touched.has(documentId));
  return [...untouched, ...found.flat()].sort((one, other) => byId(one.documentId, other.documentId));
}

async function write(directory: string, archive: Archive): Promise<string> {
  await using drafts = new Drafts(directory);
  const { sha256 } = await drafts.write(ARCHIVE, [Buffer.from(`${JSON.stringify(archive, undefined, 1)}\n`)]);
  await drafts.finish();
  return sha256;
}
