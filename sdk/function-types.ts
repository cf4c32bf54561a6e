import type { BlockchainCertificates, DocumentVersion, Nom151Certificate, Organization, Signer } from "./types.js";

/** What every list says of a document. */
interface ListedFields {
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
}

/** A document in a list. */
export interface ListedDocument extends ListedFields {
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
  /** When the document last changed. */
  updatedAt?: string;
}

/** One of the statuses of a document. */
export type DocumentStatus = "unsigned" | "partially_signed" | "signed";

/** A document in a list by date. */
export interface DatedDocument extends ListedFields {
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

/** Of one document. */
interface DocumentFields {
  /** Id of the document. */
  documentId: string;
}

/** Who has signed it. */
interface SigningFields extends DocumentFields {
  /** `unsigned`, `partially_signed` or `signed`; a value the service adds later is carried as it is. */
  status: string;
  /** Whether every signer of the latest version has signed, counted from the signers themselves. */
  allSigned: boolean;
  /** One row for each person invited, in order of stage and invitation. */
  signers: Signer[];
  /** Addresses of those who haven't signed the latest version. */
  pendingSigners: string[];
}

/** Its certificates. */
interface CertificateFields extends DocumentFields {
  /** SHA-256 of the signed PDF, to check a download against; null until the service states it. */
  signedSha256: string | null;
  /** The blockchain certificates of the latest version. */
  certificates: BlockchainCertificates;
  /** The NOM151 certificate of the latest version. */
  nom151: Nom151Certificate;
}

/** What `getDocument` answers. */
export interface GetDocumentResult extends SigningFields, CertificateFields {
  /** Title, as the service holds it. */
  name: string;
  /** Description, as the service holds it. */
  description?: string;
  /** Id of the folder the document is in. */
  folderId?: string;
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

/** Which documents to list. */
interface DocumentFilter {
  /** Only documents in this folder. */
  folderId?: string | number;
  /** Only documents of this organization. */
  organizationId?: string | number;
}

/** Arguments of `getDocuments`. */
export interface GetDocumentsArgs extends DocumentFilter {
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
export interface GetDocumentsByDateRangeArgs extends GetDocumentsArgs {
  /** First day, `YYYY-MM-DD`. */
  fromDate: string;
  /** Last day, `YYYY-MM-DD`: the same as `fromDate` or later. */
  toDate: string;
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
export interface GetSignersArgs extends GetDocumentArgs {}

/** What `getSigners` answers. */
export interface GetSignersResult extends SigningFields {}

/** Certificates that may have to be there. */
export type CertificateRequirement = "blockchain" | "nom151" | "all";

/** Arguments of `getCertificates`. */
export interface GetCertificatesArgs extends GetDocumentArgs {
  /**
   * What has to be there: `blockchain` (both blockchain certificates), `nom151`, or `all` of it. Without it the function fails. Left
   * out, nothing has to be.
   */
  require?: CertificateRequirement;
}

/** What `getCertificates` answers. */
export interface GetCertificatesResult extends CertificateFields {
  /**
   * Whether the addresses of the blockchain certificates want the account's key (`x-api-key`), found out by trying. Null while
   * they aren't ready, and where neither way leads to a PDF.
   */
  certificatesNeedKey: boolean | null;
}

/** Arguments of `getUnmanagedDocuments`. */
export interface GetUnmanagedDocumentsArgs extends DocumentFilter {
  /** Ids of the documents to leave out. */
  managedIds: (string | number)[];
  /** Ids of documents that managed ones replaced (their `supersedes`), to leave out as well. */
  supersededIds?: (string | number)[];
}

/** What `getUnmanagedDocuments` answers. */
export interface GetUnmanagedDocumentsResult extends GetDocumentsResult {}

// ---- Versions of a document ----

/** A signer of one version, as the service lists it. */
export interface FileSigner {
  /** Id of the signer. */
  signerId?: string;
  /** Id of the file this row belongs to. */
  fileId?: string;
  /** Address of the signer, where the service returns it. */
  email?: string;
  /** Name of the signer, where it is a registered user. */
  name?: string;
  /** Id of the user, where the signer is registered. */
  userId?: string;
  /** `advanced` or `autograph`. */
  signatureType?: string;
  /** Hash this signer signs. */
  hashToSign?: string;
  /** `signed` or `unsigned`. */
  status?: string;
  /** When the row was created. */
  createdAt?: string;
  /** When the row last changed. */
  updatedAt?: string;
}

/** A user of the platform. */
export interface PlatformUser {
  /** Id of the user, where there is one. */
  userId?: string;
  /** Name of the user. */
  name?: string;
  /** Address of the user. */
  email?: string;
}

/** A comment on one version of a document. */
export interface DocumentComment {
  /** Title of the comment. */
  title?: string;
  /** Text of the comment. */
  text?: string;
  /** When the comment was written. */
  createdAt?: string;
  /** Who wrote it. Only registered users of the platform can. */
  user?: PlatformUser;
}

/** One version of a document, in full. */
export interface DocumentFile extends DocumentVersion {
  /** Id of the file. */
  fileId: string;
  /** Name of the file. */
  name?: string;
  /** SHA-256 of the signed PDF; certificate addresses are built on it. */
  signedSha256?: string;
  /** Address of the evidence document. */
  evidenceDocUrl?: string;
  /** The blockchain certificates of this version. */
  certificates: BlockchainCertificates;
  /** XML of the Bitcoin certificate, once ready. */
  xmlBtcCert?: string;
  /** XML of the Ethereum certificate, once ready. */
  xmlEthCert?: string;
  /** The NOM151 certificate of this version. */
  nom151: Nom151Certificate;
  /** Signers of this version, as the service lists them. */
  signers: FileSigner[];
  /** Comments on this version. */
  comments: DocumentComment[];
  /** When this version was created. */
  createdAt?: string;
  /** When this version last changed. */
  updatedAt?: string;
}

/** An invitation to sign, as the service lists it. */
export interface DocumentInvitation {
  /** Id of the invitation: what a reminder is sent for. */
  invitationId: string;
  /** Address the invitation was sent to. */
  email?: string;
  /** Name of the person invited. */
  name?: string;
  /** Status of the invitation, such as `accepted`. */
  status?: string;
  /** Signing stage, where the service returns it. */
  stage?: number;
  /** How this person may sign, where the service returns it: `all`, `autograph` or `advanced`. */
  allowedSignatureTypes?: string;
  /** The user, where the address is a registered one's. */
  user?: PlatformUser;
  /** Status of the identity check, such as `pending`. */
  validationStatus3id?: string;
  /** Whether this person's identity is checked. */
  validateKyc?: boolean;
  /** Status of the documents requested of this person, such as `pending`. */
  requestedDocumentsStatus?: string;
  /** Whether documents are requested of this person. */
  requestedDocumentsRequired?: boolean;
  /** Documents requested of this person, as the service returns them. */
  requestedDocuments: unknown[];
  /** When the invitation was sent. */
  createdAt?: string;
  /** When the invitation last changed. */
  updatedAt?: string;
}

// ---- Evidence ----

/** Arguments of `getEvidence`. */
export interface GetEvidenceArgs extends GetDocumentArgs {
  /** Origins besides the service's own that files may be fetched from. The key is never sent there. */
  allowOrigins?: string[];
  /** Whether to fail while something of what is expected is missing or unproven. */
  requireComplete?: boolean;
}

/** What `getEvidence` answers. */
export interface GetEvidenceResult extends DocumentFields {
  /** SHA-256 of the `evidence.json` that `docsign evidence pull` writes, in hex. It names the SHA-256 of each file. */
  sha256: string;
  /** Whether all that is expected is among `files`, and proven. */
  complete: boolean;
  /** What this document is to have, by its own fields. */
  expected: string[];
  /** The files. */
  files: EvidenceFile[];
  /** What is expected and couldn't be had. */
  missing: MissingEvidence[];
  /** The NOM151 constancia, where there is one. */
  constancia?: EvidenceConstancia;
}

/** A file of a document's evidence. */
export interface EvidenceFile {
  /** `original`, `signed`, `btc-certificate`, `eth-certificate`, `evidence-document` or `nom151`. */
  kind: string;
  /** Name of the file that `docsign evidence pull` writes. */
  fileName: string;
  /** Where the service has it. Left out for what the document itself carries. */
  address?: string;
  /** Size in bytes. */
  bytes: number;
  /** SHA-256 of the file, in hex. */
  sha256: string;
  /** Whether the service required the key for it. Left out for what the document itself carries. */
  neededKey?: boolean;
  /** Whether every check that there are means for held. */
  proven: boolean;
  /** What was checked, and held. */
  verified: string[];
  /** What was not checked. */
  notVerified: string[];
}

/** Evidence that couldn't be had. */
export interface MissingEvidence {
  /** What is missing. */
  kind: string;
  /** Why. */
  why: string;
}

/** What the NOM151 constancia says. */
export interface EvidenceConstancia {
  /** `rfc3161` for a timestamp that can be read, `opaque` for other ASN.1, `invalid` for what isn't ASN.1. */
  kind: string;
  /** What it isn't, for `opaque` and `invalid`. */
  why?: string;
  /** When the timestamp says it was made, in UTC. */
  time?: string;
  /** Serial number of the timestamp, in hex. */
  serialNumber?: string;
  /** Policy of the issuer, an object identifier. */
  policy?: string;
  /** Who the timestamp says issued it. */
  tsa?: string;
  /** `original` or `signed` for that file, `neither`, or `unknown` for an unknown hash algorithm. */
  matches?: string;
  /** `fits its certificate`, `doesn't fit its certificate` or `not checked`. */
  signature?: string;
}
