import { type SandboxContext, sha256 } from "./context.js";
import { mailTheOpenStage } from "./documents.js";
import type { CertsStatus, DocumentRecord, FileRecord, InvitationRecord, SignatureType } from "./entities.js";
import { signatureStamp, signedPdf } from "./pdf.js";
import { conflict, notFound } from "./refusal.js";
import {
  fileStatus,
  inOrderOfStages,
  latestFile,
  refuseCertificatesUnlessSigned,
  refuseUnlessTheirTurn,
  signatureTypeFor,
  signerOf,
} from "./rules.js";
import { sameAddress } from "./store.js";

/** An invitee: by e-mail address, or by invitation id where an address is invited more than once. */
export type Who = string | number;

export interface SignOptions {
  type?: SignatureType;
}

/** What to certify: `requested` leaves the blockchain certificates on their way, `all` is `blockchain` and `nom151`. */
export type CertifyWhat = "requested" | "blockchain" | "nom151" | "all";

export interface CertifyOptions {
  /** Base64 text to use as the NOM151 constancia. */
  constancia?: string;
}

export function sign(context: SandboxContext, document: DocumentRecord, who: Who, options: SignOptions = {}): void {
  const file = latestFile(document);
  const invitation = findInvitee(document, who);
  const signer = signerOf(file, invitation);
  if (!signer) throw notFound(`The signer ${who}`);
  refuseUnlessTheirTurn(document, invitation);
  const signatureType = signatureTypeFor(invitation, options.type);
  countOnce(context, document);
  const now = context.clock.now();
  Object.assign(signer, { signatureType, signedAt: now, updatedAt: now });
  Object.assign(invitation, { status: "accepted", updatedAt: now });
  document.updatedAt = now;
  file.updatedAt = now;
  if (fileStatus(file) === "signed") finish(context, file);
  else mailTheOpenStage(context, document);
}

export function decline(context: SandboxContext, document: DocumentRecord, who: Who): void {
  const invitation = findInvitee(document, who);
  refuseUnlessTheirTurn(document, invitation);
  Object.assign(invitation, { status: "declined", updatedAt: context.clock.now() });
}

export function certify(
  context: SandboxContext,
  document: DocumentRecord,
  what: CertifyWhat,
  options: CertifyOptions = {},
): void {
  refuseCertificatesUnlessSigned(document);
  const file = latestFile(document);
  if (what === "requested") setCertificates(file, "requested", null);
  else if (what !== "nom151") setCertificates(file, "sended", file.signedSha256);
  if (what === "nom151" || what === "all") {
    document.withNom151 = true;
    file.constancia = options.constancia ?? makeConstancia(file.sha256, context.clock.now());
  }
  file.updatedAt = context.clock.now();
  document.updatedAt = context.clock.now();
}

/** The exact bytes behind `signed_file_url`. */
export function signedContent(context: SandboxContext, file: FileRecord): Buffer | undefined {
  const original = context.store.pdfs.get(file.sha256);
  return original && signedPdf(original, stampOf(file));
}

function findInvitee(document: DocumentRecord, who: Who): InvitationRecord {
  const file = latestFile(document);
  const theirs = inOrderOfStages(document).filter(one =>
    typeof who === "number" ? one.id === who : sameAddress(one.email, who),
  );
  const found = theirs.find(one => signerOf(file, one)?.signedAt === null) ?? theirs[0];
  if (!found) throw notFound(`An invitation of ${who} to document ${document.id}`);
  return found;
}

function countOnce(context: SandboxContext, document: DocumentRecord): void {
  if (document.counted) return;
  const owner = context.store.account(document.ownerId);
  if (owner && owner.documentsLeft !== null) {
    if (owner.documentsLeft <= 0) throw conflict("no_documents_left", "The account has no documents left");
    owner.documentsLeft -= 1;
  }
  document.counted = true;
}

function finish(context: SandboxContext, file: FileRecord): void {
  file.signedEndedAt = context.clock.now();
  const signed = signedContent(context, file);
  file.signedSha256 = signed ? sha256(signed) : sha256(file.sha256 + stampOf(file));
}

function stampOf(file: FileRecord): string {
  const signatures = file.signers.map(
    signer => `${signer.signatureType} signature by ${signer.email} at ${new Date(signer.signedAt ?? 0).toISOString()}`,
  );
  return signatureStamp(file.sha256, signatures);
}

function setCertificates(file: FileRecord, status: CertsStatus, signedSha256: string | null): void {
  const xml = (chain: string) =>
    signedSha256 &&
    `<?xml version="1.0" encoding="UTF-8"?><timestamp chain="${chain}"><sha256>${signedSha256}</sha256></timestamp>`;
  file.certsStatus = status;
  file.xmlBtcCert = xml("bitcoin");
  file.xmlEthCert = xml("ethereum");
}

// ---- The constancia ----

/** Just enough ASN.1 DER to make a constancia that parses; each part is of one length. It is no RFC 3161 token and proves nothing. */
export function makeConstancia(sha256: string, time: number): string {
  const hex = (text: string) => Buffer.from(text, "latin1").toString("hex");
  const moment = `${new Date(time).toISOString().replace(/\D/g, "").slice(0, 14)}Z`;
  const parts = [
    // A version, then the imprint: which hash (2.16.840.1.101.3.4.2.1, SHA-256), and its octets.
    "020101",
    `3031300d060960864801650304020105000420${sha256}`,
    `180f${hex(moment)}`,
    `0c0f${hex("docsign sandbox")}`,
  ];
  return Buffer.from(`3058${parts.join("")}`, "hex").toString("base64");
}
