import type { DocumentBody } from "../../provider/client/service.js";
import { allSigned, signerRows } from "../../provider/resources/document/state.js";

export const EVENTS = ["first", "last", "refusal", "deadline"] as const;
export type Event = (typeof EVENTS)[number];

/** Something that people are told once. */
export interface Notice {
  readonly event: Event;
  /** What makes it another one than those before: of a document, and where there may be several, of a person or a day. */
  readonly key: string;
  readonly documentId: string;
  readonly name: string;
  /** How many have signed, of how many. */
  readonly signed: number;
  readonly of: number;
  /** Who refused, or who is late. */
  readonly people: readonly string[];
}

/** Words for a refusal. The interface shows none: another one is no notice. */
const REFUSED = /^(declined|rejected|refused)$/i;

/** All that has happened to a document, as far as the service shows it now. What was told of it is the journal's to know. */
export function noticesOf(
  body: DocumentBody,
  { deadline, now }: { deadline: number | undefined; now: number },
): Notice[] {
  const rows = signerRows(body);
  const signed = rows.filter(({ status }) => status === "signed").length;
  const facts = { documentId: body.id, name: body.name, signed, of: rows.length };
  const notice = (event: Event, key: string, people: readonly string[] = []): Notice => ({
    ...facts,
    ...{ event, key: keyOf(body.id, key), people },
  });
  // Of a document that everybody has signed the last signature is all the news.
  if (allSigned(body)) return [notice("last", "last")];
  const refused = rows.filter(row => REFUSED.test(row.invitationStatus ?? "") || REFUSED.test(row.status));
  const late = rows.filter(({ status }) => status !== "signed").map(({ email }) => email);
  return [
    ...(signed > 0 ? [notice("first", "first")] : []),
    ...refused.map(({ invitationId, email }) => notice("refusal", `refusal ${invitationId}`, [email])),
    ...(deadline !== undefined && now > deadline ? [notice("deadline", `deadline ${deadline}`, late)] : []),
  ];
}

export const keyOf = (documentId: string, what: string): string => `document ${documentId} ${what}`;
