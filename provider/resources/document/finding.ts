import type { DocumentBody } from "../../client/service.js";
import { statusInWords } from "../../core/text.js";
import { excerpt } from "../../schema/check.js";
import type { Remedy } from "../refusal.js";
import type { Finding } from "../replace-guard.js";
import { isUnsigned, latestFile, signerRows } from "./document-state.js";

export const REPLACE_REMEDIES: readonly Remedy[] = [
  { kind: "take-back" },
  { kind: "send-as-well" },
  { kind: "remove-first" },
];

/** The service writes times in its own zone: where this machine's is another, its time stands beside it. */
export function withLocalTime(when: string): string {
  const time = new Date(when);
  const [, sign = "", hours = "", minutes = ""] = /([+-])(\d\d):?(\d\d)$/.exec(when) ?? [];
  const offset = sign === "" ? 0 : Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes));
  if (Number.isNaN(time.getTime()) || offset === -time.getTimezoneOffset()) return when;
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return `${when} (${local.toISOString().slice(0, 16).replace("T", " ")} local time)`;
}

/** A document as the guard sees it: who signed, how and when; and who hasn't. `secrets` are the inputs not to be shown. */
export function documentFinding(
  body: DocumentBody,
  secrets: ReadonlySet<string>,
): Omit<Finding, "confirmed" | "remedies"> {
  const replaceable = isUnsigned(body);
  const hideNames = secrets.has("invitations");
  const title = `document ${body.id}${hideNames || secrets.has("name") ? "" : ` ${excerpt(body.name)}`}`;
  const state =
    body.status === "unsigned" && !replaceable
      ? "unsigned by its status, but shows a signature"
      : statusInWords(body.status);
  const times = new Map(latestFile(body)?.signers.map(signer => [signer.id, signer.updatedAt]));
  const rows = signerRows(body);
  const details = rows.map(row => {
    const who = hideNames ? `invitation ${row.invitationId}` : row.email;
    if (row.status === "unsigned") return `waiting: ${who}`;
    const when = row.signerId === undefined ? undefined : times.get(row.signerId);
    return `${row.status}: ${who}${row.signatureType === undefined ? "" : ` (${row.signatureType})`}${when ? `, ${withLocalTime(when)}` : ""}`;
  });
  const created = Date.parse(body.createdAt ?? "");
  return {
    replaceable,
    headline: `${title} is ${state}`,
    details,
    signed: hideNames ? [] : rows.flatMap(({ status, email }) => (status === "signed" ? [email] : [])),
    sha256: latestFile(body)?.sha256 ?? undefined,
    createdAt: Number.isNaN(created) ? undefined : created,
  };
}
