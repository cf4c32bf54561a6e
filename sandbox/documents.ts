import { type SandboxContext, sha256 } from "./context.js";
import type {
  AccountRecord,
  AllowedSignatureTypes,
  DocumentRecord,
  FileRecord,
  FolderRecord,
  InvitationRecord,
  MailRecord,
  SignerRecord,
} from "./entities.js";
import { conflict } from "./refusal.js";
import { latestFile, signerOf, signingStage } from "./rules.js";

export interface NewInvitation {
  email: string;
  name?: string | undefined;
  message?: string | undefined;
  allowedSignatureTypes?: AllowedSignatureTypes | undefined;
  stage?: number | undefined;
}

export interface NewDocument {
  name: string;
  description: string;
  folderId: number | null;
  invitations: readonly NewInvitation[];
  pdf: Pdf;
}

/** Without its bytes, one that nobody can download. */
export interface Pdf {
  sha256: string;
  byteLength: number;
  bytes?: Buffer;
}

export const pdfOf = (bytes: Buffer): Pdf => ({ sha256: sha256(bytes), byteLength: bytes.length, bytes });

function createdNow({ clock }: SandboxContext) {
  const now = clock.now();
  return { createdAt: now, updatedAt: now };
}

export function createDocument(context: SandboxContext, owner: AccountRecord, wanted: NewDocument): DocumentRecord {
  if (owner.documentsLeft !== null && owner.documentsLeft <= 0) {
    throw conflict("no_documents_left", "The account has no documents left");
  }
  if (owner.storageLeft !== null) {
    if (wanted.pdf.byteLength > owner.storageLeft) {
      throw conflict("no_storage_left", "The account has no storage left for this file");
    }
    owner.storageLeft -= wanted.pdf.byteLength;
  }
  const document: DocumentRecord = {
    id: context.store.nextId("document"),
    ownerId: owner.id,
    folderId: wanted.folderId,
    organizationId: null,
    name: wanted.name,
    description: wanted.description,
    withNom151: false,
    active: true,
    counted: false,
    forcedStatus: null,
    missesLeft: context.settings.lag.requests ?? 0,
    listMissesLeft: context.settings.lag.lists ?? 0,
    files: [],
    invitations: [],
    ...createdNow(context),
  };
  document.invitations = wanted.invitations.map(one => newInvitation(context, document, one));
  addFile(context, document, wanted.pdf);
  context.store.data.documents.push(document);
  mailTheOpenStage(context, document);
  return document;
}

export function newInvitation(
  context: SandboxContext,
  document: DocumentRecord,
  { email, name = "", message = "", allowedSignatureTypes = "all", stage = 1 }: NewInvitation,
): InvitationRecord {
  return {
    id: context.store.nextId("invitation"),
    documentId: document.id,
    ...{ name, email, message, allowedSignatureTypes, stage },
    status: "pending",
    mailed: false,
    ...createdNow(context),
  };
}

export function addFolder(context: SandboxContext, owner: AccountRecord, name: string): FolderRecord {
  const folder = { id: context.store.nextId("folder"), name, ownerId: owner.id, ...createdNow(context) };
  context.store.data.folders.push(folder);
  return folder;
}

/** One more version of the document, with everybody invited still to sign it. */
export function addFile(context: SandboxContext, document: DocumentRecord, { sha256, byteLength, bytes }: Pdf): void {
  if (bytes) context.store.keepPdf(sha256, bytes);
  const id = context.store.nextId("file");
  const file: FileRecord = {
    id,
    documentId: document.id,
    name: null,
    version: document.files.length + 1,
    token: context.makeKey(`file ${id}`, 24),
    sha256,
    byteLength,
    signedSha256: null,
    signedEndedAt: null,
    constancia: null,
    xmlBtcCert: null,
    xmlEthCert: null,
    certsStatus: "not_requested",
    comments: [],
    signers: [],
    ...createdNow(context),
  };
  file.signers = document.invitations.map(invitation => newSigner(context, file, invitation));
  document.files.push(file);
}

export function newSigner(context: SandboxContext, file: FileRecord, invitation: InvitationRecord): SignerRecord {
  return {
    id: context.store.nextId("signer"),
    fileId: file.id,
    invitationId: invitation.id,
    email: invitation.email,
    signatureType: invitation.allowedSignatureTypes === "autograph" ? "autograph" : "advanced",
    signedAt: null,
    hashToSign: sha256(`${file.sha256}:${invitation.id}`),
    ...createdNow(context),
  };
}

/** Invitees hear of a document when their stage opens. */
export function mailTheOpenStage(context: SandboxContext, document: DocumentRecord): void {
  const open = signingStage(document);
  const file = latestFile(document);
  for (const invitation of document.invitations) {
    if (invitation.stage > open || invitation.mailed || signerOf(file, invitation)?.signedAt != null) continue;
    invitation.mailed = true;
    sendMail(context, "invitation", invitation);
  }
}

export function sendMail(context: SandboxContext, kind: MailRecord["kind"], invitation: InvitationRecord): void {
  context.store.data.mails.push({
    kind,
    documentId: invitation.documentId,
    invitationId: invitation.id,
    to: invitation.email,
    message: invitation.message,
    at: new Date(context.clock.now()).toISOString(),
  });
}
