/** What the service remembers. Ids are strings of digits here and bare digits in JSON. */
export interface Account {
  /** What tests call it; the service never says it. */
  label: string;
  email: string;
  password: string;
  name: string;
  apiKey: string;
  userId: string;
}

export interface Pdf {
  sha256: string;
  size: number;
}

export interface Organization {
  id: string;
  name: string;
}

export interface FolderRecord {
  id: string;
  name: string;
  account: string;
  createdAt: number;
  offset: number;
  /** Number of the request that made it; 0 when a test did. */
  madeBy: number;
}

export interface InvitationRecord {
  id: string;
  email: string;
  name: string;
  message: string | null;
  allowedSignatureTypes: string;
  stage: number;
}

export interface SignerRecord {
  id: string;
  invitationId: string;
  email: string;
  name: string;
  userId: string;
  signatureType: "advanced" | "autograph";
  status: string;
  openedAt: number | null;
  signedAt: number | null;
  createdAt: number;
}

export interface CommentRecord {
  title: string;
  text: string;
  createdAt: number;
  user: { name: string; email: string; id: string | null };
}

export interface VersionRecord {
  id: string;
  version: number;
  pdf: Pdf;
  createdAt: number;
  signedEndedAt: number | null;
  signers: SignerRecord[];
  comments: CommentRecord[];
  nom151: string | null;
  chain: "not_requested" | "requested" | "sended";
  sha256Signed: string | null;
}

export interface DocumentRecord {
  id: string;
  account: string;
  ownerId: string;
  folderId: string | null;
  organization: Organization | null;
  name: string;
  description: string | null;
  invitations: InvitationRecord[];
  versions: VersionRecord[];
  /** SHA-256 of what was uploaded, whatever the service returns. */
  uploadedSha256: string;
  createdAt: number;
  updatedAt: number;
  offset: number;
  madeBy: number;
  forcedStatus: string | null;
  /** What this service calls a document nobody has signed. */
  unsignedStatus: string;
  removedAt: number | null;
  /** How many more reads of each kind still do not see it. */
  unseen: { get: number; list: number };
  /** How often it has been asked for by its id. */
  reads: number;
}

export interface Mail {
  kind: "invitation" | "reminder";
  to: string;
  message: string | null;
  documentId: string;
  invitationId: string;
  at: number;
  request: number;
}

/** What a create asks for, after the body was understood. */
export interface NewDocument {
  name: string;
  description: string | null;
  folderId: string | null;
  invitations: Omit<InvitationRecord, "id">[];
  pdf: Buffer;
}

export function latestVersion(document: DocumentRecord): VersionRecord {
  const last = document.versions.at(-1);
  if (!last) throw new Error(`document ${document.id} has no version`);
  return last;
}

export function statusOf(document: DocumentRecord): string {
  if (document.forcedStatus !== null) return document.forcedStatus;
  const { signers } = latestVersion(document);
  const signed = signers.filter(signer => signer.status === "signed").length;
  if (signed === 0) return document.unsignedStatus;
  return signed === signers.length ? "signed" : "partially_signed";
}
