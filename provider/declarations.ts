import { configInputs } from "./config.js";
import { functionDeclarations } from "./functions/declarations.js";
import { documentDeclaration } from "./resources/document/declaration.js";
import { folderDeclaration } from "./resources/folder-declaration.js";
import { reminderDeclaration } from "./resources/reminder/declaration.js";
import { gateDeclaration } from "./resources/signature-gate/declaration.js";
import { examples } from "./schema/examples/index.js";
import type { ResourceDeclaration } from "./schema/facts.js";
import type { PackageDeclaration } from "./schema/package-schema.js";

/** A new resource is in the package once it is listed here. */
export const resourceDeclarations: readonly ResourceDeclaration[] = [
  folderDeclaration,
  documentDeclaration,
  gateDeclaration,
  reminderDeclaration,
];

/** Everything the package declares, its version aside. Imports declarations only, so reading it costs little. */
export const packageDeclaration: Omit<PackageDeclaration, "version"> = {
  resources: resourceDeclarations,
  functions: functionDeclarations,
  config: configInputs,
  examples,
};
