export { downloadEvidence } from "./download-evidence.js";
export { EvidenceError } from "./errors.js";
export type {
  Constancia,
  DownloadEvidenceArgs,
  EvidenceFile,
  EvidenceKind,
  EvidenceManifest,
  EvidenceSettings,
  InvalidConstancia,
  MissingEvidence,
  OpaqueConstancia,
  TimestampConstancia,
} from "./types.js";
