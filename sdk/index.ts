export { Document, type DocumentArgs, type InvitationArgs } from "./document.js";
export { Folder, type FolderArgs } from "./folder.js";
export type {
  BlockchainCertificates,
  DocumentVersion,
  Nom151Certificate,
  Organization,
  SignatureTypes,
  Signer,
} from "./types.js";
