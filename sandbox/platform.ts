import { type SandboxContext, sha256 } from "./context.js";
import { addFile, mailTheOpenStage, type NewInvitation, newInvitation, newSigner } from "./documents.js";
import type {
  AccountRecord,
  AllowedSignatureTypes,
  DocumentRecord,
  FolderRecord,
  InvitationRecord,
  OrganizationRecord,
  UserRecord,
} from "./entities.js";
import { conflict, notFound } from "./refusal.js";
import { latestFile, refuseNewVersionUnlessUnsigned } from "./rules.js";
import { sameAddress } from "./store.js";

/** What people do in the platform's own pages, where the interface has no call for it. */

export interface NewAccount {
  email: string;
  name?: string;
  password?: string;
  apiKey?: string;
  /** Documents the account may still have signed; without limit unless given. */
  quota?: number;
  /** Bytes the account may still upload; without limit unless given. */
  storage?: number;
}

export interface DocumentPatch {
  name?: string;
  description?: string;
  folderId?: number | null;
  organizationId?: number | null;
  active?: boolean;
}

export interface InvitationPatch {
  email?: string;
  name?: string;
  stage?: number;
  status?: string;
  allowedSignatureTypes?: AllowedSignatureTypes;
}

export function addAccount(context: SandboxContext, wanted: NewAccount): AccountRecord {
  if (context.store.accountByEmail(wanted.email))
    throw conflict("email_taken", `${wanted.email} has an account already`);
  const id = context.store.nextId("user");
  const account: AccountRecord = {
    id,
    name: wanted.name ?? wanted.email.replace(/@.*/, ""),
    email: wanted.email,
    password: wanted.password ?? context.makeKey(`password ${id}`, 16),
    apiKey: wanted.apiKey ?? context.makeKey(`key ${id}`, 40),
    documentsLeft: wanted.quota ?? null,
    storageLeft: wanted.storage ?? null,
  };
  context.store.data.accounts.push(account);
  return account;
}

export function addUser(context: SandboxContext, email: string, name: string): UserRecord {
  const user = { id: context.store.nextId("user"), name, email };
  context.store.data.users.push(user);
  return user;
}

export function addOrganization(context: SandboxContext, name: string, members: readonly string[]): OrganizationRecord {
  const memberIds = members.map(email => context.store.registered(email)?.id ?? missing(`The user ${email}`));
  const organization = { id: context.store.nextId("organization"), name, memberIds };
  context.store.data.organizations.push(organization);
  return organization;
}

export function addFolder(context: SandboxContext, owner: AccountRecord, name: string): FolderRecord {
  const now = context.clock.now();
  const folder = { id: context.store.nextId("folder"), name, ownerId: owner.id, createdAt: now, updatedAt: now };
  context.store.data.folders.push(folder);
  return folder;
}

export function addVersion(context: SandboxContext, document: DocumentRecord, pdf: Buffer): void {
  refuseNewVersionUnlessUnsigned(document);
  addFile(context, document, { sha256: sha256(pdf), byteLength: pdf.length, bytes: pdf });
  touch(context, document);
}

export function addComment(
  context: SandboxContext,
  document: DocumentRecord,
  by: string,
  title: string,
  text: string,
): void {
  const user = context.store.registered(by);
  if (!user) throw conflict("not_registered", `${by} is not registered, only registered users may comment`);
  const { id, name, email } = user;
  latestFile(document).comments.push({ title, text, createdAt: context.clock.now(), user: { id, name, email } });
  touch(context, document);
}

export function setStatus(context: SandboxContext, document: DocumentRecord, status: string | null): void {
  document.forcedStatus = status;
  touch(context, document);
}

export function editDocument(context: SandboxContext, document: DocumentRecord, patch: DocumentPatch): void {
  if (patch.folderId != null && !context.store.folder(patch.folderId)) missing(`The folder ${patch.folderId}`);
  if (patch.organizationId != null && !context.store.organization(patch.organizationId)) {
    missing(`The organization ${patch.organizationId}`);
  }
  Object.assign(document, patch);
  touch(context, document);
}

export function addInvitation(
  context: SandboxContext,
  document: DocumentRecord,
  wanted: NewInvitation,
): InvitationRecord {
  const invitation = newInvitation(context, document, wanted);
  document.invitations.push(invitation);
  const file = latestFile(document);
  file.signers.push(newSigner(context, file, invitation));
  touch(context, document);
  mailTheOpenStage(context, document);
  return invitation;
}

export function editInvitation(context: SandboxContext, invitationId: number, patch: InvitationPatch): void {
  const { document, invitation } = findInvitation(context, invitationId);
  Object.assign(invitation, patch, { updatedAt: context.clock.now() });
  for (const signer of latestFile(document).signers) {
    if (signer.invitationId === invitationId) signer.email = invitation.email;
  }
  touch(context, document);
}

export function removeInvitation(context: SandboxContext, invitationId: number): void {
  const { document } = findInvitation(context, invitationId);
  document.invitations = document.invitations.filter(one => one.id !== invitationId);
  const file = latestFile(document);
  file.signers = file.signers.filter(one => one.invitationId !== invitationId);
  touch(context, document);
}

export function removeDocument(context: SandboxContext, document: DocumentRecord): void {
  context.store.data.documents = context.store.data.documents.filter(one => one !== document);
}

export function accountNamed(context: SandboxContext, email: string): AccountRecord {
  const account = context.store.data.accounts.find(one => sameAddress(one.email, email));
  return account ?? missing(`The account ${email}`);
}

const findInvitation = (context: SandboxContext, id: number) =>
  context.store.invitation(id) ?? missing(`The invitation ${id}`);

function touch(context: SandboxContext, document: DocumentRecord): void {
  document.updatedAt = context.clock.now();
}

function missing(what: string): never {
  throw notFound(what);
}
