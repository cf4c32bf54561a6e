import { byId } from "../../client/ids.js";
import type { DocumentBody, FileBody, InvitationBody, Service, SignerBody } from "../../client/service.js";
import type { DocumentOutputs, SignerRow } from "./declaration.js";
import { withoutMarker } from "./marker.js";

/** What state knows of a document and the service doesn't. */
export interface Kept {
  readonly supersedes: readonly string[];
  readonly imported: boolean;
  readonly drift: readonly string[];
}

/** The service's document as state keeps it: compact, because state is written again at every step of a deployment. */
export function outputsOf(
  body: DocumentBody,
  service: Pick<Service, "origin" | "baseUrl">,
  kept: Kept,
): DocumentOutputs {
  const latest = latestFile(body);
  const signers = signerRows(body);
  return trimmed({
    documentId: body.id,
    name: body.name,
    description: withoutMarker(body.description ?? "") || undefined,
    folderId: body.folderId ?? undefined,
    status: body.status,
    allSigned: allSigned(body),
    signers,
    pendingSigners: signers.filter(row => row.status !== "signed").map(row => row.email),
    lastVersion: body.lastVersion ?? latest?.version,
    versions: body.files.map(file =>
      trimmed({
        version: file.version,
        sha256: file.sha256 ?? undefined,
        url: file.url ?? undefined,
        signedFileUrl: file.signedFileUrl ?? undefined,
        signedEndedAt: file.signedEndedAt ?? undefined,
        status: file.status ?? undefined,
      }),
    ),
    sha256: latest?.sha256 ?? undefined,
    fileUrl: latest?.url ?? undefined,
    signedFileUrl: latest?.signedFileUrl ?? undefined,
    signedSha256: latest?.sha256SignedFile ?? undefined,
    certificates: certificatesOf(latest, service.baseUrl),
    nom151: nom151Of(body.id, latest),
    createdAt: body.createdAt ?? undefined,
    updatedAt: body.updatedAt ?? undefined,
    ownerId: body.ownerId ?? undefined,
    organization: body.organization ? { id: body.organization.id, name: body.organization.name } : undefined,
    supersedes: [...kept.supersedes],
    drift: [...kept.drift],
    imported: kept.imported,
    service: service.origin,
  });
}

/** The file whose version the document names as its last; where none has it, the one with the highest number. */
export function latestFile(body: DocumentBody): FileBody | undefined {
  const named = body.files.find(file => file.version === body.lastVersion);
  return named ?? [...body.files].sort((a, b) => Number(b.version) - Number(a.version))[0];
}

/** One row for each invitation, joined with the latest version's signers by address: the k-th invitation of an address takes its k-th signer. */
export function signerRows(body: DocumentBody): SignerRow[] {
  const waiting = new Map<string, SignerBody[]>();
  for (const signer of [...(latestFile(body)?.signers ?? [])].sort((a, b) => byId(a.id ?? "", b.id ?? ""))) {
    const address = addressOf(signer.email);
    waiting.set(address, [...(waiting.get(address) ?? []), signer]);
  }
  return [...body.invitations].sort(byStageThenId).map(invitation => {
    const address = addressOf(invitation.email);
    const signer = address === "" ? undefined : waiting.get(address)?.shift();
    return trimmed({
      email: invitation.email ?? "",
      name: invitation.name ?? undefined,
      stage: invitation.stage ?? undefined,
      invitationId: invitation.id,
      invitationStatus: invitation.status ?? undefined,
      signerId: signer?.id ?? undefined,
      signatureType: signer?.signatureType ?? undefined,
      status: signer?.status ?? "unsigned",
    });
  });
}

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

const SHA256 = /^[0-9a-f]{64}$/i;

/** The addresses of section 4.8 of the interface: only when all three values are there. */
export function certificatesOf(file: FileBody | undefined, baseUrl: string): DocumentOutputs["certificates"] {
  const hash = file?.sha256SignedFile ?? "";
  const ready = Boolean(file?.xmlBtcCert) && Boolean(file?.xmlEthCert) && SHA256.test(hash);
  return trimmed({
    status: file?.blockchainCertsStatus ?? "",
    ready,
    btcUrl: ready ? `${baseUrl}/v3/timestamps/${hash}.pdf` : undefined,
    ethUrl: ready ? `${baseUrl}/v3/timestamps/eth/${hash}.pdf` : undefined,
  });
}

/** Section 4.9 of the interface: the constancia as a data URI. */
export function nom151Of(documentId: string, file: FileBody | undefined): DocumentOutputs["nom151"] {
  const constancia = file?.constancia ?? "";
  if (constancia === "") return { ready: false };
  return {
    ready: true,
    dataUri: `data:application/octet-stream;base64,${constancia}`,
    fileName: `document-${documentId}-v${file?.version ?? "1"}.asn1`,
  };
}

export { byId };

export const addressOf = (email: string | null | undefined): string => (email ?? "").trim().toLowerCase();

const byStageThenId = (a: InvitationBody, b: InvitationBody): number =>
  (a.stage ?? 0) - (b.stage ?? 0) || byId(a.id, b.id);

/** Without what isn't there: state has no room for undefined. */
type Trimmed<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};
function trimmed<T extends object>(record: T): Trimmed<T> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as Trimmed<T>;
}
