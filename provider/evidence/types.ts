/** Evidence that isn't what it should be, or can't be had. No file was written under its name. */
export class EvidenceError extends Error {
  override readonly name = "EvidenceError";
}

export type EvidenceKind =
  | "original"
  | "signed"
  | "btc-certificate"
  | "eth-certificate"
  | "evidence-document"
  | "nom151";

/** Settings by name, as in the stack's configuration (`docsign:<name>`). What is left out comes from the environment. */
export interface EvidenceSettings {
  /** Address of the service, or DOCSIGN_BASE_URL. */
  baseUrl?: string;
  /** The account's key, or DOCSIGN_API_KEY. */
  apiKey?: string;
  /** Account to log in with instead of a key, or DOCSIGN_EMAIL. */
  email?: string;
  /** Password to log in with, or DOCSIGN_PASSWORD. */
  password?: string;
  /** How long a request may take, such as `30s`. */
  requestTimeout?: string;
}

export interface DownloadEvidenceArgs {
  /** Id of the document. Its latest version is what is downloaded. */
  documentId: string | number;
  /** Folder for the files, one for each document. It is made where it isn't there. */
  directory: string;
  /**
   * Origins besides the service's own, such as `https://files.example`, that files may be fetched from. The key is never
   * sent there.
   */
  allowOrigins?: string[];
  /** Settings; left out, the stack's configuration, and the environment where that says nothing. */
  settings?: EvidenceSettings;
  /** Ends the download. Nothing is left behind. */
  signal?: AbortSignal;
}

/** A file that was written. */
export interface EvidenceFile {
  kind: EvidenceKind;
  /** Name of the file in the directory. */
  fileName: string;
  /** Size in bytes. */
  bytes: number;
  /** SHA-256 of what was written, in hex. */
  sha256: string;
  /** Whether the service required the key for it. Absent for what the document itself carries. */
  neededKey?: boolean;
  /** Whether every check that there are means for held. */
  proven: boolean;
  /** What was checked, and held. */
  verified: string[];
  /** What nobody checked. */
  notVerified: string[];
}

/** What couldn't be had, and why. */
export interface MissingEvidence {
  kind: EvidenceKind;
  why: string;
}

/** What the service gives as a NOM151 constancia isn't one: it isn't saved. */
export interface InvalidConstancia {
  kind: "invalid";
  why: string;
}

/** A NOM151 constancia that isn't known to say anything about the document. */
export interface OpaqueConstancia {
  kind: "opaque";
  /** What it isn't. */
  why: string;
}

/** A NOM151 constancia that is an RFC 3161 timestamp. All of it is what the token says; `imprint.matches` was compared. */
export interface TimestampConstancia {
  kind: "rfc3161";
  form: "TimeStampToken" | "TimeStampResp";
  /** When the token says it was made, in UTC. */
  time: string;
  /** Serial number of the token, in hex. */
  serialNumber: string;
  /** Policy of the issuer, an object identifier. */
  policy: string;
  /** Who the token says issued it. */
  tsa?: string;
  /** The certificate in the token that belongs to its signature. Nobody checked who issued it, or whether it was revoked. */
  signer?: { subject: string; issuer: string; serialNumber: string; notBefore: string; notAfter: string };
  imprint: {
    /** Hash algorithm: a name such as `sha256`, or an object identifier that isn't known. */
    algorithm: string;
    /** The hash, in hex. */
    hash: string;
    /** Which of the downloaded files has this hash: that file is what was timestamped. */
    matches: "original" | "signed" | "neither" | "unknown";
  };
  /** Whether the token's signature was made with the key of `signer`. Anybody can make such a certificate. */
  signature: "fits its certificate" | "doesn't fit its certificate" | "not checked";
}

export type Constancia = InvalidConstancia | OpaqueConstancia | TimestampConstancia;

/** What was downloaded and what is known of it; `evidence.json` says the same. */
export interface EvidenceManifest {
  documentId: string;
  name: string;
  /** Number of the version. */
  version: string;
  status: string;
  /** Whether everybody has signed, counted from the signers. */
  allSigned: boolean;
  /** Origin of the service. */
  service: string;
  /** What this document is to have, by its fields (`with_nom151`, `blockchain_certs_enabled` and the like). */
  expected: EvidenceKind[];
  /** Whether all that is expected is among `files`, and proven. */
  complete: boolean;
  files: EvidenceFile[];
  missing: MissingEvidence[];
  /** What is in the NOM151 constancia, where there is one. */
  constancia?: Constancia;
}
