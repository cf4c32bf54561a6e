import { hash } from "node:crypto";

/** How a person calls an id of the journal, and how a log that isn't read whole does. */
export const tokenOf = (service: string, id: string): string => hashOf(`${service}\n${id}`).slice(0, 8);

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
