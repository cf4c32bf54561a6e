import type { Value } from "../../schema/values.js";
import type { SignerRow } from "../document/declaration.js";
import { addressOf } from "../document/document-state.js";
import { type Call, UserError } from "../resource.js";

/** The rows a list of addresses chooses; all of them where there is no list. An address nobody invited is an error. */
export function chosenRows(
  rows: readonly SignerRow[],
  signers: Value | undefined,
  documentId: string,
  call: Call,
): readonly SignerRow[] {
  if (!Array.isArray(signers)) return rows;
  const wanted = new Map(signers.map(email => [addressOf(String(email)), String(email)]));
  const invited = new Set(rows.map(row => addressOf(row.email)));
  const uninvited = [...wanted].flatMap(([address, email]) => (invited.has(address) ? [] : [email]));
  if (uninvited.length > 0) {
    throw new UserError(
      `signers: ${named(uninvited, call)} ${uninvited.length === 1 ? "isn't" : "aren't"} invited to sign document ${documentId}. ` +
        `Invited: ${rows.map(row => row.email || "an address the service doesn't return").join(", ") || "nobody"}.`,
    );
  }
  return rows.filter(row => wanted.has(addressOf(row.email)));
}

/** Each address once, however it is written. */
export const addressesIn = (rows: readonly Pick<SignerRow, "email">[]): string[] => [
  ...new Map(rows.map(row => [addressOf(row.email), row.email])).values(),
];

/** People as a message names them: by number where the program keeps them secret. */
export function named(emails: readonly string[], call: Call): string {
  if (!call.secrets.has("signers")) return emails.join(", ");
  return emails.length === 1 ? "1 person" : `${emails.length} people`;
}
