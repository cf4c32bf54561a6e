import type { DocumentBody } from "../../client/service.js";
import { type Content, descriptionHash, inviteesHash, nameHash } from "./content.js";
import { markerIn } from "./marker.js";

export type Likeness = "same" | "doubtful" | "other";

/** Name, invitees and PDF: whether each is what was sent; undefined where the service doesn't tell. */
async function features(
  body: DocumentBody,
  content: Content,
  pdfHash: () => Promise<string | undefined>,
): Promise<(boolean | undefined)[]> {
  const emails = body.invitations.map(invitation => invitation.email);
  const told = emails.length > 0 && emails.every(email => email);
  const name = nameHash(body.name) === content.name;
  const invitees = told ? inviteesHash(emails) === content.invitees : undefined;
  // Only the PDF could be the same, as with any two contracts made from one template.
  if (!name && invitees === false) return [false, false, undefined];
  const hash = await pdfHash();
  return [name, invitees, hash === undefined ? undefined : hash === content.sha256];
}

const agree = (of: readonly (boolean | undefined)[]): boolean =>
  of.includes(true) && of.filter(each => each !== false).length >= 2;

/**
 * A document that appeared since a create, beside what was sent. A service may keep some of it to itself, and may tell
 * a name, a description, an address or a PDF a little differently than it was given: where two of name, invitees and PDF
 * may be ours, it can't be ruled out, and only a person can tell.
 */
export async function likenessOf(
  body: DocumentBody,
  content: Content,
  pdfHash: () => Promise<string | undefined>,
): Promise<Likeness> {
  const marker = markerIn(body.description);
  // Another resource's mark, or one where we set none: whatever else fits, another create made it.
  if (marker !== undefined && marker !== content.marker) return "other";
  const found = await features(body, content, pdfHash);
  const described = body.description === null || descriptionHash(body.description) === content.description;
  if (found.every(each => each === true) && described) return "same";
  if (!agree(found)) return marker === undefined ? "other" : "doubtful";
  return marker === undefined ? "doubtful" : "same";
}

/** Whether it was made from the same name, bytes and invitees, by whomever. */
export async function isAlike(
  body: DocumentBody,
  content: Content,
  pdfHash: () => Promise<string | undefined>,
): Promise<boolean> {
  return (await features(body, content, pdfHash)).every(each => each === true);
}
