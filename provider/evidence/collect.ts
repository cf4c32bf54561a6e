import { parseId } from "../client/bodies.js";
import { InvalidArgumentError, StatusError, TimeoutError, TransportError } from "../client/errors.js";
import { latestFile } from "../client/files.js";
import type { DocumentBody, FileBody, Service } from "../client/service.js";
import { parseBaseUrl } from "../client/transport.js";
import { refuseOthers } from "./archive.js";
import { type Draft, Drafts, Hashes, type Sink } from "./draft.js";
import {
  constanciaText,
  expectedKinds,
  FILE_NAMES,
  headOf,
  MANIFEST,
  type PossibleFile,
  possibleFiles,
} from "./possible-files.js";
import {
  type DownloadEvidenceArgs,
  EvidenceError,
  type EvidenceFile,
  type EvidenceKind,
  type EvidenceManifest,
} from "./types.js";

interface CollectResult {
  readonly manifest: EvidenceManifest;
  /** Of `evidence.json`. */
  readonly sha256: string;
  /** Where each file was fetched from. */
  readonly addresses: ReadonlyMap<EvidenceKind, string>;
}

interface CollectOptions {
  readonly directory?: string;
  readonly allowOrigins?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Checks the same files in the same way as `collect`, and writes none. */
export async function examine(
  service: Service,
  { documentId, allowOrigins, signal }: Omit<DownloadEvidenceArgs, "directory" | "settings">,
): Promise<CollectResult> {
  const body = await service.getDocument(parseId(documentId, "documentId"), { signal });
  return collectFrom(service, body, { allowOrigins, signal });
}

export async function collect(
  service: Service,
  { documentId, directory, allowOrigins, signal }: DownloadEvidenceArgs,
): Promise<CollectResult> {
  if (typeof directory !== "string" || directory === "")
    throw new EvidenceError("directory: expected the path of a folder");
  const id = parseId(documentId, "documentId");
  await refuseOthers(directory, id, service.origin);
  const body = await service.getDocument(id, { signal });
  return collectFrom(service, body, { directory, allowOrigins, signal });
}

/** Of a document that was read. Without a directory, nothing is written. */
export async function collectFrom(
  service: Service,
  body: DocumentBody,
  { directory, allowOrigins = [], signal }: CollectOptions,
  assertGood: (manifest: EvidenceManifest) => void = () => {},
): Promise<CollectResult> {
  const file = latestFile(body);
  if (!file) throw new EvidenceError(`document ${body.id} has no file yet`);

  await using sink = directory === undefined ? new Hashes(constanciaText(file) !== "") : new Drafts(directory);
  const expected = expectedKinds(body, file);
  const manifest: EvidenceManifest = {
    ...headOf(body, file, service),
    expected,
    complete: false,
    files: [],
    missing: [],
  };
  const origins = allowOrigins.map(originOf);
  const drafts = new Map<EvidenceKind, Draft>();
  const addresses = new Map<EvidenceKind, string>();
  for (const wanted of possibleFiles(body, file, service)) {
    if (!expected.includes(wanted.kind)) continue;
    if (!wanted.address) {
      manifest.missing.push({ kind: wanted.kind, why: wanted.absent });
      continue;
    }
    const fetched = await fetchPdf(service, sink, FILE_NAMES[wanted.kind], wanted.address, origins, signal);
    if ("missing" in fetched) manifest.missing.push({ kind: wanted.kind, why: fetched.missing });
    else {
      manifest.files.push(verifiedFile(wanted, fetched));
      drafts.set(wanted.kind, fetched.draft);
      addresses.set(wanted.kind, new URL(wanted.address, `${service.baseUrl}/`).href);
    }
  }
  if (expected.includes("nom151")) await addConstancia(manifest, file, sink, drafts);
  manifest.complete = expected.every(kind => manifest.files.some(each => each.kind === kind && each.proven));
  signal?.throwIfAborted();
  assertGood(manifest);
  const { sha256 } = await sink.write(MANIFEST, [Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`)]);
  await sink.finish();
  return { manifest, sha256, addresses };
}

function verifiedFile({ kind, stated, notVerified }: PossibleFile, { draft, neededKey }: FetchedPdf): EvidenceFile {
  const { fileName, bytes, sha256 } = draft;
  const result = { kind, fileName, bytes, sha256, neededKey, proven: true };
  if (!stated) return { ...result, verified: ["it is a PDF"], notVerified: [...notVerified] };
  if (!stated.hash) {
    const unknown = `its SHA-256: the service states no ${stated.field}`;
    return { ...result, verified: ["it is a PDF"], notVerified: [unknown, ...notVerified] };
  }
  if (sha256 !== stated.hash) {
    throw new EvidenceError(
      `${fileName} isn't what the service says it is: expected SHA-256 ${stated.hash} (${stated.field}), found ${sha256}. Nothing was written.`,
    );
  }
  return { ...result, verified: [`its SHA-256 is the service's ${stated.field}`], notVerified: [...notVerified] };
}

async function addConstancia(
  manifest: EvidenceManifest,
  file: FileBody,
  sink: Sink,
  drafts: ReadonlyMap<EvidenceKind, Draft>,
): Promise<void> {
  const text = constanciaText(file);
  const kind = "nom151";
  const miss = (why: string) => void manifest.missing.push({ kind, why });
  if (text === "") return miss("the NOM151 constancia isn't there yet");
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 === 1)
    return miss("what the service gives as the constancia isn't base64");
  const bytes = Buffer.from(text, "base64");
  // A bundle of its own, with its libraries: read by the first constancia, and never without one.
  const { readConstancia } = await import("./constancia.js");
  const { constancia, proven, verified, notVerified } = await readConstancia(bytes, {
    original: drafts.get("original")?.content,
    signed: drafts.get("signed")?.content,
  });
  manifest.constancia = constancia;
  if (constancia.kind === "invalid")
    return miss(`what the service gives as the constancia is invalid: ${constancia.why}`);
  const { fileName, sha256 } = await sink.write(FILE_NAMES.nom151, [bytes]);
  manifest.files.push({ kind, fileName, bytes: bytes.length, sha256, proven, verified, notVerified });
}

// ---- Fetched ----

const MOST_BREAKS = 4;

interface FetchedPdf {
  readonly draft: Draft;
  readonly neededKey: boolean;
}

/**
 * The interface doesn't show whether an address needs the key, so it is tried without, and with the key only if that leads
 * nowhere. The key stays at the service's own origin; other origins are asked where they are allowed. No redirect is followed.
 */
async function fetchPdf(
  service: Service,
  sink: Sink,
  fileName: string,
  address: string,
  allowOrigins: readonly string[],
  signal: AbortSignal | undefined,
): Promise<FetchedPdf | { readonly missing: string }> {
  let missing = "";
  const elsewhere = otherOrigin(service, address);
  for (const withKey of elsewhere === undefined ? [false, true] : [false]) {
    try {
      const draft = await downloaded(sink, fileName, () =>
        service.download(address, { signal, withKey, allowOrigins }),
      );
      if (draft.head.startsWith("%PDF-")) return { draft, neededKey: withKey };
      await sink.drop(draft);
      missing = "what the service sends isn't a PDF";
    } catch (error) {
      if (error instanceof InvalidArgumentError) {
        const advice = elsewhere === undefined ? "" : `; \`allowOrigins: [${JSON.stringify(elsewhere)}]\` fetches it`;
        return { missing: error.message + advice };
      }
      // The service refused, as opposed to having failed.
      if (!(error instanceof StatusError && error.isLasting)) throw error;
      missing = error.status === 404 ? "there is nothing at the address the service gives for it (404)" : error.message;
    }
  }
  return { missing };
}

/** The client repeats what is never answered; an answer that breaks off half-way is asked for anew here. */
async function downloaded(
  sink: Sink,
  fileName: string,
  download: () => Promise<AsyncIterable<Uint8Array>>,
): Promise<Draft> {
  for (let breaks = 1; ; breaks++) {
    const content = await download();
    try {
      return await sink.write(fileName, content);
    } catch (error) {
      const isBroken = error instanceof TimeoutError || (error instanceof TransportError && error.retryable);
      if (!isBroken || breaks === MOST_BREAKS) throw error;
    }
  }
}

/** Where the address leads, if not to the service's own origin. */
function otherOrigin({ baseUrl, origin }: Service, address: string): string | undefined {
  const found = URL.canParse(address, `${baseUrl}/`) ? new URL(address, `${baseUrl}/`).origin : origin;
  return found === origin ? undefined : found;
}

/** An origin as it was given: an address whose path says nothing. */
function originOf(given: string): string {
  try {
    const { origin, href } = parseBaseUrl(given);
    if (href === origin) return origin;
  } catch {
    // Said below, in words that name the argument.
  }
  throw new EvidenceError(
    `allowOrigins: expected an origin such as https://files.example, got ${JSON.stringify(given)}`,
  );
}
