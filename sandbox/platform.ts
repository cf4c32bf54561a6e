import { sha256 } from "./content.js";
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
import type { World } from "./world.js";

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

export function addAccount(world: World, wanted: NewAccount): AccountRecord {
  if (world.store.accountByEmail(wanted.email)) throw conflict("email_taken", `${wanted.email} has an account already`);
  const id = world.store.nextId("user");
  const account: AccountRecord = {
    id,
    name: wanted.name ?? wanted.email.replace(/@.*/, ""),
    email: wanted.email,
    password: wanted.password ?? world.makeKey(`password ${id}`, 16),
    apiKey: wanted.apiKey ?? world.makeKey(`key ${id}`, 40),
    documentsLeft: wanted.quota ?? null,
    storageLeft: wanted.storage ?? null,
  };
  world.store.data.accounts.push(account);
  return account;
}

export function addUser(world: World, email: string, name: string): UserRecord {
  const user = { id: world.store.nextId("user"), name, email };
  world.store.data.users.push(user);
  return user;
}

export function addOrganization(world: World, name: string, members: readonly string[]): OrganizationRecord {
  const memberIds = members.map(email => world.store.registered(email)?.id ?? missing(`The user ${email}`));
  const organization = { id: world.store.nextId("organization"), name, memberIds };
  world.store.data.organizations.push(organization);
  return organization;
}

export function addFolder(world: World, owner: AccountRecord, name: string): FolderRecord {
  const now = world.clock.now();
  const folder = { id: world.store.nextId("folder"), name, ownerId: owner.id, createdAt: now, updatedAt: now };
  world.store.data.folders.push(folder);
  return folder;
}

export function addVersion(world: World, document: DocumentRecord, pdf: Buffer): void {
  refuseNewVersionUnlessUnsigned(document);
  addFile(world, document, { sha256: sha256(pdf), byteLength: pdf.length, bytes: pdf });
  touch(world, document);
}

export function addComment(world: World, document: DocumentRecord, by: string, title: string, text: string): void {
  const user = world.store.registered(by);
  if (!user) throw conflict("not_registered", `${by} is not registered, only registered users may comment`);
  const { id, name, email } = user;
  latestFile(document).comments.push({ title, text, createdAt: world.clock.now(), user: { id, name, email } });
  touch(world, document);
}

export function setStatus(world: World, document: DocumentRecord, status: string | null): void {
  document.forcedStatus = status;
  touch(world, document);
}

export function editDocument(world: World, document: DocumentRecord, patch: DocumentPatch): void {
  if (patch.folderId != null && !world.store.folder(patch.folderId)) missing(`The folder ${patch.folderId}`);
  if (patch.organizationId != null && !world.store.organization(patch.organizationId)) {
    missing(`The organization ${patch.organizationId}`);
  }
  Object.assign(document, patch);
  touch(world, document);
}

export function addInvitation(world: World, document: DocumentRecord, wanted: NewInvitation): InvitationRecord {
  const invitation = newInvitation(world, document, wanted);
  document.invitations.push(invitation);
  const file = latestFile(document);
  file.signers.push(newSigner(world, file, invitation));
  touch(world, document);
  mailTheOpenStage(world, document);
  return invitation;
}

export function editInvitation(world: World, invitationId: number, patch: InvitationPatch): void {
  const { document, invitation } = findInvitation(world, invitationId);
  Object.assign(invitation, patch, { updatedAt: world.clock.now() });
  for (const signer of latestFile(document).signers) {
    if (signer.invitationId === invitationId) signer.email = invitation.email;
  }
  touch(world, document);
}

export function removeInvitation(world: World, invitationId: number): void {
  const { document } = findInvitation(world, invitationId);
  document.invitations = document.invitations.filter(one => one.id !== invitationId);
  const file = latestFile(document);
  file.signers = file.signers.filter(one => one.invitationId !== invitationId);
  touch(world, document);
}

export function removeDocument(world: World, document: DocumentRecord): void {
  world.store.data.documents = world.store.data.documents.filter(one => one !== document);
}

export function accountNamed(world: World, email: string): AccountRecord {
  const account = world.store.data.accounts.find(one => sameAddress(one.email, email));
  return account ?? missing(`The account ${email}`);
}

function findInvitation(world: World, id: number): { document: DocumentRecord; invitation: InvitationRecord } {
  const document = world.store.documentOfInvitation(id);
  const invitation = document?.invitations.find(one => one.id === id);
  return document && invitation ? { document, invitation } : missing(`The invitation ${id}`);
}

function touch(world: World, document: DocumentRecord): void {
  document.updatedAt = world.clock.now();
}

function missing(what: string): never {
  throw notFound(what);
}
