import type { Bytes, NewDocument, NewInvitation } from "../../client/service.js";
import { hasUnknown, isRecord, type Value, type Values } from "../../schema/values.js";
import type { Content } from "../journal/contract.js";
import type { PdfSources } from "../pdf/pdf-input.js";
import { pdfSourceOf } from "../pdf/pdf-source.js";
import { contentOf } from "./content.js";
import { markerOf, withMarker } from "./marker.js";

/** A document as the program declares it, every value known. */
export interface DocumentSpec {
  readonly name: string;
  readonly description: string | undefined;
  readonly folderId: string | undefined;
  readonly invitations: readonly NewInvitation[];
  readonly sha256: string;
  readonly extraParameters: Readonly<Values> | undefined;
  readonly content: Content;
  /** The PDF. Throws where its bytes aren't at hand any more. */
  bytes(): Promise<Bytes>;
}

export interface SpecOptions {
  readonly urn: string;
  readonly creationMarker: boolean;
  readonly pdfs: PdfSources;
}

/** Undefined while a value isn't known yet. */
export async function parseSpec(
  inputs: Values,
  { urn, creationMarker, pdfs }: SpecOptions,
): Promise<DocumentSpec | undefined> {
  const pdf = hasUnknown(inputs) ? undefined : pdfSourceOf(inputs, pdfs);
  if (!pdf) return undefined;
  const sha256 = await pdf.sha256();
  const { name, extraParameters } = inputs;
  const parsed = {
    name: String(name),
    description: filled(inputs["description"]),
    folderId: filled(inputs["folderId"]),
    invitations: invitationsIn(inputs),
    sha256,
    extraParameters: isRecord(extraParameters) ? extraParameters : undefined,
  };
  const content = contentOf({
    ...parsed,
    emails: parsed.invitations.map(({ email }) => email),
    rest: JSON.stringify([
      parsed.invitations.map(({ message: _, ...invitation }) => invitation),
      parsed.folderId ?? null,
      parsed.extraParameters ?? null,
    ]),
  });
  return {
    ...parsed,
    content: creationMarker ? { ...content, marker: markerOf(urn, content.fingerprint) } : content,
    bytes: () => pdf.open(),
  };
}

export function invitationsIn({ invitations }: Values): NewInvitation[] {
  return (Array.isArray(invitations) ? invitations : []).filter(isRecord).map(row => ({
    email: String(row["email"]),
    name: filled(row["name"]),
    message: filled(row["message"]),
    allowedSignatureTypes: filled(row["allowedSignatureTypes"]),
    stage: typeof row["stage"] === "number" ? row["stage"] : undefined,
  }));
}

/** The create request. */
export async function newDocument(spec: DocumentSpec): Promise<NewDocument> {
  const { name, description, folderId, invitations, extraParameters, content } = spec;
  return {
    name,
    description: content.marker === undefined ? description : withMarker(description ?? "", content.marker),
    folderId,
    invitations,
    pdf: await spec.bytes(),
    extraParameters,
  };
}

const filled = (value: Value | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
