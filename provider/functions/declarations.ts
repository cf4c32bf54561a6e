import type { FunctionDeclaration } from "../schema/property.js";
import { getCertificatesDeclaration } from "./get-certificates-declaration.js";
import { getDocumentDeclaration } from "./get-document-declaration.js";
import { getDocumentsByDateRangeDeclaration } from "./get-documents-by-date-range-declaration.js";
import { getDocumentsDeclaration } from "./get-documents-declaration.js";
import { getEvidenceDeclaration } from "./get-evidence-declaration.js";
import { getSignersDeclaration } from "./get-signers-declaration.js";
import { getUnmanagedDocumentsDeclaration } from "./get-unmanaged-documents-declaration.js";

export const functionDeclarations: readonly FunctionDeclaration[] = [
  getDocumentDeclaration,
  getDocumentsDeclaration,
  getDocumentsByDateRangeDeclaration,
  getSignersDeclaration,
  getCertificatesDeclaration,
  getEvidenceDeclaration,
  getUnmanagedDocumentsDeclaration,
];
