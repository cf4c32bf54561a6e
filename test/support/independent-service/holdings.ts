import { createHash } from "node:crypto";
import type { ServiceClock } from "./clock.js";
import type { Dialect } from "./dialect.js";
import type {
  Account,
  DocumentRecord,
  FolderRecord,
  InvitationRecord,
  Mail,
  NewDocument,
  Pdf,
  VersionRecord,
} from "./records.js";

export type IdKind = "user" | "document" | "file" | "invitation" | "signer" | "folder";

const DECOY_AGE_MS = 300_000;

export interface Lag {
  get: number;
  list: number;
}

export function sha256Of(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Everything the service holds and the few things it can do with it. Nothing is ever forgotten, so that tests can look. */
export class Holdings {
  readonly accounts: Account[] = [];
  readonly documents: DocumentRecord[] = [];
  readonly decoys: DocumentRecord[] = [];
  readonly folders: FolderRecord[] = [];
  readonly mails: Mail[] = [];
  /** Bytes by hash: what a version's address serves. */
  readonly blobs = new Map<string, Buffer>();
  readonly tokens = new Map<string, { account: string; until: number }>();
  /** How many reads miss each new document. */
  lag: Lag = { get: 0, list: 0 };
  readonly #lastIds = new Map<string, bigint>();
  #stamped = 0;

  constructor(
    readonly dialect: Dialect,
    readonly clock: ServiceClock,
  ) {}

  nextId(kind: IdKind): string {
    const { firstId, idStep, idSequence } = this.dialect;
    const sequence = idSequence === "shared" ? "all" : kind;
    const last = this.#lastIds.get(sequence) ?? firstId - idStep;
    this.#lastIds.set(sequence, last + idStep);
    return String(last + idStep);
  }

  /**
   * Documents of other people in this account, made on the platform. Where kinds count for themselves, files, invitations
   * and folders made from now on get the ids these documents have.
   */
  addDecoys(account: Account): void {
    const before = this.clock.now() - DECOY_AGE_MS;
    const kinds = ["file", "invitation", "folder"] as const;
    for (const kind of kinds) this.#skipIds(kind, 1_000_000n);
    for (let nth = 1; nth <= this.dialect.decoys; nth++) {
      const invitation = { message: null, allowedSignatureTypes: "all", stage: 1 };
      const invitations = [{ email: `mia${nth}@elsewhere.test`, name: "Mia", ...invitation }];
      const wanted = { name: `Of another department ${nth}`, description: null, folderId: null, invitations };
      const pdf = Buffer.from(`%PDF-1.4 decoy ${nth}`);
      const document = this.createDocument(account, { ...wanted, pdf }, 0, { get: 0, list: 0 });
      document.createdAt = document.updatedAt = before + nth;
      this.decoys.push(document);
    }
    this.mails.length = 0;
    if (this.dialect.idSequence === "shared") return;
    for (const kind of kinds) this.#lastIds.delete(kind);
    this.#skipIds("document", 1_000n);
  }

  #skipIds(kind: IdKind, ids: bigint): void {
    const { firstId, idStep, idSequence } = this.dialect;
    if (idSequence === "shared") return;
    this.#lastIds.set(kind, (this.#lastIds.get(kind) ?? firstId - idStep) + ids * idStep);
  }

  nextOffset(): number {
    const { offsets } = this.dialect;
    return offsets[this.#stamped++ % offsets.length] ?? 0;
  }

  addAccount(account: Omit<Account, "userId">): Account {
    const added = { ...account, userId: this.nextId("user") };
    this.accounts.push(added);
    return added;
  }

  account(label: string): Account {
    const found = this.accounts.find(account => account.label === label);
    if (!found) throw new Error(`no account ${label}`);
    return found;
  }

  document(id: string | number | bigint): DocumentRecord {
    const found = this.documents.find(document => document.id === String(id));
    if (!found) throw new Error(`the service has no document ${id}`);
    return found;
  }

  keep(bytes: Buffer): Pdf {
    const stored = this.dialect.sha256 === "stamped" ? Buffer.concat([bytes, Buffer.from("\n% received\n")]) : bytes;
    const sha256 = sha256Of(stored);
    if (!this.blobs.has(sha256)) this.blobs.set(sha256, stored);
    return { sha256, size: stored.length };
  }

  createDocument(account: Account, asked: NewDocument, request: number, lag: Lag = this.lag): DocumentRecord {
    const wanted = this.dialect.stores(asked);
    const createdAt = this.clock.now();
    const document: DocumentRecord = {
      id: this.nextId("document"),
      account: account.label,
      ownerId: account.userId,
      folderId: wanted.folderId,
      organization: null,
      name: wanted.name,
      description: wanted.description,
      invitations: wanted.invitations.map(invitation => ({ id: this.nextId("invitation"), ...invitation })),
      versions: [],
      uploadedSha256: sha256Of(wanted.pdf),
      createdAt,
      updatedAt: createdAt,
      offset: this.nextOffset(),
      madeBy: request,
      forcedStatus: null,
      unsignedStatus: this.dialect.unsignedStatus,
      removedAt: null,
      unseen: { ...lag },
      reads: 0,
    };
    this.addVersion(document, wanted.pdf);
    this.documents.push(document);
    for (const invitation of document.invitations) this.mail("invitation", document, invitation, request);
    return document;
  }

  addVersion(document: DocumentRecord, bytes: Buffer): VersionRecord {
    const createdAt = this.clock.now();
    const version: VersionRecord = {
      id: this.nextId("file"),
      version: document.versions.length + 1,
      pdf: this.keep(bytes),
      createdAt,
      signedEndedAt: null,
      signers: document.invitations.map(invitation => ({
        id: this.nextId("signer"),
        invitationId: invitation.id,
        email: invitation.email,
        name: invitation.name,
        userId: this.nextId("user"),
        signatureType: invitation.allowedSignatureTypes === "autograph" ? "autograph" : "advanced",
        status: "unsigned",
        openedAt: null,
        signedAt: null,
        createdAt,
      })),
      comments: [],
      nom151: null,
      chain: "not_requested",
      sha256Signed: null,
    };
    document.versions.push(version);
    return version;
  }

  createFolder(account: Account, name: string, request: number): FolderRecord {
    const folder: FolderRecord = {
      id: this.nextId("folder"),
      name,
      account: account.label,
      createdAt: this.clock.now(),
      offset: this.nextOffset(),
      madeBy: request,
    };
    this.folders.push(folder);
    return folder;
  }

  mail(kind: Mail["kind"], document: DocumentRecord, invitation: InvitationRecord, request: number): void {
    const message = kind === "invitation" ? invitation.message : null;
    const ids = { documentId: document.id, invitationId: invitation.id };
    this.mails.push({ kind, to: invitation.email, message, ...ids, at: this.clock.now(), request });
  }
}
