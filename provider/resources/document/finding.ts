import type { DocumentBody } from "../../client/service.js";
import { excerpt } from "../../schema/check.js";
import type { Finding } from "../guard.js";
import { isUnsigned, latestFile, signerRows } from "./document-state.js";

export const WAYS_OUT: readonly string[] = [
  'keep this document: take the change back, or, for another PDF, set the resource option ignoreChanges: ["file", "base64File"] (both)',
  "send the changed contract as well: declare it as a new resource with a name of its own",
  "let go of this one first: remove it from the program, `pulumi up`, then declare the new one (it stays alive at the service)",
];

/** A document as the guard sees it: who signed, how and when; and who hasn't. `secrets` are the inputs not to be told. */
export function documentFinding(body: DocumentBody, secrets: ReadonlySet<string>): Finding {
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
  return { replaceable, headline: `${title} is ${state}`, details, sha256: latestFile(body)?.sha256 ?? undefined };
}
