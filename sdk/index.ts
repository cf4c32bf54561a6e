// What a program imports: all that these files export.
export * from "./document.js";
export * from "./document-set.js";
export * from "./folder.js";
export type * from "./function-types.js";
export * from "./functions.js";
export { nom151Asset } from "./nom151-asset.js";
export * from "./reminder.js";
export * from "./signature-gate.js";
export type * from "./types.js";
