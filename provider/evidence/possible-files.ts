import { allSigned, certificatesOf } from "../client/files.js";
import type { DocumentBody, FileBody, Service } from "../client/service.js";
import type { EvidenceKind } from "./types.js";

export const MANIFEST = "evidence.json";

/** Names are ours, never the service's. */
export const FILE_NAMES = {
  original: "original.pdf",
  signed: "signed.pdf",
  "btc-certificate": "certificate-btc.pdf",
  "eth-certificate": "certificate-eth.pdf",
  "evidence-document": "evidence-document.pdf",
  nom151: "constancia.asn1",
} as const satisfies Readonly<Record<EvidenceKind, string>>;

/** A PDF that the service has an address for. */
export interface PossibleFile {
  readonly kind: EvidenceKind;
  readonly address: string | null;
  /** Why there is no address. */
  readonly absent: string;
  /** What the service says its SHA-256 is, and where it says so. */
  readonly stated?: { readonly hash: string | null; readonly field: string };
  readonly notVerified: readonly string[];
}

export const headOf = (body: DocumentBody, file: FileBody, service: Service) => ({
  documentId: body.id,
  name: body.name,
  version: file.version,
  status: body.status,
  allSigned: allSigned(body),
  service: service.origin,
});

export function possibleFiles(body: DocumentBody, file: FileBody, service: Service): PossibleFile[] {
  const { btcUrl, ethUrl, status } = certificatesOf(file, service.baseUrl);
  const unready = `the blockchain certificates aren't ready (status ${JSON.stringify(status)})`;
  const unnamed = "the service names no address for it";
  const chain = ["what it says, and the entry in the blockchain it points to"];
  const isDone = isSigned(body);
  return [
    {
      kind: "original",
      address: file.url,
      absent: unnamed,
      stated: { hash: file.sha256, field: "sha256" },
      notVerified: [],
    },
    {
      kind: "signed",
      address: isDone ? file.signedFileUrl : null,
      absent: isDone ? unnamed : "not everybody has signed",
      stated: { hash: file.sha256SignedFile?.toLowerCase() ?? null, field: "sha256_signed_file" },
      notVerified: ["the signatures inside the PDF"],
    },
    { kind: "btc-certificate", address: btcUrl, absent: unready, notVerified: chain },
    { kind: "eth-certificate", address: ethUrl, absent: unready, notVerified: chain },
    { kind: "evidence-document", address: file.evidenceDocUrl, absent: unnamed, notVerified: ["what it says"] },
  ];
}

/**
 * What this document is to have, by its own fields: certificates are made for some documents only. A field that the
 * service leaves out promises nothing, and what is there all the same belongs to the evidence.
 */
export function expectedKinds(body: DocumentBody, file: FileBody): EvidenceKind[] {
  const { blockchainCertsStatus: status } = file;
  const requested = status !== null && status !== "" && status !== "not_requested";
  const blockchain =
    body.blockchainCertsEnabled === true || requested || Boolean(file.xmlBtcCert) || Boolean(file.xmlEthCert);
  const nom151 = body.withNom151 === true || Boolean(file.constancia);
  return [
    "original",
    "signed",
    ...(blockchain ? (["btc-certificate", "eth-certificate"] as const) : []),
    ...(file.evidenceDocUrl ? (["evidence-document"] as const) : []),
    ...(nom151 ? (["nom151"] as const) : []),
  ];
}

/** Whether there is a signed PDF worth the name: an address may be given before anyone has signed. */
export const isSigned = (body: DocumentBody): boolean => allSigned(body) || body.status === "signed";

/** In base64; empty where there is none. */
export const constanciaText = (file: FileBody): string => (file.constancia ?? "").replace(/\s+/g, "");
