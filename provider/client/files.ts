import { createHash, hash } from "node:crypto";
import { CancelledError, ServiceError, StatusError } from "./errors.js";
import type { DocumentBody, FileBody, RequestOptions, Service } from "./service.js";

/*
 * What a document's files say, each of which is a version: which is the latest, whether somebody has signed, what the PDF's
 * hash is, and where the certificates are.
 */

// ---- Versions ----

/** The file whose version the document names as its last; where none has it, the one with the highest number. */
export function latestFile(body: DocumentBody): FileBody | undefined {
  const named = body.files.find(file => file.version === body.lastVersion);
  return named ?? [...body.files].sort((a, b) => Number(b.version) - Number(a.version))[0];
}

export const firstFile = (body: DocumentBody): FileBody | undefined =>
  [...body.files].sort((a, b) => Number(a.version) - Number(b.version))[0];

// ---- Signatures ----

/** Counted from the signers, never taken from the document's status. */
export function allSigned(body: DocumentBody): boolean {
  const signers = latestFile(body)?.signers ?? [];
  return (
    signers.length > 0 &&
    signers.length >= body.invitations.length &&
    signers.every(signer => signer.status === "signed")
  );
}

/** Whether nobody has signed: the service says so and shows nobody who has. A status it adds later counts as signed. */
export function isUnsigned(body: DocumentBody): boolean {
  return (
    body.status === "unsigned" && body.files.every(file => file.signers.every(signer => signer.status === "unsigned"))
  );
}

/** A service may give the address of a signed PDF before anybody has signed it. */
export const signedFileUrlOf = ({ signers, signedFileUrl }: FileBody): string | undefined =>
  signers.length > 0 && signers.every(({ status }) => status === "unsigned") ? undefined : (signedFileUrl ?? undefined);

// ---- Hashes ----

/** The hash of the PDF the document was created with; where the service leaves it out, of the PDF downloaded. */
export async function firstHash(body: DocumentBody, service: Service, signal: AbortSignal) {
  const first = firstFile(body);
  return first && hashOfFile(first, service, signal);
}

/** A file's hash, from the service's word or its bytes; undefined where neither can be had. */
export async function hashOfFile(file: FileBody, service: Service, signal: AbortSignal): Promise<string | undefined> {
  if (file.sha256) return file.sha256;
  return file.url ? digestOf(file.url, service, signal) : undefined;
}

/** Of all bytes at an address, or of so many from its beginning; undefined where they can't be had. */
export async function digestOf(
  url: string,
  service: Service,
  signal: AbortSignal,
  most = Number.POSITIVE_INFINITY,
): Promise<string | undefined> {
  const digest = createHash("sha256");
  let read = 0;
  for (const withKey of [false, true]) {
    try {
      for await (const chunk of await service.download(url, { signal, withKey })) {
        digest.update(chunk.subarray(0, most - read));
        read += chunk.length;
        if (read >= most) break;
      }
      return digest.digest("hex");
    } catch (error) {
      if (error instanceof CancelledError || !(error instanceof ServiceError)) throw error;
      if (read > 0) return undefined;
    }
  }
  return undefined;
}

// ---- Certificates ----

export type Certificates = ReturnType<typeof certificatesOf>;
export type Nom151 = ReturnType<typeof nom151Of>;

const SHA256 = /^[0-9a-f]{64}$/i;

/** The addresses of section 4.8 of the interface: only when all three values are there. */
export function certificatesOf(file: FileBody | undefined, baseUrl: string) {
  const signed = file?.sha256SignedFile ?? "";
  const ready = Boolean(file?.xmlBtcCert) && Boolean(file?.xmlEthCert) && SHA256.test(signed);
  return {
    status: file?.blockchainCertsStatus ?? "",
    ready,
    btcUrl: ready ? `${baseUrl}/v3/timestamps/${signed}.pdf` : null,
    ethUrl: ready ? `${baseUrl}/v3/timestamps/eth/${signed}.pdf` : null,
  };
}

const VERSION = /^\d{1,9}$/;

/** Section 4.9 of the interface: the constancia as a data URI. */
export function nom151Of(documentId: string, file: FileBody | undefined) {
  const constancia = file?.constancia ?? "";
  const version = file?.version ?? "1";
  if (constancia === "") return { ready: false, dataUri: null, fileName: null, sha256: null };
  return {
    ready: true,
    dataUri: `data:application/octet-stream;base64,${constancia}`,
    // A name of ours: what the service calls a version is written down as it is, and becomes no part of a path.
    fileName: `document-${documentId}${VERSION.test(version) ? `-v${version}` : ""}.asn1`,
    sha256: hash("sha256", Buffer.from(constancia, "base64")),
  };
}

/**
 * The interface doesn't show whether these addresses want the key. Null where neither way leads to a PDF, `unanswered` where that
 * can't be told now. Both tries stay at the service's own origin.
 */
export async function keyNeed(service: Service, address: string, ask: RequestOptions): Promise<KeyNeed> {
  for (const withKey of [false, true]) {
    try {
      if (await beginsAsPdf(await service.download(address, { ...ask, withKey }))) return withKey;
    } catch (error) {
      if (error instanceof CancelledError) throw error;
      if (!(error instanceof StatusError && error.isLasting)) return "unanswered";
    }
  }
  return null;
}

type KeyNeed = boolean | null | "unanswered";

export async function needsKey(service: Service, address: string | null, ask: RequestOptions): Promise<boolean | null> {
  const need = address === null ? null : await keyNeed(service, address, ask);
  return need === "unanswered" ? null : need;
}

/** Reads its first bytes only, which ends the request. */
async function beginsAsPdf(chunks: AsyncIterable<Uint8Array>): Promise<boolean> {
  let head = "";
  for await (const chunk of chunks) {
    head += Buffer.from(chunk.subarray(0, 5)).toString("latin1");
    if (head.length >= 5) break;
  }
  return head.startsWith("%PDF-");
}
