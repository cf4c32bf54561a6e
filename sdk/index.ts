export type { DocumentArgs, InvitationArgs } from "./document.js";
export { Document } from "./document.js";
export type { DocumentComment, DocumentFile, DocumentInvitation, FileSigner, PlatformUser } from "./document-file.js";
export type { DocumentSetArgs, DocumentSetRow } from "./document-set.js";
export { DocumentSet } from "./document-set.js";
export type {
  EvidenceConstancia,
  EvidenceFile,
  GetEvidenceArgs,
  GetEvidenceResult,
  MissingEvidence,
} from "./evidence-types.js";
export type { FolderArgs } from "./folder.js";
export { Folder } from "./folder.js";
export type {
  CertificateRequirement,
  DatedDocument,
  DocumentStatus,
  GetCertificatesArgs,
  GetCertificatesResult,
  GetDocumentArgs,
  GetDocumentResult,
  GetDocumentsArgs,
  GetDocumentsByDateRangeArgs,
  GetDocumentsByDateRangeResult,
  GetDocumentsResult,
  GetSignersArgs,
  GetSignersResult,
  GetUnmanagedDocumentsArgs,
  GetUnmanagedDocumentsResult,
  ListedDocument,
  Truncated,
} from "./function-types.js";
export {
  getCertificates,
  getCertificatesOutput,
  getDocument,
  getDocumentOutput,
  getDocuments,
  getDocumentsByDateRange,
  getDocumentsByDateRangeOutput,
  getDocumentsOutput,
  getEvidence,
  getEvidenceOutput,
  getSigners,
  getSignersOutput,
  getUnmanagedDocuments,
  getUnmanagedDocumentsOutput,
} from "./functions.js";
export type { Inputs } from "./invoke.js";
export { nom151Asset } from "./nom151-asset.js";
export type { ReminderArgs } from "./reminder.js";
export { Reminder } from "./reminder.js";
export type { SignatureGateArgs } from "./signature-gate.js";
export { SignatureGate } from "./signature-gate.js";
export type {
  BlockchainCertificates,
  DocumentSetDocument,
  DocumentSetSummary,
  DocumentVersion,
  GateCondition,
  GateMode,
  Nom151Certificate,
  Organization,
  PageSizes,
  SentReminder,
  SignatureTypes,
  Signer,
  SkippedReminder,
  TemplateVariable,
  WaitingSigner,
  WhenSigned,
} from "./types.js";
