import { isRecord, type Value, type Values } from "../../schema/values.js";
import { pdfHashOf } from "../pdf/pdf-source.js";
import type { Pending } from "../replace-guard.js";
import { inviteesHash, nameHash } from "./content.js";

/** Hashes of name, people and PDF: what identifies a document where a URN doesn't. */
function features(name: Value | undefined, rows: Value | undefined, sha256: Value | undefined): string[] {
  const emails = Array.isArray(rows) ? rows.map(row => (isRecord(row) ? String(row["email"] ?? "") : "")) : [];
  return [
    ...(typeof name === "string" ? [`name:${nameHash(name)}`] : []),
    ...(emails.length > 0 ? [`people:${inviteesHash(emails)}`] : []),
    ...(typeof sha256 === "string" ? [`pdf:${sha256.toLowerCase()}`] : []),
  ];
}

export function wantedFeatures(inputs: Values): string[] {
  const hash = pdfHashOf(inputs);
  return features(inputs["name"], inputs["invitations"], typeof hash === "string" ? hash : undefined);
}

export const storedFeatures = (outputs: Values): string[] =>
  features(outputs["name"], outputs["signers"], outputs["sha256"]);

/** Of several resources that wait to be created, the one most like what is deleted under another URN, if any is. */
export function likelySuccessor(pending: readonly Pending[], stored: readonly string[]): string | undefined {
  const score = ({ features }: Pending): number => features.filter(each => stored.includes(each)).length;
  const [best] = pending.filter(each => score(each) > 0).sort((a, b) => score(b) - score(a));
  return best?.urn;
}
