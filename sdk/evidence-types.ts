/** Arguments of `getEvidence`. */
export interface GetEvidenceArgs {
  /** Id of the document. */
  documentId: string | number;
  /** Origins besides the service's own that files may be fetched from. The key is never sent there. */
  allowOrigins?: string[];
  /** Whether to fail while something of what is expected is missing or unproven. */
  requireComplete?: boolean;
}

/** What `getEvidence` answers. */
export interface GetEvidenceResult {
  /** Id of the document. */
  documentId: string;
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
