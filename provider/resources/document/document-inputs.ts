import type { DocumentBody, NewDocument, NewInvitation, Service } from "../../client/service.js";
import { hasUnknown, isRecord, UNKNOWN, type Value, type Values } from "../../schema/values.js";
import { markOf } from "../pdf/base64.js";
import type { PdfSources } from "../pdf/pdf-input.js";
import { pdfSourceOf } from "../pdf/pdf-source.js";
import { UserError } from "../resource.js";
import { type Content, contentOf } from "./content.js";
import type { DocumentOutputs } from "./declaration.js";
import { documentOutputs } from "./declaration.js";
import { latestFile, signerRows } from "./document-state.js";
import { hashOfFile } from "./lookup.js";
import { markerOf, withMarker, withoutMarker } from "./marker.js";

const textOr = (value: Value | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

function invitationsIn(inputs: Values): NewInvitation[] {
  const { invitations } = inputs;
  return (Array.isArray(invitations) ? invitations : []).filter(isRecord).map(row => ({
    email: String(row["email"]),
    name: textOr(row["name"]),
    message: textOr(row["message"]),
    allowedSignatureTypes: textOr(row["allowedSignatureTypes"]),
    stage: typeof row["stage"] === "number" ? row["stage"] : undefined,
  }));
}

/** What makes this create itself; undefined while any of it isn't known yet. */
export async function contentFrom(
  inputs: Values,
  urn: string,
  withCreationMarker: boolean,
  pdfs: PdfSources,
): Promise<Content | undefined> {
  const sha256 = hasUnknown(inputs) ? undefined : await pdfSourceOf(inputs, pdfs)?.sha256();
  if (sha256 === undefined) return undefined;
  const content = contentOf({
    name: String(inputs["name"]),
    description: textOr(inputs["description"]),
    sha256,
    emails: invitationsIn(inputs).map(invitation => invitation.email),
    rest: JSON.stringify([
      invitationsIn(inputs).map(({ message: _, ...invitation }) => invitation),
      inputs["folderId"] ?? null,
      inputs["extraParameters"] ?? null,
    ]),
  });
  return withCreationMarker ? { ...content, marker: markerOf(urn, content.fingerprint) } : content;
}

/** The create request. */
export async function newDocument(inputs: Values, content: Content, pdfs: PdfSources): Promise<NewDocument> {
  const pdf = await pdfSourceOf(inputs, pdfs)?.open();
  if (pdf === undefined) throw new UserError("the PDF isn't known, so nothing was created");
  const description = textOr(inputs["description"]);
  const extra = inputs["extraParameters"];
  return {
    name: String(inputs["name"]),
    description: content.marker === undefined ? description : withMarker(description ?? "", content.marker),
    folderId: textOr(inputs["folderId"]),
    invitations: invitationsIn(inputs),
    pdf,
    extraParameters: isRecord(extra) ? extra : undefined,
  };
}

/** An imported document's inputs: what the service tells, and the PDF's mark in place of the PDF. */
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

/** What a preview can honestly say of a document that isn't there: what the program says, and nothing of what the service will. */
export function previewOutputs(inputs: Values, origin: string): Values {
  const outputs: Values = Object.fromEntries(Object.keys(documentOutputs.shape).map(name => [name, UNKNOWN]));
  for (const name of ["name", "description", "folderId"] as const) {
    if (inputs[name] === undefined) delete outputs[name];
    else outputs[name] = inputs[name];
  }
  return { ...outputs, imported: false, service: origin };
}

/** What is known of a document whose id is and whose body isn't. */
export function bareOutputs(
  id: string,
  inputs: Values,
  kept: { supersedes: readonly string[] },
  origin: string,
): DocumentOutputs {
  const outputs: DocumentOutputs = {
    documentId: id,
    name: String(inputs["name"] ?? ""),
    status: "unknown",
    allSigned: false,
    signers: [],
    pendingSigners: invitationsIn(inputs).map(invitation => invitation.email),
    versions: [],
    certificates: { status: "", ready: false },
    nom151: { ready: false },
    supersedes: [...kept.supersedes],
    drift: [],
    imported: false,
    service: origin,
  };
  const description = textOr(inputs["description"]);
  return description === undefined ? outputs : { ...outputs, description };
}
