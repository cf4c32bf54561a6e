import { hash as digest } from "node:crypto";
import { canonicalText } from "../../core/text.js";
import type { Content } from "../journal/contract.js";
import { addressOf } from "./document-state.js";
import { withoutMarker } from "./marker.js";

const hash = (text: string): string => digest("sha256", text, "hex");

export const nameHash = (name: string): string => hash(canonicalText(name));
export const descriptionHash = (description: string | null | undefined): string =>
  hash(canonicalText(withoutMarker(description ?? "")));
export const inviteesHash = (emails: readonly (string | null)[]): string =>
  hash(emails.map(addressOf).sort().join("\n"));

export function contentOf(document: {
  name: string;
  description?: string | undefined;
  sha256: string;
  emails: readonly string[];
  /** Whatever else is sent and can't be compared at the service: a create that differs in it is another one. */
  rest?: string | undefined;
}): Content {
  const parts = {
    name: nameHash(document.name),
    sha256: document.sha256,
    invitees: inviteesHash(document.emails),
    description: descriptionHash(document.description),
  };
  return { ...parts, fingerprint: hash([...Object.values(parts), document.rest ?? ""].join("\n")).slice(0, 32) };
}
