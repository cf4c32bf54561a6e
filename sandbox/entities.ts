/** What the service stores. Times are milliseconds since 1970; hashes are lower-case hex. */

export type SignatureType = "advanced" | "autograph";
export type AllowedSignatureTypes = "all" | SignatureType;
export type CertsStatus = "not_requested" | "requested" | "sended";

/** Somebody registered at the platform. */
export interface UserRecord {
  id: number;
  name: string;
  email: string;
}

/** A user who can log in and owns documents. `null` means without limit. */
export interface AccountRecord extends UserRecord {
  password: string;
  apiKey: string;
  documentsLeft: number | null;
  storageLeft: number | null;
}

export interface OrganizationRecord {
  id: number;
  name: string;
  memberIds: number[];
}

export interface FolderRecord {
  id: number;
  name: string;
  ownerId: number;
  createdAt: number;
  updatedAt: number;
}

export interface InvitationRecord {
  id: number;
  documentId: number;
  name: string;
  email: string;
  message: string;
  allowedSignatureTypes: AllowedSignatureTypes;
  stage: number;
  status: string;
  mailed: boolean;
  createdAt: number;
  updatedAt: number;
}

export interface SignerRecord {
  id: number;
  fileId: number;
  invitationId: number;
  email: string;
  signatureType: SignatureType;
  signedAt: number | null;
  hashToSign: string;
  createdAt: number;
  updatedAt: number;
}

export interface CommentRecord {
  title: string;
  text: string;
  createdAt: number;
  user: UserRecord;
}

export interface FileRecord {
  id: number;
  documentId: number;
  name: string | null;
  version: number;
  token: string;
  sha256: string;
  byteLength: number;
  signedSha256: string | null;
  signedEndedAt: number | null;
  constancia: string | null;
  xmlBtcCert: string | null;
  xmlEthCert: string | null;
  certsStatus: CertsStatus;
  comments: CommentRecord[];
  signers: SignerRecord[];
  createdAt: number;
  updatedAt: number;
}

export interface DocumentRecord {
  id: number;
  ownerId: number;
  folderId: number | null;
  organizationId: number | null;
  name: string;
  description: string;
  withNom151: boolean;
  active: boolean;
  counted: boolean;
  /** Set by a test to make the service say something else than its rules do. */
  forcedStatus: string | null;
  /** How many more reads miss this document, when reads lag behind writes. */
  missesLeft: number;
  /** The same for lists alone. */
  listMissesLeft?: number;
  /** How often it was read by its id. */
  reads?: number;
  files: FileRecord[];
  invitations: InvitationRecord[];
  createdAt: number;
  updatedAt: number;
}

export interface MailRecord {
  kind: "invitation" | "reminder";
  documentId: number;
  invitationId: number;
  to: string;
  message: string;
  /** ISO 8601, by the service's clock. */
  at: string;
}
