import { createHash } from "node:crypto";
import type { DocumentBody, FileBody, Service } from "../../client/service.js";
import type { DocumentOutputs } from "./declaration.js";
import { withoutMarker } from "./marker.js";
import { allSigned, latestFile, pendingIn, signerRows } from "./signatures.js";
import type { Terms } from "./terms.js";
import { trimmed } from "./trimmed.js";

/** What state knows of a document and the service doesn't. */
export interface Kept {
  readonly supersedes: readonly string[];
  readonly imported: boolean;
  readonly drift: readonly string[];
  readonly terms?: Terms;
}

type Every<T> = { [K in keyof Required<T>]: T[K] };

/** The service's document as state keeps it: compact, because state is written again at every step of a deployment. */
export function outputsOf(
  body: DocumentBody,
  service: Pick<Service, "origin" | "baseUrl">,
  kept: Kept,
): DocumentOutputs {
  const latest = latestFile(body);
  const signers = signerRows(body);
  return trimmed<Every<DocumentOutputs>>({
    documentId: body.id,
    name: body.name,
    description: withoutMarker(body.description ?? "") || undefined,
    folderId: body.folderId ?? undefined,
    status: body.status,
    allSigned: allSigned(body),
    signers,
    pendingSigners: pendingIn(signers),
    lastVersion: body.lastVersion ?? latest?.version,
    versions: body.files.map(file =>
      trimmed({
        version: file.version,
        sha256: file.sha256 ?? undefined,
        url: file.url ?? undefined,
        signedFileUrl: signedFileUrlOf(file),
        signedEndedAt: file.signedEndedAt ?? undefined,
        status: file.status ?? undefined,
      }),
    ),
    sha256: latest?.sha256 ?? undefined,
    fileUrl: latest?.url ?? null,
    signedFileUrl: (latest && signedFileUrlOf(latest)) ?? null,
    signedSha256: latest?.sha256SignedFile ?? null,
    certificates: certificatesOf(latest, service.baseUrl),
    // Not the service's word: found out by trying, once they are ready.
    certificatesNeedKey: null,
    nom151: nom151Of(body.id, latest),
    createdAt: body.createdAt ?? undefined,
    updatedAt: body.updatedAt ?? undefined,
    ownerId: body.ownerId ?? undefined,
    organization: body.organization ? { id: body.organization.id, name: body.organization.name } : undefined,
    effectiveFrom: kept.terms?.effectiveFrom,
    expiresAt: kept.terms?.expiresAt,
    renewBefore: kept.terms?.renewBefore,
    supersedes: [...kept.supersedes],
    drift: [...kept.drift],
    imported: kept.imported,
    service: service.origin,
  });
}

/** A service may give the address of a signed PDF before anybody has signed it. */
const signedFileUrlOf = ({ signers, signedFileUrl }: FileBody): string | undefined =>
  signers.length > 0 && signers.every(({ status }) => status === "unsigned") ? undefined : (signedFileUrl ?? undefined);

const SHA256 = /^[0-9a-f]{64}$/i;

/** The addresses of section 4.8 of the interface: only when all three values are there. */
export function certificatesOf(file: FileBody | undefined, baseUrl: string): DocumentOutputs["certificates"] {
  const hash = file?.sha256SignedFile ?? "";
  const ready = Boolean(file?.xmlBtcCert) && Boolean(file?.xmlEthCert) && SHA256.test(hash);
  return {
    status: file?.blockchainCertsStatus ?? "",
    ready,
    btcUrl: ready ? `${baseUrl}/v3/timestamps/${hash}.pdf` : null,
    ethUrl: ready ? `${baseUrl}/v3/timestamps/eth/${hash}.pdf` : null,
  };
}

const VERSION = /^\d{1,9}$/;

/** Section 4.9 of the interface: the constancia as a data URI. */
export function nom151Of(documentId: string, file: FileBody | undefined): DocumentOutputs["nom151"] {
  const constancia = file?.constancia ?? "";
  const version = file?.version ?? "1";
  if (constancia === "") return { ready: false, dataUri: null, fileName: null, sha256: null };
  return {
    ready: true,
    dataUri: `data:application/octet-stream;base64,${constancia}`,
    // A name of ours: what the service calls a version is written down as it is, and becomes no part of a path.
    fileName: `document-${documentId}${VERSION.test(version) ? `-v${version}` : ""}.asn1`,
    sha256: createHash("sha256").update(Buffer.from(constancia, "base64")).digest("hex"),
  };
}

export { byId } from "../../client/ids.js";
export { addressOf, allSigned, isUnsigned, latestFile, signerRows } from "./signatures.js";
