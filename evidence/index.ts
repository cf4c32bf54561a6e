export { EvidenceError } from "../provider/evidence/errors.js";
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
} from "../provider/evidence/types.js";
export { downloadEvidence } from "./download-evidence.js";
