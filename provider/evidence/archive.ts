import { hash } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { lstat, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { hashOf } from "../client/transport.js";
import { ID } from "../core/same.js";
import { FILE_NAMES, MANIFEST } from "./possible-files.js";
import { EvidenceError, type EvidenceKind } from "./types.js";

/** What a folder of many documents' evidence holds, beside a folder for each document. */
export const ARCHIVE = "manifest.json";
/** The lock of a pull: a folder in the one that is filled, gone once the pull has ended. */
export const PULLING = ".pull.lock";

export const isDocumentFolder = (name: string): boolean => ID.test(name);
/** What a pull that was killed has left. */
export const isDraft = (name: string): boolean => /^\.[a-z0-9.-]+\.[0-9a-f-]{36}\.part$/.test(name);

const kind = z.enum(Object.keys(FILE_NAMES) as EvidenceKind[]);
/** One that says another name is no manifest. */
const fileName = z.enum([...Object.values(FILE_NAMES), MANIFEST]);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const size = z.int().min(0);

const archiveSchema = z.strictObject({
  format: z.literal(1),
  /** Origin of the service. */
  service: z.string(),
  documents: z
    .array(
      z.strictObject({
        /** Also the name of its folder. */
        documentId: z.string().regex(ID),
        complete: z.boolean(),
        files: z
          .array(z.strictObject({ fileName, bytes: size, sha256 }))
          .refine(files => files.some(({ fileName }) => fileName === MANIFEST) && isEachOnce(files, "fileName"), {
            error: `expected each file once, ${MANIFEST} among them`,
          }),
      }),
    )
    .refine(documents => isEachOnce(documents, "documentId"), { error: "expected each document once" }),
});

function isEachOnce<K extends string>(all: readonly Readonly<Record<K, unknown>>[], name: K): boolean {
  return new Set(all.map(each => each[name])).size === all.length;
}

export type Archive = z.infer<typeof archiveSchema>;
export type ArchivedDocument = Archive["documents"][number];

/** As `collect` writes it. */
const evidenceSchema = z.object({
  documentId: z.string(),
  name: z.string(),
  version: z.string(),
  status: z.string(),
  allSigned: z.boolean(),
  service: z.string(),
  expected: z.array(kind),
  complete: z.boolean(),
  files: z.array(z.object({ kind, fileName, bytes: size, sha256, proven: z.boolean() })),
  missing: z.array(z.object({ kind, why: z.string() })),
});

export type SavedEvidence = z.infer<typeof evidenceSchema>;

/** The manifest of a folder; undefined where there is none. */
export async function readArchive(directory: string): Promise<{ archive: Archive; sha256: string } | undefined> {
  const text = await textOf(join(directory, ARCHIVE));
  if (text === undefined) return undefined;
  const archive = parsed(archiveSchema, text);
  if (!archive)
    throw new EvidenceError(`${join(directory, ARCHIVE)}: expected the manifest of a pull, got something else`);
  return { archive, sha256: hash("sha256", text) };
}

/** What `evidence.json` of a document's folder says, and its own facts; undefined where there is none that can be read. */
export async function readEvidence(
  folder: string,
): Promise<{ evidence: SavedEvidence; own: { bytes: number; sha256: string } } | undefined> {
  const text = await textOf(join(folder, MANIFEST));
  const evidence = text && parsed(evidenceSchema, text);
  if (!text || !evidence) return undefined;
  return { evidence, own: { bytes: text.length, sha256: hash("sha256", text) } };
}

/** A document as the manifest has it, of what its folder says. */
export const archivedOf = (
  { documentId, complete, files }: SavedEvidence,
  own: { bytes: number; sha256: string },
): ArchivedDocument => ({
  documentId,
  complete,
  files: [...files, { fileName: MANIFEST, ...own } as const]
    .map(({ fileName, bytes, sha256 }) => ({ fileName, bytes, sha256 }))
    .sort((one, other) => (one.fileName < other.fileName ? -1 : 1)),
});

/** The hash of a file that is one: a link would lead elsewhere. Undefined where it isn't there. */
export async function fileFacts(path: string): Promise<{ bytes: number; hash: () => Promise<string> } | undefined> {
  const found = await lstat(path).catch(ifMissing);
  if (!found) return undefined;
  if (!found.isFile()) throw new EvidenceError(`${path}: expected a file, got a folder or a link`);
  return { bytes: found.size, hash: () => hashOf(createReadStream(path)) };
}

/** Refuses a document's folder that isn't one: a link would lead elsewhere. */
export async function assertFolder(path: string): Promise<void> {
  const found = await lstat(path).catch(ifMissing);
  if (found && !found.isDirectory()) throw new EvidenceError(`${path}: expected a folder, got a file or a link`);
}

/** Names in a folder, sorted; none where there is no folder. */
export async function namesIn(folder: string): Promise<string[]> {
  return ((await readdir(folder).catch(ifMissing)) ?? []).sort();
}

/** A folder is for one document: files of another one would be taken for this one's. */
export async function refuseOthers(directory: string, documentId: string, service: string): Promise<void> {
  const path = join(directory, MANIFEST);
  const text = await textOf(path);
  const own = z.object({ documentId: z.literal(documentId), service: z.literal(service) });
  if (text !== undefined && !parsed(own, text))
    throw new EvidenceError(
      `${path} isn't the evidence of document ${documentId} at ${service}: give each document a directory of its own`,
    );
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
}

/** Of hundreds of thousands of documents. */
const LARGEST_MANIFEST = 400 * 1024 * 1024;

/** A file that is one: nobody waits at a pipe, and a link would lead elsewhere. Undefined where there is none. */
async function textOf(path: string): Promise<Buffer | undefined> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const notOne = () => new EvidenceError(`${path}: expected a file, got something else`);
  const file = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    if (["ELOOP", "ENXIO"].includes(error.code ?? "")) throw notOne();
    return ifMissing(error);
  });
  if (!file) return undefined;
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw notOne();
    if (stat.size > LARGEST_MANIFEST)
      throw new EvidenceError(`${path}: expected a file of at most ${LARGEST_MANIFEST} bytes, got ${stat.size}`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

function parsed<T>(schema: z.ZodType<T>, text: Buffer): T | undefined {
  try {
    return schema.parse(JSON.parse(text.toString("utf8")));
  } catch {
    return undefined;
  }
}
