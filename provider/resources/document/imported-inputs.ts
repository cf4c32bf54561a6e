import type { NotFoundError } from "../../client/errors.js";
import type { DocumentBody, Service } from "../../client/service.js";
import type { Values } from "../../schema/values.js";
import { markOf } from "../pdf/base64.js";
import { Refusal, type Remedy } from "../refusal.js";
import { latestFile, signerRows } from "./document-state.js";
import { hashOfFile } from "./lookup.js";
import { withoutMarker } from "./marker.js";

/** An imported document's inputs: what the service returns, and the PDF's mark in place of the PDF. */
export async function importedInputs(body: DocumentBody, service: Service, signal: AbortSignal): Promise<Values> {
  const inputs: Values = { name: body.name };
  const description = withoutMarker(body.description ?? "");
  if (description !== "") inputs["description"] = description;
  if (body.folderId !== null) inputs["folderId"] = body.folderId;
  const types = new Map(body.invitations.map(invitation => [invitation.id, invitation.allowedSignatureTypes]));
  inputs["invitations"] = signerRows(body).map(row => {
    const invitation: Values = { email: row.email };
    if (row.name) invitation["name"] = row.name;
    const allowed = types.get(row.invitationId);
    if (allowed) invitation["allowedSignatureTypes"] = allowed;
    if (row.stage !== undefined) invitation["stage"] = row.stage;
    return invitation;
  });
  const latest = latestFile(body);
  const hash = latest && (await hashOfFile(latest, service, signal));
  if (hash !== undefined) inputs["base64File"] = markOf(hash);
  return inputs;
}

export const notShown = (id: string, urn: string, cause: NotFoundError, { inState = false } = {}): Refusal =>
  new Refusal(
    {
      cause: "not-shown",
      headline: `document ${id} can't be ${inState ? "read" : "imported"}: the service doesn't show it to this account.`,
      details: [cause.message],
      remedies: [
        { kind: "advice", text: "check the id, docsign:baseUrl and whose key is configured" },
        ...(inState ? [{ kind: "state-delete" } satisfies Remedy] : []),
      ],
    },
    urn,
  );
