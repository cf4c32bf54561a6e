import type { FunctionDeclaration } from "../../kit/property.js";
import type { Context } from "../resources/context.js";
import type { ProviderFunction } from "../resources/resource.js";
import { getDocuments, getDocumentsByDateRange, getUnmanagedDocuments } from "./documents.js";
import { getCertificates } from "./get-certificates.js";
import { getDocument, getSigners } from "./get-document.js";
import { getEvidence } from "./get-evidence.js";

/** Every function of the package. They only read, so a preview runs them too. */
const FUNCTIONS = [
  getDocument,
  getDocuments,
  getDocumentsByDateRange,
  getSigners,
  getCertificates,
  getEvidence,
  getUnmanagedDocuments,
];

export const functionDeclarations: readonly FunctionDeclaration[] = FUNCTIONS.map(({ declaration }) => declaration);

export const functions = (context: Context): ProviderFunction[] => FUNCTIONS.map(({ serve }) => serve(() => context));
