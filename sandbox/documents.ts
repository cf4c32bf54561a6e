import { type SandboxContext, sha256 } from "./context.js";
import type {
  AccountRecord,
  AllowedSignatureTypes,
  DocumentRecord,
  FileRecord,
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
  content: { sha256: string; byteLength: number; bytes: Buffer | null };
}

export function createDocument(context: SandboxContext, owner: AccountRecord, wanted: NewDocument): DocumentRecord {
  if (owner.documentsLeft !== null && owner.documentsLeft <= 0) {
    throw conflict("no_documents_left", "The account has no documents left");
  }
  if (owner.storageLeft !== null) {
    if (wanted.content.byteLength > owner.storageLeft) {
      throw conflict("no_storage_left", "The account has no storage left for this file");
    }
    owner.storageLeft -= wanted.content.byteLength;
  }
  const now = context.clock.now();
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
    createdAt: now,
    updatedAt: now,
  };
  document.invitations = wanted.invitations.map(one => newInvitation(context, document, one));
  addFile(context, document, wanted.content);
  context.store.data.documents.push(document);
  mailTheOpenStage(context, document);
  return document;
}

export function newInvitation(
  context: SandboxContext,
  document: DocumentRecord,
  { email, name = "", message = "", allowedSignatureTypes = "all", stage = 1 }: NewInvitation,
): InvitationRecord {
  const now = context.clock.now();
  return {
    id: context.store.nextId("invitation"),
    documentId: document.id,
    ...{ name, email, message, allowedSignatureTypes, stage },
    status: "pending",
    mailed: false,
    createdAt: now,
    updatedAt: now,
  };
}

/** One more version of the document, with everybody invited still to sign it. */
export function addFile(
  context: SandboxContext,
  document: DocumentRecord,
  content: NewDocument["content"],
): FileRecord {
  const now = context.clock.now();
  if (content.bytes) context.content.put(content.sha256, content.bytes);
  const id = context.store.nextId("file");
  const file: FileRecord = {
    id,
    documentId: document.id,
    name: null,
    version: document.files.length + 1,
    token: context.makeKey(`file ${id}`, 24),
    sha256: content.sha256,
    byteLength: content.byteLength,
    signedSha256: null,
    signedEndedAt: null,
    constancia: null,
    xmlBtcCert: null,
    xmlEthCert: null,
    certsStatus: "not_requested",
    comments: [],
    signers: [],
    createdAt: now,
    updatedAt: now,
  };
  file.signers = document.invitations.map(invitation => newSigner(context, file, invitation));
  document.files.push(file);
  return file;
}

export function newSigner(context: SandboxContext, file: FileRecord, invitation: InvitationRecord): SignerRecord {
  const now = context.clock.now();
  return {
    id: context.store.nextId("signer"),
    fileId: file.id,
    invitationId: invitation.id,
    email: invitation.email,
    signatureType: invitation.allowedSignatureTypes === "autograph" ? "autograph" : "advanced",
    signedAt: null,
    hashToSign: sha256(`${file.sha256}:${invitation.id}`),
    createdAt: now,
    updatedAt: now,
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
