import type { NewDocument } from "../documents.js";
import type { Settings } from "../settings.js";

/** What the service keeps of a document it is asked to make. */
export function storedDocument(wanted: NewDocument, settings: Settings): NewDocument {
  const invitations = wanted.invitations.map(one => ({
    ...one,
    email: settings.emails === "lower-case" ? one.email.toLowerCase() : one.email,
  }));
  return {
    ...wanted,
    name: nameKept(wanted.name, settings.names),
    invitations: settings.invitationOrder === "reversed" ? invitations.toReversed() : invitations,
  };
}

function nameKept(name: string, names: Settings["names"]): string {
  if (names === "trimmed") return name.trim();
  if (names === "cut") return name.slice(0, 20);
  if (names === "escaped") return name.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return name;
}
