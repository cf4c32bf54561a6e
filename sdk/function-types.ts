import type { DocumentFile, DocumentInvitation } from "./document-file.js";
import type { BlockchainCertificates, DocumentVersion, Nom151Certificate, Organization, Signer } from "./types.js";

/** A document in a list. */
export interface ListedDocument {
  /** Id of the document. */
  documentId: string;
  /** Title of the document. */
  name: string;
  /** Description of the document. */
  description?: string;
  /** `unsigned`, `partially_signed` or `signed`; a value the service adds later is carried as it is. */
  status: string;
  /** Number of the latest version. */
  lastVersion?: string;
  /** Id of the folder the document is in. */
  folderId?: string;
  /** The organization the document belongs to. */
  organization?: Organization;
  /** Id of the account that owns the document. */
  ownerId?: string;
  /** Kind of owner, such as `User`. */
  ownerType?: string;
  /** When the document was created. */
  createdAt?: string;
  /** When the document last changed. */
  updatedAt?: string;
}

/** One of the statuses of a document. */
export type DocumentStatus = "unsigned" | "partially_signed" | "signed";

/** A document in a list by date. */
export interface DatedDocument {
  /** Id of the document. */
  documentId: string;
  /** Title of the document. */
  name: string;
  /** Description of the document. */
  description?: string;
  /** `unsigned`, `partially_signed` or `signed`; a value the service adds later is carried as it is. */
  status: string;
  /** When the document was created. */
  createdAt?: string;
  /** Address of the latest version's original PDF; null where the service names none. */
  unsignedLastVersionUrl?: string;
  /** Address of the latest version's signed PDF; null where the service names none. */
  signedLastVersionUrl?: string;
  /** When signing of the latest version ended. */
  lastVersionSignedEndedAt?: string;
  /** Id of the organization the document belongs to. */
  organizationId?: string;
  /** Name of that organization. */
  organizationName?: string;
  /** Id of the user who created the document. */
  createdById?: string;
  /** Name of that user. */
  createdByName?: string;
  /** Address of that user. */
  createdByEmail?: string;
}

/** Arguments of `getDocument`. */
export interface GetDocumentArgs {
  /** Id of the document. */
  documentId: string | number;
}

/** What `getDocument` answers. */
export interface GetDocumentResult {
  /** Id of the document. */
  documentId: string;
  /** Title, as the service holds it. */
  name: string;
  /** Description, as the service holds it. */
  description?: string;
  /** Id of the folder the document is in. */
  folderId?: string;
  /** `unsigned`, `partially_signed` or `signed`; a value the service adds later is carried as it is. */
  status: string;
  /** Whether every signer of the latest version has signed, counted from the signers themselves. */
  allSigned: boolean;
  /** One row for each person invited, in order of stage and invitation. */
  signers: Signer[];
  /** Addresses of those who haven't signed the latest version. */
  pendingSigners: string[];
  /** Number of the latest version. */
  lastVersion?: string;
  /** Every version of the document's file. */
  versions: DocumentVersion[];
  /** SHA-256 of the latest version's PDF. */
  sha256?: string;
  /** Address of the latest version's original PDF; null where the service names none. */
  fileUrl: string | null;
  /** Address of the latest version's signed PDF; null where the service names none. */
  signedFileUrl: string | null;
  /** SHA-256 of the signed PDF, to check a download against; null until the service states it. */
  signedSha256: string | null;
  /** The blockchain certificates of the latest version. */
  certificates: BlockchainCertificates;
  /** The NOM151 certificate of the latest version. */
  nom151: Nom151Certificate;
  /** When the document was created. */
  createdAt?: string;
  /** When the document last changed. */
  updatedAt?: string;
  /** Id of the account that owns the document. */
  ownerId?: string;
  /** The organization the document belongs to. */
  organization?: Organization;
  /** Origin of the service that holds the document. */
  service: string;
  /** Kind of owner, such as `User`. */
  ownerType?: string;
  /** Id of the user who created the document. */
  creatorId?: string;
  /** Whether the document is active. */
  active?: boolean;
  /** The stage being signed now. */
  signingStage?: number;
  /** Whether the document gets a NOM151 certificate. */
  withNom151?: boolean;
  /** Whether the document gets blockchain certificates. */
  blockchainCertsEnabled?: boolean;
  /** Whether the signers' identity is checked. */
  validateSigners3id?: boolean;
  /** Version of the advanced signature. */
  advancedSignatureVersion?: string;
  /** Version of the autograph signature. */
  autographSignatureVersion?: string;
  /** Every version of the document's file, in full. */
  files: DocumentFile[];
  /** Everyone invited, as the service lists them. */
  invitations: DocumentInvitation[];
}

/** Arguments of `getDocuments`. */
export interface GetDocumentsArgs {
  /** Only documents in this folder. */
  folderId?: string | number;
  /** Only documents of this organization. */
  organizationId?: string | number;
  /** Only documents in this status. Left out, those in any. */
  status?: DocumentStatus;
}

/**
 * Whether the service left documents out: `no` where its answer proves that it is whole, `yes` where another answer shows
 * a document that is missing, `unknown` otherwise.
 */
export type Truncated = "no" | "unknown" | "yes";

/** What `getDocuments` answers. */
export interface GetDocumentsResult {
  /** The documents, each once, in ascending order of id. */
  documents: ListedDocument[];
  /** Whether the service left documents out. */
  truncated: Truncated;
}

/** Arguments of `getDocumentsByDateRange`. */
export interface GetDocumentsByDateRangeArgs {
  /** First day, `YYYY-MM-DD`. */
  fromDate: string;
  /** Last day, `YYYY-MM-DD`: the same as `fromDate` or later. */
  toDate: string;
  /** Only documents in this status. Left out, those in any. */
  status?: DocumentStatus;
  /** Only documents in this folder. */
  folderId?: string | number;
  /** Only documents of this organization. */
  organizationId?: string | number;
  /**
   * Ask for this many days at a time and merge the answers, for ranges whose answer is too large or too slow in one
   * piece. Left out, the range is asked for as a whole.
   */
  splitDays?: number;
}

/** What `getDocumentsByDateRange` answers. */
export interface GetDocumentsByDateRangeResult {
  /** The documents, each once, in ascending order of id. */
  documents: DatedDocument[];
  /** Whether the service left documents out. */
  truncated: Truncated;
}

/** Arguments of `getSigners`. */
export interface GetSignersArgs {
  /** Id of the document. */
  documentId: string | number;
}

/** What `getSigners` answers. */
export interface GetSignersResult {
  /** Id of the document. */
  documentId: string;
  /** `unsigned`, `partially_signed` or `signed`; a value the service adds later is carried as it is. */
  status: string;
  /** Whether every signer of the latest version has signed, counted from the signers themselves. */
  allSigned: boolean;
  /** One row for each person invited, in order of stage and invitation. */
  signers: Signer[];
  /** Addresses of those who haven't signed the latest version. */
  pendingSigners: string[];
}

/** Certificates that may have to be there. */
export type CertificateRequirement = "blockchain" | "nom151" | "all";

/** Arguments of `getCertificates`. */
export interface GetCertificatesArgs {
  /** Id of the document. */
  documentId: string | number;
  /**
   * What has to be there: `blockchain` (both blockchain certificates), `nom151`, or `all` of it. Without it the function fails. Left
   * out, nothing has to be.
   */
  require?: CertificateRequirement;
}

/** What `getCertificates` answers. */
export interface GetCertificatesResult {
  /** Id of the document. */
  documentId: string;
  /** The blockchain certificates of the latest version. */
  certificates: BlockchainCertificates;
  /** The NOM151 certificate of the latest version. */
  nom151: Nom151Certificate;
  /** SHA-256 of the signed PDF, to check a download against; null until the service states it. */
  signedSha256: string | null;
  /**
   * Whether the addresses of the blockchain certificates want the account's key (`x-api-key`), found out by trying. Null while
   * they aren't ready, and where neither way leads to a PDF.
   */
  certificatesNeedKey: boolean | null;
}

/** Arguments of `getUnmanagedDocuments`. */
export interface GetUnmanagedDocumentsArgs {
  /** Ids of the documents to leave out. */
  managedIds: (string | number)[];
  /** Ids of documents that managed ones replaced (their `supersedes`), to leave out as well. */
  supersededIds?: (string | number)[];
  /** Only documents in this folder. */
  folderId?: string | number;
  /** Only documents of this organization. */
  organizationId?: string | number;
}

/** What `getUnmanagedDocuments` answers. */
export interface GetUnmanagedDocumentsResult {
  /** The documents, each once, in ascending order of id. */
  documents: ListedDocument[];
  /** Whether the service left documents out. */
  truncated: Truncated;
}
