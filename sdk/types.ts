import type * as pulumi from "@pulumi/pulumi";

/** How somebody may sign: `all` (they choose), `autograph` (drawn) or `advanced` (with a certificate). */
export type SignatureTypes = "all" | "autograph" | "advanced";

/** Page size of a rendered template. */
export type PageSizes = "A4" | "Letter";

/** What a variable of a template may be: text, `true` or `false`, or a list of texts or of texts by name. */
export type TemplateVariable =
  | string
  | boolean
  | pulumi.Input<pulumi.Input<string> | pulumi.Input<Record<string, pulumi.Input<string>>>>[];

/** A person invited, and whether they have signed the latest version. */
export interface Signer {
  /** Address the invitation was sent to. */
  email: string;
  /** Name of the person invited. */
  name?: string;
  /** Signing stage, where the service returns it. */
  stage?: number;
  /** Id of the invitation: what a reminder is sent for. */
  invitationId: string;
  /** Status of the invitation. */
  invitationStatus?: string;
  /** Id of the signer on the latest version. */
  signerId?: string;
  /** `advanced` or `autograph`, once known. */
  signatureType?: string;
  /** `signed`, `unsigned`, or `unknown` where the service doesn't say; a value the service adds later is carried as it is. */
  status: string;
}

/** One version of the document's file. */
export interface DocumentVersion {
  /** Number of the version. */
  version: string;
  /** SHA-256 of the PDF. */
  sha256?: string;
  /** Address of the original PDF. */
  url?: string;
  /** Address of the signed PDF. */
  signedFileUrl?: string;
  /** When signing of this version ended. */
  signedEndedAt?: string;
  /** Status of this version. */
  status?: string;
}

/** The blockchain certificates of the latest version. */
export interface BlockchainCertificates {
  /**
   * Where the blockchain certificates stand: `not_requested`, `requested`, `sended`; empty where the service doesn't
   * tell.
   */
  status: string;
  /** Whether both certificates can be downloaded. */
  ready: boolean;
  /** Download address of the Bitcoin certificate; null until it is ready. */
  btcUrl: string | null;
  /** Download address of the Ethereum certificate; null until it is ready. */
  ethUrl: string | null;
}

/** The NOM151 certificate of the latest version. */
export interface Nom151Certificate {
  /** Whether the certificate is there. */
  ready: boolean;
  /** The ASN.1 certificate as a data URI; null until it is ready. */
  dataUri: string | null;
  /** File name to offer the certificate under, ending in `.asn1`; null until it is ready. */
  fileName: string | null;
  /** SHA-256 of the ASN.1 certificate, in hex; null until it is ready. */
  sha256: string | null;
}

/** An organization at the service. */
export interface Organization {
  /** Id of the organization. */
  id: string;
  /** Name of the organization. */
  name: string;
}

/** What a gate waits for. */
export type GateCondition = "signed" | "nom151" | "blockchain" | "all" | "expiresAt";

/** What a gate does while that isn't there. */
export type GateMode = "observe" | "wait" | "require";

/** A person who was reminded. */
export interface SentReminder {
  /** Address of the person reminded. */
  email: string;
  /** Id of their invitation. */
  invitationId: string;
  /** When the reminder was sent, by the service's clock. */
  at: string;
  /**
   * `sent`, or `unknown` where the service's answer was lost: the reminder counts as sent all the same, and isn't sent
   * again.
   */
  outcome: string;
}

/** A person who wasn't reminded. */
export interface SkippedReminder {
  /** Address of the person. */
  email: string;
  /** Why they weren't reminded. */
  reason: string;
  /** From when on they may be reminded, where it was only too soon: the first `pulumi up` after that reminds them. */
  dueAt?: string;
}

/** What happens when a row of a set changes whose document is signed, even in part. */
export type WhenSigned = "refuse" | "keep";

/** One document of a set, as the service holds it. */
export interface DocumentSetDocument {
  /** Id of the document. */
  documentId: string;
  /** `unsigned`, `partially_signed` or `signed`; a value the service adds later is carried as it is. */
  status: string;
  /** Addresses of those who haven't signed. */
  pendingSigners: string[];
  /** SHA-256 of the latest version's PDF. */
  sha256?: string;
  /** Address of the latest version's signed PDF; null until somebody has signed, and where the service names none. */
  signedFileUrl: string | null;
  /** The blockchain certificates of the latest version. */
  certificates: BlockchainCertificates;
  /** The day from which the contract holds. */
  effectiveFrom?: string;
  /** The last day on which the contract holds. */
  expiresAt?: string;
  /** How long before its end the contract is to be renewed. */
  renewBefore?: string;
  /** Ids of the documents that this one took the place of. They are still alive at the service. */
  supersedes?: string[];
  /** Short hashes of what those were made of, by their ids, as far as they are known. */
  supersededContents?: Record<string, string>;
  /** Short hash of the PDF that was sent, where it was rendered, or the service shows none or another one's. */
  sentPdfHash?: string;
}

/** Somebody whose turn it is to sign. */
export interface WaitingSigner {
  /** Key of the document. */
  key: string;
  /** Address of the person who hasn't signed. */
  email: string;
  /** When the invitation was sent. Of people of a later stage the service doesn't say it. */
  since?: string;
}

/** How many documents of a set stand where. */
export interface DocumentSetSummary {
  /** Number of documents. */
  total: number;
  /** Documents nobody has signed. */
  unsigned: number;
  /** Documents that some have signed. */
  partiallySigned: number;
  /** Documents everybody has signed. */
  signed: number;
  /** Documents that were removed from the set so far. They are still alive at the service. */
  forgotten: number;
}
