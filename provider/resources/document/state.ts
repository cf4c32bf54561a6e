import type { Checked, Stored } from "../../../kit/check.js";
import { isKnown, type Preview, unknownOutputs } from "../../../kit/define.js";
import { type Every, trimmed } from "../../../kit/records.js";
import { known } from "../../../kit/values.js";
import { unreadDocument } from "../../client/bodies.js";
import { allSigned, certificatesOf, hashOfFile, latestFile, nom151Of, signedFileUrlOf } from "../../client/files.js";
import type { Bytes, DocumentBody, NewDocument, NewInvitation, Service } from "../../client/service.js";
import { sortedJson } from "../../core/same.js";
import type { Content } from "../journal/contract.js";
import type { Contents, ResourceInState } from "../journal/deployment-log.js";
import { markOf } from "../pdf/asset-source.js";
import { type PdfInput, type PdfSources, pdfSourceOf } from "../pdf/pdf-input.js";
import { type ComparedField, emailsOf, type InvitationInput, type Invitee, isAddressed, peopleOf } from "../people.js";
import { UserError } from "../resource.js";
import { invitationsIn, pendingIn, signerRows } from "../signers.js";
import { givenTerms, type Term, withoutTerms } from "../terms.js";
import { contentHash, contentOf, hexHash, markerOf, restOf, withMarker, withoutMarker } from "./content.js";
import {
  type CheckedInputs,
  type DocumentInputs,
  type DocumentOutputs,
  type DocumentState,
  documentOutputs,
  driftOf,
  type InputHashes,
  type ShownInput,
} from "./declaration.js";

/*
 * What state has of a document, and what a create sends: `outputsOf` makes outputs of the document that the service shows,
 * `importedInputs` inputs, and `specOf` what is sent of checked inputs, with the hashes it is known by.
 */

// ---- Outputs ----

/** What state alone knows of a document, beside what the program says. */
export interface StateOnly {
  readonly supersedes: readonly string[];
  readonly supersededContents?: Contents | undefined;
  readonly sentPdfHash?: string | undefined;
  readonly imported: boolean;
}

/**
 * The service's document as state keeps it: compact, because state is written again at every step of a deployment.
 * `inputs`: what the program says, where it manages the document.
 */
export function outputsOf(
  body: DocumentBody,
  service: Pick<Service, "origin" | "baseUrl">,
  stateOnly: StateOnly = { supersedes: [], imported: false },
  inputs?: CheckedInputs,
): DocumentOutputs {
  const latest = latestFile(body);
  const signers = signerRows(body);
  const outputs = trimmed<Every<DocumentOutputs>>({
    documentId: body.id,
    name: body.name,
    description: withoutMarker(body.description ?? "") || undefined,
    folderId: body.folderId ?? undefined,
    status: body.status,
    allSigned: allSigned(body),
    signers,
    pendingSigners: pendingIn(signers),
    lastVersion: body.lastVersion ?? latest?.version,
    versions: body.files.map(file =>
      trimmed({
        version: file.version,
        sha256: file.sha256 ?? undefined,
        url: file.url ?? undefined,
        signedFileUrl: signedFileUrlOf(file),
        signedEndedAt: file.signedEndedAt ?? undefined,
        status: file.status ?? undefined,
      }),
    ),
    sha256: latest?.sha256 ?? undefined,
    fileUrl: latest?.url ?? null,
    signedFileUrl: (latest && signedFileUrlOf(latest)) ?? null,
    signedSha256: latest?.sha256SignedFile ?? null,
    certificates: certificatesOf(latest, service.baseUrl),
    // Not the service's word: found out by trying, once they are ready.
    certificatesNeedKey: null,
    nom151: nom151Of(body.id, latest),
    createdAt: body.createdAt ?? undefined,
    updatedAt: body.updatedAt ?? undefined,
    ownerId: body.ownerId ?? undefined,
    organization: body.organization ? { id: body.organization.id, name: body.organization.name } : undefined,
    effectiveFrom: known(inputs?.effectiveFrom) || undefined,
    expiresAt: known(inputs?.expiresAt) || undefined,
    renewBefore: known(inputs?.renewBefore) || undefined,
    supersedes: [...stateOnly.supersedes],
    supersededContents: stateOnly.supersededContents,
    sentPdfHash: stateOnly.sentPdfHash,
    drift: [],
    imported: stateOnly.imported,
    service: service.origin,
  });
  return inputs && !body.isUnread ? { ...outputs, drift: driftOf(inputs, outputs) } : outputs;
}

const UNSAID: Preview<DocumentState> = withoutTerms(unknownOutputs(documentOutputs));

/** Outputs of a document that a preview would create: what the program says; what only the service knows is unknown. */
export function previewOutputs(inputs: CheckedInputs, service: string): Preview<DocumentState> {
  const { name, description, folderId } = inputs;
  const said: Every<Pick<Preview<DocumentState>, ShownInput>> = { name, description, folderId };
  return trimmed<Preview<DocumentState>>({ ...UNSAID, ...givenTerms(inputs), ...said, imported: false, service });
}

/** What is known of a document whose id is and whose body isn't. */
export function bareOutputs(id: string, inputs: CheckedInputs, stateOnly: StateOnly, origin: string): DocumentOutputs {
  const description = known(inputs.description) || null;
  const body = unreadDocument({ id, name: known(inputs.name) ?? "", description, status: "unknown", createdAt: null });
  const pendingSigners = emailsOf(inputs.invitations).map(email => email ?? "");
  return { ...outputsOf(body, { origin, baseUrl: "" }, stateOnly, inputs), pendingSigners };
}

/** False for outputs that came with an import file or were edited: they say nothing about what the service has. */
export const isWrittenByProvider = (id: string, { documentId, service = "" }: DocumentState): boolean =>
  documentId === id && service !== "";

/** What state alone knows of a document, as far as the provider wrote it. */
export function stateOnlyOf(id: string, outputs: DocumentState = {}): StateOnly {
  if (!isWrittenByProvider(id, outputs)) return { supersedes: [], imported: true };
  const { supersedes = [], supersededContents, sentPdfHash, imported } = outputs;
  return { supersedes, supersededContents, sentPdfHash, imported: imported === true };
}

/** Of a document in state and those before it, as far as the provider wrote what state has. */
export function contentsOf(id: string, hashes: InputHashes, outputs: DocumentState): Contents {
  if (!isWrittenByProvider(id, outputs)) return {};
  const { supersededContents = {}, sentPdfHash } = outputs;
  const own = contentHash(hashes, sentPdfHash);
  return own === undefined ? supersededContents : { ...supersededContents, [id]: own };
}

/** What state will say of documents that another one replaces, by what the engine has shown of them. */
export function supersededOf(
  shown: readonly ResourceInState[],
  supersedes: readonly string[],
): Pick<StateOnly, "supersedes" | "supersededContents"> {
  const contents = shown.flatMap(each => Object.entries(each.contents ?? {}));
  const known = contents.filter(([id]) => supersedes.includes(id));
  return { supersedes, ...(known.length > 0 && { supersededContents: Object.fromEntries(known) }) };
}

// ---- Inputs of an import ----

/** An imported document's inputs: what the service returns, and the PDF's mark in place of the PDF. */
export async function importedInputs(
  body: DocumentBody,
  service: Service,
  signal: AbortSignal,
): Promise<Stored<DocumentInputs> & Checked> {
  const latest = latestFile(body);
  const hash = latest && (await hashOfFile(latest, service, signal));
  const shown = trimmed<Every<Pick<Stored<DocumentInputs>, ShownInput | "invitations" | "base64File">>>({
    name: body.name,
    description: withoutMarker(body.description ?? "") || undefined,
    folderId: body.folderId ?? undefined,
    invitations: invitationsIn(body).map(({ email, name, allowedSignatureTypes, stage }) =>
      trimmed<Every<Pick<Stored<InvitationInput>, ComparedField>>>({
        email: email ?? "",
        name: name || undefined,
        allowedSignatureTypes: allowedSignatureTypes || undefined,
        stage: stage ?? undefined,
      }),
    ),
    base64File: hash === undefined ? undefined : markOf(hash),
  });
  // An import takes whatever the service shows.
  return shown as typeof shown & Checked;
}

// ---- What a create sends ----

/** What the create request says besides the PDF. An input that the declaration gains doesn't compile before it is here. */
export type Fields = Pick<Omit<Required<NewDocument>, "pdf">, Exclude<keyof DocumentInputs, PdfInput | Term>>;

/** A document as the program declares it, every value known. */
export interface DocumentSpec extends Fields {
  /** The same as `invitations`, as they are compared. */
  readonly people: readonly Invitee[];
  readonly content: Content;
  /** The PDF. Throws where its bytes aren't at hand any more. */
  bytes(): Promise<Bytes>;
}

/** What checked inputs come to; undefined while a value isn't known yet. */
export async function specOf(inputs: CheckedInputs, pdfs: PdfSources): Promise<DocumentSpec | undefined> {
  const given = withoutTerms(inputs);
  if (!isKnown(given)) return undefined;
  const pdf = pdfSourceOf(given, pdfs);
  if (!pdf) return undefined;
  const fields: Fields = {
    name: given.name ?? "",
    description: given.description || undefined,
    folderId: given.folderId || undefined,
    invitations: (given.invitations ?? []).map(recipientOf),
    // None are sent where there are none in it.
    extraParameters: Object.keys(given.extraParameters ?? {}).length > 0 ? given.extraParameters : undefined,
  };
  const { name, description, extraParameters } = fields;
  const people = peopleOf(inputs.invitations);
  const sha256 = await pdf.sha256();
  const content = contentOf({ name, description, sha256, people, rest: restOf(fields, people) });
  return {
    ...fields,
    people,
    content: {
      ...content,
      ...(extraParameters && { extra: hexHash(sortedJson(extraParameters)).slice(0, 16) }),
    },
    bytes: () => pdf.open(),
  };
}

/** With the mark at the end of its description that says which resource sent it. */
export const markedFor = (urn: string, { content, ...spec }: DocumentSpec): DocumentSpec => ({
  ...spec,
  content: { ...content, marker: markerOf(urn, content.fingerprint) },
});

/** A person as the request needs one. A field that the declaration gains doesn't compile before the request has it. */
type Recipient = { readonly [Field in keyof Required<InvitationInput>]: NewInvitation[Field] };

/** An empty text isn't sent. */
const recipientOf = (person: Stored<InvitationInput>): Recipient =>
  Object.fromEntries(Object.entries(person).filter(([, value]) => value !== "")) as unknown as Recipient;

/** The create request. A spec of what state has may lack a title or an address; what Check let through has them. */
export async function newDocument(spec: DocumentSpec): Promise<NewDocument> {
  const { content, bytes, people, ...fields } = spec;
  if (fields.name === "" || !isAddressed(people))
    throw new UserError("expected a title, and an address of each person invited, got an empty one. Nothing was sent.");
  const description =
    content.marker === undefined ? fields.description : withMarker(fields.description ?? "", content.marker);
  return { ...fields, description, pdf: await bytes() };
}
