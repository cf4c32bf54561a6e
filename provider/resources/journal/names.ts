import { hash } from "node:crypto";
import { folderDeclaration } from "../folder-declaration.js";
import { typeOf } from "../urn.js";

/** What an id names: a folder and a document may have the same. */
export type IdKind = "document" | "folder";

export const kindOf = (urn: string): IdKind => (typeOf(urn) === folderDeclaration.token ? "folder" : "document");

/** How a person calls an id of the journal, and how a log that isn't read whole does. */
export const tokenOf = (service: string, id: string, kind: IdKind = "document"): string =>
  hashOf(kind === "document" ? `${service}\n${id}` : `${service}\n${kind}\n${id}`).slice(0, 8);

/** The same of a line, or of a row. */
export const tokenIn = ({ service, urn, id }: { service: string; urn: string; id: string }): string =>
  tokenOf(service, id, kindOf(urn));

/** How a log calls what a document is made of. */
export const contentName = (service: string, fingerprint: string): string =>
  `content-${hashOf(`${service}\n${fingerprint}`).slice(0, 16)}`;

/** How a log calls an invitation. */
export const invitationName = (service: string, invitationId: string): string =>
  `invitation-${hashOf(`${service}\n${invitationId}`).slice(0, 16)}`;

const STACK = "stack-";

/** How a log calls the stack and project of a URN, whatever its backend: an unknown one may be any. */
export const stackOf = (urn: string): string => `${STACK}${hashOf(urn.split("::", 2).join("::")).slice(0, 16)}`;

export const isStack = (name: string): boolean => name.startsWith(STACK);

const hashOf = (text: string): string => hash("sha256", text, "hex");
