import { createHash } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { lstat, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ID } from "../client/bodies.js";
import { hashOf } from "../client/index.js";
import { MANIFEST } from "./collect.js";
import { EvidenceError } from "./types.js";

/** What a folder of many documents' evidence holds, beside a folder for each document. */
export const ARCHIVE = "manifest.json";
/** The lock of a pull: a folder in the one that is filled, gone once the pull has ended. */
export const PULLING = ".pull.lock";

/** Names are ours, never the service's: a manifest that says another one is no manifest. */
const FILES = [
  "certificate-btc.pdf",
  "certificate-eth.pdf",
  "constancia.asn1",
  "evidence-document.pdf",
  MANIFEST,
  "original.pdf",
  "signed.pdf",
] as const;
const KINDS = ["original", "signed", "btc-certificate", "eth-certificate", "evidence-document", "nom151"] as const;
const DRAFT = /^\.[a-z0-9.-]+\.[0-9a-f-]{36}\.part$/;

export const isDocumentFolder = (name: string): boolean => ID.test(name);
/** What a pull that was killed has left. */
export const isDraft = (name: string): boolean => DRAFT.test(name);

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
          .array(z.strictObject({ fileName: z.enum(FILES), bytes: size, sha256 }))
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
  expected: z.array(z.enum(KINDS)),
  complete: z.boolean(),
  files: z.array(z.object({ kind: z.enum(KINDS), fileName: z.enum(FILES), bytes: size, sha256, proven: z.boolean() })),
  missing: z.array(z.object({ kind: z.enum(KINDS), why: z.string() })),
});

export type SavedEvidence = z.infer<typeof evidenceSchema>;

/** The manifest of a folder; undefined where there is none. */
export async function readArchive(directory: string): Promise<{ archive: Archive; sha256: string } | undefined> {
  const text = await textOf(join(directory, ARCHIVE));
  if (text === undefined) return undefined;
  const archive = parsed(archiveSchema, text);
  if (!archive)
    throw new EvidenceError(`${join(directory, ARCHIVE)}: expected the manifest of a pull, got something else`);
  return { archive, sha256: createHash("sha256").update(text).digest("hex") };
}

/** What `evidence.json` of a document's folder says, and its own facts; undefined where there is none that can be read. */
export async function readEvidence(
  folder: string,
): Promise<{ evidence: SavedEvidence; own: { bytes: number; sha256: string } } | undefined> {
  const text = await textOf(join(folder, MANIFEST));
  const evidence = text && parsed(evidenceSchema, text);
  if (!text || !evidence) return undefined;
  return { evidence, own: { bytes: text.length, sha256: createHash("sha256").update(text).digest("hex") } };
}

/** A document as the manifest has it, of what its folder says. */
export const archivedOf = (
  { documentId, complete, files }: SavedEvidence,
  own: { bytes: number; sha256: string },
): ArchivedDocument => ({
  documentId,
  complete,
  files: [...files, { fileName: MANIFEST as (typeof FILES)[number], ...own }]
    .map(({ fileName, bytes, sha256: hash }) => ({ fileName, bytes, sha256: hash }))
    .sort((one, other) => (one.fileName < other.fileName ? -1 : 1)),
});

/** The hash of a file that is one: a link would lead elsewhere. Undefined where it isn't there. */
export async function fileFacts(path: string): Promise<{ bytes: number; hash: () => Promise<string> } | undefined> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });
  if (!found) return undefined;
  if (!found.isFile()) throw new EvidenceError(`${path}: expected a file, got a folder or a link`);
  return { bytes: found.size, hash: () => hashOf(createReadStream(path)) };
}

/** Refuses a document's folder that isn't one: a link would lead elsewhere. */
export async function assertFolder(path: string): Promise<void> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (found && !found.isDirectory()) throw new EvidenceError(`${path}: expected a folder, got a file or a link`);
}

/** Names in a folder, sorted; none where there is no folder. */
export async function namesIn(folder: string): Promise<string[]> {
  return (
    await readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw error;
    })
  ).sort();
}

/** Of hundreds of thousands of documents. */
const LARGEST_MANIFEST = 400 * 1024 * 1024;

/** A file that is one: nobody waits at a pipe, and a link would lead elsewhere. Undefined where there is none. */
async function textOf(path: string): Promise<Buffer | undefined> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const notOne = () => new EvidenceError(`${path}: expected a file, got something else`);
  const file = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw ["ELOOP", "ENXIO"].includes(error.code ?? "") ? notOne() : error;
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
