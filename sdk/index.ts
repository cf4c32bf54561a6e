export type { Inputs } from "./ask.js";
export type { DocumentArgs, InvitationArgs } from "./document.js";
export { Document } from "./document.js";
export type { DocumentComment, DocumentFile, DocumentInvitation, FileSigner, PlatformUser } from "./document-file.js";
export type { FolderArgs } from "./folder.js";
export { Folder } from "./folder.js";
export type {
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
  getSigners,
  getSignersOutput,
  getUnmanagedDocuments,
  getUnmanagedDocumentsOutput,
} from "./functions.js";
export type {
  BlockchainCertificates,
  DocumentVersion,
  Nom151Certificate,
  Organization,
  SignatureTypes,
  Signer,
} from "./types.js";
