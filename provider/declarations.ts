import type { ResourceDeclaration } from "../kit/property.js";
import { documentDeclaration } from "./resources/document/declaration.js";
import { documentSetDeclaration } from "./resources/document-set/declaration.js";
import { folderDeclaration } from "./resources/folder-declaration.js";
import { reminderDeclaration } from "./resources/reminder/declaration.js";
import { gateDeclaration } from "./resources/signature-gate/declaration.js";

/** A new resource is in the package once it is listed here. */
export const resourceDeclarations: readonly ResourceDeclaration[] = [
  folderDeclaration,
  documentDeclaration,
  documentSetDeclaration,
  gateDeclaration,
  reminderDeclaration,
];
