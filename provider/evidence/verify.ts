import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { inParallel } from "../core/turns.js";
import {
  ARCHIVE,
  type ArchivedDocument,
  assertFolder,
  fileFacts,
  isDocumentFolder,
  namesIn,
  readArchive,
  readEvidence,
} from "./archive.js";
import { FILE_NAMES, MANIFEST } from "./possible-files.js";
import { EvidenceError, type TimestampConstancia } from "./types.js";

/** Documents at a time. */
const AT_ONCE = 4;

/** A file that isn't what the manifest says, or a time stamp that is refuted. */
export interface Finding {
  /** In the folder. */
  readonly path: string;
  readonly what: string;
}

export interface Stamp {
  /** By the time stamp's own word, in UTC. */
  readonly time: string;
  readonly issuer: string | undefined;
  /** Which file it is about. */
  readonly matches: TimestampConstancia["imprint"]["matches"];
}

export interface VerifiedDocument {
  readonly documentId: string;
  readonly name: string;
  readonly complete: boolean;
  readonly files: number;
  readonly bytes: number;
  /** Of the signed PDF. */
  readonly signedSha256: string | undefined;
  readonly stamp: Stamp | undefined;
  /** Why the constancia, where there is one, proves no time. */
  readonly unproven: string | undefined;
  readonly findings: readonly Finding[];
}

export interface Verification {
  readonly service: string;
  /** Of the manifest. */
  readonly sha256: string;
  readonly documents: readonly VerifiedDocument[];
  /** All of them: nothing found means that every file is the one that was pulled. */
  readonly findings: readonly Finding[];
}

/** Compares a folder that `pull` made with its manifest, to the last bit, and reads the time stamps. It asks no service. */
export async function verify(directory: string, expectedSha256?: string): Promise<Verification> {
  const found = await readArchive(directory);
  if (!found) throw new EvidenceError(`${directory}: expected the folder of a pull, got none with a ${ARCHIVE}`);
  const { archive, sha256 } = found;
  const known = new Set(archive.documents.map(({ documentId }) => documentId));
  const findings: Finding[] = (await namesIn(directory))
    .filter(name => name !== ARCHIVE && !(isDocumentFolder(name) && known.has(name)))
    .map(path => ({ path, what: "isn't in the manifest" }));
  const expected = expectedSha256?.toLowerCase() ?? sha256;
  if (expected !== sha256) findings.unshift({ path: ARCHIVE, what: `expected SHA-256 ${expected}, got ${sha256}` });
  const documents = await inParallel(AT_ONCE, archive.documents, each =>
    verifyDocument(directory, archive.service, each),
  );
  return {
    service: archive.service,
    sha256,
    documents,
    findings: [...findings, ...documents.flatMap(each => each.findings)],
  };
}

async function verifyDocument(
  directory: string,
  service: string,
  { documentId, complete, files }: ArchivedDocument,
): Promise<VerifiedDocument> {
  const folder = join(directory, documentId);
  const findings: Finding[] = [];
  const find = (fileName: string, what: string) => void findings.push({ path: `${documentId}/${fileName}`, what });
  const names = new Set(files.map(({ fileName }) => String(fileName)));
  const wrong = await assertFolder(folder).catch(refusalOf(folder));
  if (wrong !== undefined) findings.push({ path: documentId, what: wrong });
  else {
    for (const name of await namesIn(folder)) if (!names.has(name)) find(name, "isn't in the manifest");
    for (const { fileName, bytes, sha256 } of files) {
      const path = join(folder, fileName);
      const what = await differenceOf(path, bytes, sha256).catch(refusalOf(path));
      if (what !== undefined) find(fileName, what);
    }
  }
  const isWhole = findings.length === 0;
  const manifest = isWhole ? (await readEvidence(folder))?.evidence : undefined;
  if (
    manifest &&
    (manifest.service !== service || manifest.documentId !== documentId || manifest.complete !== complete)
  )
    find(MANIFEST, `says another service, id or completeness than ${ARCHIVE}`);
  const name = manifest?.name ?? "";
  const constancia = isWhole && names.has(FILE_NAMES.nom151) ? await stampIn(folder, names) : {};
  if (constancia.refuted !== undefined) find(FILE_NAMES.nom151, constancia.refuted);
  return {
    ...{ documentId, name, complete, files: files.length, findings },
    bytes: files.reduce((sum, each) => sum + each.bytes, 0),
    signedSha256: files.find(({ fileName }) => fileName === FILE_NAMES.signed)?.sha256,
    stamp: constancia.stamp,
    unproven: constancia.unproven,
  };
}

/** What is wrong with a path, without its name. */
const refusalOf =
  (path: string) =>
  (error: unknown): string => {
    if (error instanceof EvidenceError) return error.message.replace(`${path}: `, "");
    throw error;
  };

async function differenceOf(path: string, bytes: number, sha256: string): Promise<string | undefined> {
  const file = await fileFacts(path);
  if (!file) return "is missing";
  if (file.bytes !== bytes) return `expected ${bytes} bytes, got ${file.bytes}`;
  const hash = await file.hash();
  return hash === sha256 ? undefined : `expected SHA-256 ${sha256}, got ${hash}`;
}

interface StampReading {
  readonly stamp?: Stamp;
  readonly unproven?: string;
  /** What speaks against it. */
  readonly refuted?: string;
}

async function stampIn(folder: string, names: ReadonlySet<string>): Promise<StampReading> {
  // A bundle of its own, with its libraries: read by the first constancia, and never without one.
  const { readConstancia } = await import("./constancia.js");
  const subject = (name: string) => (names.has(name) ? join(folder, name) : undefined);
  const { constancia, proven, notVerified } = await readConstancia(await readFile(join(folder, FILE_NAMES.nom151)), {
    original: subject(FILE_NAMES.original),
    signed: subject(FILE_NAMES.signed),
  });
  if (constancia.kind === "invalid") return { refuted: constancia.why };
  if (constancia.kind === "opaque") return { unproven: constancia.why };
  if (constancia.signature === "doesn't fit its certificate")
    return { refuted: "its signature doesn't fit the certificate that it carries" };
  const { time, tsa, signer, imprint } = constancia;
  const stamp = { time, issuer: tsa ?? signer?.subject, matches: imprint.matches };
  return proven ? { stamp } : { stamp, unproven: notVerified[0] ?? "it wasn't checked" };
}
