import type { SandboxContext } from "./context.js";
import type {
  AccountRecord,
  DocumentRecord,
  FileRecord,
  InvitationRecord,
  SignatureType,
  SignerRecord,
} from "./entities.js";
import { conflict, notFound, Refusal } from "./refusal.js";
import type { Settings } from "./settings.js";

export const documentStatuses = ["signed", "unsigned", "partially_signed"] as const;
export const allowedSignatureTypes = ["all", "autograph", "advanced"] as const;

export function latestFile(document: DocumentRecord): FileRecord {
  const latest = document.files.at(-1);
  if (!latest) throw new Error(`Document ${document.id} has no file`);
  return latest;
}

export function fileStatus(file: FileRecord): string {
  const signed = file.signers.filter(signer => signer.signedAt !== null).length;
  if (signed === 0) return "unsigned";
  return signed === file.signers.length ? "signed" : "partially_signed";
}

/** With settings, in the service's own words. */
export function documentStatus(document: DocumentRecord, settings?: Pick<Settings, "unsignedStatus">): string {
  const status = document.forcedStatus ?? fileStatus(latestFile(document));
  return status === "unsigned" ? (settings?.unsignedStatus ?? status) : status;
}

export function signerOf(file: FileRecord, invitation: InvitationRecord): SignerRecord | undefined {
  return file.signers.find(signer => signer.invitationId === invitation.id);
}

export const inOrderOfStages = ({ invitations }: DocumentRecord): InvitationRecord[] =>
  invitations.toSorted((one, other) => one.stage - other.stage || one.id - other.id);

/** The lowest stage somebody still has to sign in; once all have signed, the last stage. */
export function signingStage(document: DocumentRecord): number {
  const file = latestFile(document);
  const open = document.invitations.filter(one => signerOf(file, one)?.signedAt === null).map(one => one.stage);
  if (open.length > 0) return Math.min(...open);
  return Math.max(1, ...document.invitations.map(one => one.stage));
}

export function isExtended(document: DocumentRecord, settings: Settings): boolean {
  if (settings.form !== "auto") return settings.form === "extended";
  const certified = document.files.some(file => file.certsStatus !== "not_requested" || file.constancia !== null);
  return document.withNom151 || certified || documentStatus(document) === "partially_signed";
}

export function signatureTypeFor(invitation: InvitationRecord, wanted: SignatureType | undefined): SignatureType {
  const only = invitation.allowedSignatureTypes;
  if (only === "all") return wanted ?? "advanced";
  if (wanted && wanted !== only) {
    throw conflict("signature_type_not_allowed", `${invitation.email} may only sign with the type ${only}`);
  }
  return only;
}

export function refuseUnlessTheirTurn(document: DocumentRecord, invitation: InvitationRecord): void {
  const current = signingStage(document);
  if (signerOf(latestFile(document), invitation)?.signedAt != null) {
    throw conflict("already_signed", `${invitation.email} has signed already`);
  }
  if (invitation.stage > current) {
    throw conflict(
      "stage_not_open",
      `${invitation.email} signs in stage ${invitation.stage}, stage ${current} is open`,
    );
  }
}

export function refuseNewVersionUnlessUnsigned(document: DocumentRecord): void {
  const status = documentStatus(document);
  if (status !== "unsigned") {
    throw conflict("not_unsigned", `A new version needs an unsigned document, this one is ${status}`);
  }
}

export function refuseCertificatesUnlessSigned(document: DocumentRecord): void {
  if (fileStatus(latestFile(document)) !== "signed") {
    throw conflict("not_signed", "Certificates are made for signed documents only");
  }
}

// ---- What an account sees ----

export function maySee(context: SandboxContext, account: AccountRecord, document: DocumentRecord): boolean {
  const organization = context.store.organization(document.organizationId);
  return document.ownerId === account.id || organization?.memberIds.includes(account.id) === true;
}

/** Whether a read finds the document yet. A read that misses it counts towards the lag that is measured in reads. */
export function hasArrived(context: SandboxContext, document: DocumentRecord): boolean {
  if (document.missesLeft > 0) {
    document.missesLeft -= 1;
    return false;
  }
  return context.clock.now() >= document.createdAt + (context.settings.lag.ms ?? 0);
}

export function hasArrivedInLists(context: SandboxContext, document: DocumentRecord): boolean {
  const misses = document.listMissesLeft ?? 0;
  if (misses > 0) document.listMissesLeft = misses - 1;
  return hasArrived(context, document) && misses === 0;
}

/** Which document a read of this one answers with, if it doesn't refuse it. */
export function documentRead(context: SandboxContext, document: DocumentRecord): DocumentRecord {
  const { reads } = context.settings;
  const nth = (document.reads ?? 0) + 1;
  document.reads = nth;
  if (reads === "403") throw new Refusal(403, "forbidden", "This account may not read the document");
  const isMissed =
    reads === "404" || (reads === "404-once" && nth === 1) || (reads === "404-at-times" && nth % 3 === 0);
  if (isMissed) throw notFound("The document");
  const another = context.store.data.documents.find(one => one.ownerId === document.ownerId && one !== document);
  return reads === "another" ? (another ?? document) : document;
}
