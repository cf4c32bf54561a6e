export { downloadEvidence } from "./download-evidence.js";
export { EvidenceError } from "./errors.js";
export type {
  Constancia,
  DownloadEvidenceArgs,
  EvidenceFile,
  EvidenceKind,
  EvidenceManifest,
  EvidenceSettings,
  MissingEvidence,
  OpaqueConstancia,
  TimestampConstancia,
} from "./types.js";
