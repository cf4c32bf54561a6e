import type { DocumentBody, FileBody } from "../client/service.js";
import { allSigned } from "../resources/document/document-state.js";
import type { EvidenceKind } from "./types.js";

/**
 * What this document is to have, by its own fields: certificates are made for some documents only. A field that the
 * service leaves out promises nothing, and what is there all the same belongs to the evidence.
 */
export function expectedOf(body: DocumentBody, file: FileBody): EvidenceKind[] {
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
