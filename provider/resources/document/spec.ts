import type { Bytes, NewDocument, NewInvitation } from "../../client/service.js";
import { hasUnknown, isRecord, type Value, type Values } from "../../schema/values.js";
import type { Content } from "../journal/contract.js";
import type { PdfInput, PdfSources } from "../pdf/pdf-input.js";
import { pdfSourceOf } from "../pdf/pdf-source.js";
import { contentOf } from "./content.js";
import type { DocumentInputs, InvitationInput } from "./declaration.js";
import { markerOf, withMarker } from "./marker.js";
import { type Term, withoutTerms } from "./terms.js";

/** What the create request says besides the PDF. An input that the declaration gains doesn't compile before it is here. */
type Fields = Pick<Omit<Required<NewDocument>, "pdf">, Exclude<keyof DocumentInputs, PdfInput | Term>>;

/** A document as the program declares it, every value known. */
export interface DocumentSpec extends Fields {
  readonly sha256: string;
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
  const pdf = hasUnknown(withoutTerms(inputs)) ? undefined : pdfSourceOf(inputs, pdfs);
  if (!pdf) return undefined;
  const sha256 = await pdf.sha256();
  const fields: Fields = {
    name: String(inputs["name"]),
    description: filled(inputs["description"]),
    folderId: filled(inputs["folderId"]),
    invitations: invitationsIn(inputs),
    extraParameters: isRecord(inputs["extraParameters"]) ? inputs["extraParameters"] : undefined,
  };
  const { name, description, invitations, folderId, extraParameters, ...others } = fields;
  const content = contentOf({
    name,
    description,
    sha256,
    emails: invitations.map(({ email }) => email),
    rest: JSON.stringify([
      invitations.map(({ message: _, ...invitation }) => invitation),
      folderId ?? null,
      extraParameters ?? null,
      // By name, and only where it is given: a program without the input keeps its fingerprint.
      ...Object.entries(others).filter(([, value]) => value !== undefined),
    ]),
  });
  return {
    ...fields,
    sha256,
    content: creationMarker ? { ...content, marker: markerOf(urn, content.fingerprint) } : content,
    bytes: () => pdf.open(),
  };
}

/** A person as the request needs one. A field that the declaration gains doesn't compile before the request has it. */
type Person = { readonly [Field in keyof Required<InvitationInput>]: NewInvitation[Field] };

export function invitationsIn({ invitations }: Values): Person[] {
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
  const { content, sha256: _, bytes, ...fields } = spec;
  const description =
    content.marker === undefined ? fields.description : withMarker(fields.description ?? "", content.marker);
  return { ...fields, description, pdf: await bytes() };
}

const filled = (value: Value | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
