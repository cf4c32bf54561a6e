import { type Holdings, type Lag, sha256Of } from "./holdings.js";
import { type DocumentRecord, latestVersion, type SignerRecord, statusOf } from "./records.js";

type Id = string | number | bigint;
interface Invited {
  email: string;
  name: string;
}

/** What people do on the platform, out of the interface's sight. */
export class People {
  constructor(private readonly holdings: Holdings) {}

  /** The signer reads the document. Some dialects list a signer only from here on. */
  open(documentId: Id, email: string): void {
    const document = this.holdings.document(documentId);
    this.#signer(document, email, signer => signer.openedAt === null).openedAt = this.holdings.clock.now();
  }

  /** Signs the latest version for this address; invited twice, the first who has not signed yet signs. */
  sign(documentId: Id, email: string): void {
    const document = this.holdings.document(documentId);
    const signer = this.#signer(document, email, candidate => candidate.status !== "signed");
    const now = this.holdings.clock.now();
    signer.openedAt ??= now;
    signer.signedAt = now;
    signer.status = "signed";
    const version = latestVersion(document);
    version.sha256Signed = sha256Of(`${version.pdf.sha256} signed ${version.signers.map(s => s.signedAt).join()}`);
    if (version.signers.every(one => one.status === "signed")) version.signedEndedAt = now;
    document.updatedAt = now;
  }

  signAll(documentId: Id): void {
    for (const invitation of this.holdings.document(documentId).invitations) this.sign(documentId, invitation.email);
  }

  /** The NOM151 certificate and the chain certificates; `chain: "requested"` leaves the latter on their way. */
  certify(documentId: Id, what: { nom151?: boolean; chain?: "not_requested" | "requested" | "sended" } = {}): void {
    const document = this.holdings.document(documentId);
    const version = latestVersion(document);
    if (what.nom151 ?? true) version.nom151 = Buffer.from(`constancia ${document.id}`).toString("base64");
    version.chain = what.chain ?? "sended";
    version.sha256Signed ??= sha256Of(`${version.pdf.sha256} signed`);
    document.updatedAt = this.holdings.clock.now();
  }

  /** The platform allows a new version only while nobody has signed; `force` stands for a platform that changed its mind. */
  addVersion(documentId: Id, pdf: Uint8Array, { force = false } = {}): void {
    const document = this.holdings.document(documentId);
    if (!force && statusOf(document) !== "unsigned") throw new Error(`document ${documentId} is ${statusOf(document)}`);
    this.holdings.addVersion(document, Buffer.from(pdf));
    document.updatedAt = this.holdings.clock.now();
  }

  renameBehindBack(documentId: Id, name: string): void {
    this.#change(documentId, document => {
      document.name = name;
    });
  }

  describeBehindBack(documentId: Id, description: string | null): void {
    this.#change(documentId, document => {
      document.description = description;
    });
  }

  /** On every version; who is changed into nobody is invited no more. */
  invitedBehindBack(documentId: Id, change: <P extends Invited>(person: P) => readonly P[]): void {
    this.#change(documentId, document => {
      document.invitations = document.invitations.flatMap(person => change(person));
      for (const version of document.versions) version.signers = version.signers.flatMap(person => change(person));
    });
  }

  moveToFolder(documentId: Id, folderId: Id | null): void {
    this.#change(documentId, document => {
      document.folderId = folderId === null ? null : String(folderId);
    });
  }

  moveToOrganization(documentId: Id, organization: { id: string; name: string } | null): void {
    this.#change(documentId, document => {
      document.organization = organization;
    });
  }

  comment(documentId: Id, text: string, by = { name: "Nia Q.", email: "nia@independent.test" }): void {
    const version = latestVersion(this.holdings.document(documentId));
    const user = { ...by, id: null };
    version.comments.push({ title: "Note", text, createdAt: this.holdings.clock.now(), user });
  }

  /** Deleted on the platform: 404, and in no list. The service itself still remembers it. */
  removeDocument(documentId: Id): void {
    this.#change(documentId, document => {
      document.removedAt = this.holdings.clock.now();
    });
  }

  /** Any word as the document's status, also one nobody has heard of; null: back to what the signers say. */
  forceStatus(documentId: Id, status: string | null): void {
    this.holdings.document(documentId).forcedStatus = status;
  }

  forceSignerStatus(documentId: Id, email: string, status: string): void {
    this.#signer(this.holdings.document(documentId), email, () => true).status = status;
  }

  /** The document can be read from now on, however long the lag was to be. */
  reveal(documentId: Id, lag: Partial<Lag> = {}): void {
    this.holdings.document(documentId).unseen = { get: 0, list: 0, ...lag };
  }

  /** Someone presses «generate API key» in the profile: the old one is worthless at once. */
  rotateKey(account: string, apiKey: string): void {
    this.holdings.account(account).apiKey = apiKey;
  }

  /** A document made on the platform: no request made it. Returns its id. */
  upload(account: string, wanted: { name: string; pdf: Uint8Array; emails: string[]; description?: string }): string {
    const invitations = wanted.emails.map(email => ({
      ...{ email, name: email, message: null, allowedSignatureTypes: "all", stage: 1 },
    }));
    const document = { name: wanted.name, description: wanted.description ?? null, folderId: null, invitations };
    const made = { ...document, pdf: Buffer.from(wanted.pdf) };
    return this.holdings.createDocument(this.holdings.account(account), made, 0, { get: 0, list: 0 }).id;
  }

  #change(documentId: Id, change: (document: DocumentRecord) => void): void {
    const document = this.holdings.document(documentId);
    change(document);
    document.updatedAt = this.holdings.clock.now();
  }

  #signer(document: DocumentRecord, email: string, wanted: (signer: SignerRecord) => boolean): SignerRecord {
    const found = latestVersion(document).signers.find(
      signer => signer.email.toLowerCase() === email.toLowerCase() && wanted(signer),
    );
    if (!found) throw new Error(`nobody left under ${email} in document ${document.id}`);
    return found;
  }
}
