import type { BlockchainCertificates, Nom151Certificate } from "./types.js";

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
export interface DocumentFile {
  /** Id of the file. */
  fileId: string;
  /** Number of the version. */
  version: string;
  /** Name of the file. */
  name?: string;
  /** Status of this version. */
  status?: string;
  /** SHA-256 of the PDF. */
  sha256?: string;
  /** Address of the original PDF. */
  url?: string;
  /** Address of the signed PDF. */
  signedFileUrl?: string;
  /** SHA-256 of the signed PDF; certificate addresses are built on it. */
  signedSha256?: string;
  /** When signing of this version ended. */
  signedEndedAt?: string;
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
