import { contextOf, type SandboxContext } from "./context.js";
import {
  addFile,
  addFolder,
  mailTheOpenStage,
  type NewInvitation,
  newInvitation,
  newSigner,
  pdfOf,
} from "./documents.js";
import type {
  AccountRecord,
  AllowedSignatureTypes,
  DocumentRecord,
  FolderRecord,
  MailRecord,
  OrganizationRecord,
  UserRecord,
} from "./entities.js";
import type { SandboxOptions } from "./options.js";
import { conflict, notFound } from "./refusal.js";
import { documentStatus, inOrderOfStages, latestFile, refuseNewVersionUnlessUnsigned, signerOf } from "./rules.js";
import { play, type Scenario } from "./scenario.js";
import type { Settings } from "./settings.js";
import {
  type CertifyOptions,
  type CertifyWhat,
  certify,
  decline,
  type SignOptions,
  sign,
  type Who,
} from "./signing.js";

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

export type SandboxDocument = DocumentRecord & { status: string };

/** What the service holds, and what people do in its own pages, where the interface has no call for it. */
export class Platform {
  protected readonly context: SandboxContext;

  constructor(options: SandboxOptions) {
    this.context = contextOf(options);
  }

  get clock() {
    return this.context.clock;
  }

  get settings(): Settings {
    return this.context.settings;
  }

  configure(settings: Partial<Settings>): void {
    Object.assign(this.settings, settings);
  }

  /** Fills in what the scenario lists; returns the ids of its documents. */
  seed(scenario: Scenario): number[] {
    return play(this, this.context, scenario);
  }

  // ---- What is there ----

  /** The main account, with its `apiKey`, `email` and `password`. */
  get account(): AccountRecord {
    const [main] = this.#data.accounts;
    if (!main) throw new Error("The sandbox was not opened");
    return main;
  }

  get apiKey(): string {
    return this.account.apiKey;
  }

  get email(): string {
    return this.account.email;
  }

  get password(): string {
    return this.account.password;
  }

  get mails(): readonly MailRecord[] {
    return this.#data.mails;
  }

  documents(): SandboxDocument[] {
    return this.#data.documents.map(({ id }) => this.document(id));
  }

  document(documentId: number): SandboxDocument {
    const document = this.#find(documentId);
    return { ...structuredClone(document), status: documentStatus(document) };
  }

  folders(): FolderRecord[] {
    return structuredClone(this.#data.folders);
  }

  /** The original bytes of the latest version. */
  content(documentId: number): Buffer | undefined {
    return this.context.store.pdfs.get(latestFile(this.#find(documentId)).sha256);
  }

  // ---- Signing ----

  sign(documentId: number, who: Who, options?: SignOptions): void {
    sign(this.context, this.#find(documentId), who, options);
  }

  /** Everybody who hasn't signed does, stage by stage. */
  signAll(documentId: number): void {
    const document = this.#find(documentId);
    const open = inOrderOfStages(document).filter(one => signerOf(latestFile(document), one)?.signedAt === null);
    for (const { id } of open) sign(this.context, document, id);
  }

  decline(documentId: number, who: Who): void {
    decline(this.context, this.#find(documentId), who);
  }

  certify(documentId: number, what: CertifyWhat = "all", options?: CertifyOptions): void {
    certify(this.context, this.#find(documentId), what, options);
  }

  // ---- Documents ----

  addVersion(documentId: number, pdf: Uint8Array): void {
    const document = this.#find(documentId);
    refuseNewVersionUnlessUnsigned(document);
    addFile(this.context, document, pdfOf(Buffer.from(pdf)));
    this.#touch(document);
  }

  addComment(documentId: number, by: string, title: string, text: string): void {
    const document = this.#find(documentId);
    const user = this.context.store.registered(by);
    if (!user) throw conflict("not_registered", `${by} is not registered, only registered users may comment`);
    const { id, name, email } = user;
    latestFile(document).comments.push({ title, text, createdAt: this.clock.now(), user: { id, name, email } });
    this.#touch(document);
  }

  /** Makes the service claim any status, also one nobody knows; null goes back to its rules. */
  setStatus(documentId: number, status: string | null): void {
    const document = this.#find(documentId);
    document.forcedStatus = status;
    this.#touch(document);
  }

  edit(documentId: number, patch: DocumentPatch): void {
    const document = this.#find(documentId);
    const { folderId, organizationId } = patch;
    if (folderId != null && !this.context.store.folder(folderId)) throw notFound(`The folder ${folderId}`);
    if (organizationId != null && !this.context.store.organization(organizationId))
      throw notFound(`The organization ${organizationId}`);
    Object.assign(document, patch);
    this.#touch(document);
  }

  rename(documentId: number, name: string): void {
    this.edit(documentId, { name });
  }

  moveToFolder(documentId: number, folderId: number | null): void {
    this.edit(documentId, { folderId });
  }

  moveToOrganization(documentId: number, organizationId: number | null): void {
    this.edit(documentId, { organizationId });
  }

  remove(documentId: number): void {
    const document = this.#find(documentId);
    this.#data.documents = this.#data.documents.filter(one => one !== document);
  }

  addInvitation(documentId: number, wanted: NewInvitation): number {
    const document = this.#find(documentId);
    const invitation = newInvitation(this.context, document, wanted);
    document.invitations.push(invitation);
    const file = latestFile(document);
    file.signers.push(newSigner(this.context, file, invitation));
    this.#touch(document);
    mailTheOpenStage(this.context, document);
    return invitation.id;
  }

  editInvitation(invitationId: number, patch: InvitationPatch): void {
    const { document, invitation } = this.#findInvitation(invitationId);
    Object.assign(invitation, patch, { updatedAt: this.clock.now() });
    const signer = signerOf(latestFile(document), invitation);
    if (signer) signer.email = invitation.email;
    this.#touch(document);
  }

  removeInvitation(invitationId: number): void {
    const { document } = this.#findInvitation(invitationId);
    document.invitations = document.invitations.filter(one => one.id !== invitationId);
    const file = latestFile(document);
    file.signers = file.signers.filter(one => one.invitationId !== invitationId);
    this.#touch(document);
  }

  // ---- Who and where ----

  addAccount(wanted: NewAccount): AccountRecord {
    const { store, makeKey } = this.context;
    const { email, name, password, apiKey, quota, storage } = wanted;
    if (store.accountByEmail(email)) throw conflict("email_taken", `${email} has an account already`);
    const id = store.nextId("user");
    const account: AccountRecord = {
      id,
      name: name ?? email.replace(/@.*/, ""),
      email,
      password: password ?? makeKey(`password ${id}`, 16),
      apiKey: apiKey ?? makeKey(`key ${id}`, 40),
      documentsLeft: quota ?? null,
      storageLeft: storage ?? null,
    };
    this.#data.accounts.push(account);
    return account;
  }

  addUser(email: string, name: string): UserRecord {
    const user = { id: this.context.store.nextId("user"), name, email };
    this.#data.users.push(user);
    return user;
  }

  addOrganization(name: string, members: readonly string[] = [this.email]): OrganizationRecord {
    const { store } = this.context;
    const memberIds = members.map(email => {
      const user = store.registered(email);
      if (!user) throw notFound(`The user ${email}`);
      return user.id;
    });
    const organization = { id: store.nextId("organization"), name, memberIds };
    this.#data.organizations.push(organization);
    return organization;
  }

  addFolder(name: string, owner = this.email): FolderRecord {
    return addFolder(this.context, this.context.store.accountNamed(owner), name);
  }

  get #data() {
    return this.context.store.data;
  }

  #find(documentId: number): DocumentRecord {
    const document = this.context.store.document(documentId);
    if (!document) throw notFound(`The document ${documentId}`);
    return document;
  }

  #findInvitation(invitationId: number) {
    const found = this.context.store.invitation(invitationId);
    if (!found) throw notFound(`The invitation ${invitationId}`);
    return found;
  }

  #touch(document: DocumentRecord): void {
    document.updatedAt = this.clock.now();
  }
}
