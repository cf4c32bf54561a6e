import type { DocumentBody } from "../../client/service.js";
import { excerpt } from "../../schema/check.js";
import type { Remedy } from "../refusal.js";
import type { Finding } from "../replace-guard.js";
import { isUnsigned, latestFile, signerRows } from "./document-state.js";

export const REPLACE_REMEDIES: readonly Remedy[] = [
  {
    kind: "advice",
    text: 'keep this document: take the change back, or, for another PDF, set the resource option ignoreChanges: ["file", "base64File"] (both)',
  },
  { kind: "advice", text: "send the changed contract as well: declare it as a new resource with its own name" },
  {
    kind: "advice",
    text: "let go of this one first: remove it from the program, `pulumi up`, then declare the new one (it stays at the service)",
  },
];

/** A document as the guard sees it: who signed, how and when; and who hasn't. `secrets` are the inputs not to be shown. */
export function documentFinding(
  body: DocumentBody,
  secrets: ReadonlySet<string>,
): Omit<Finding, "confirmed" | "remedies"> {
  const replaceable = isUnsigned(body);
  const hideNames = secrets.has("invitations");
  const title = `document ${body.id}${hideNames || secrets.has("name") ? "" : ` ${excerpt(body.name)}`}`;
  const state =
    body.status === "unsigned" && !replaceable ? "unsigned by its status, but shows a signature" : body.status;
  const times = new Map(latestFile(body)?.signers.map(signer => [signer.id, signer.updatedAt]));
  const details = signerRows(body).map(row => {
    const who = hideNames ? `invitation ${row.invitationId}` : row.email;
    if (row.status === "unsigned") return `waiting: ${who}`;
    const when = row.signerId === undefined ? undefined : times.get(row.signerId);
    return `${row.status}: ${who}${row.signatureType === undefined ? "" : ` (${row.signatureType})`}${when ? `, ${when}` : ""}`;
  });
  const created = Date.parse(body.createdAt ?? "");
  return {
    replaceable,
    headline: `${title} is ${state}`,
    details,
    sha256: latestFile(body)?.sha256 ?? undefined,
    createdAt: Number.isNaN(created) ? undefined : created,
  };
}
