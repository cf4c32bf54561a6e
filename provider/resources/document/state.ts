import type { Checked, Stored } from "../../../kit/check.js";
import { type Preview, unknownOutputs } from "../../../kit/define.js";
import { type Every, trimmed } from "../../../kit/records.js";
import { known } from "../../../kit/values.js";
import { unreadDocument } from "../../client/bodies.js";
import { allSigned, certificatesOf, hashOfFile, latestFile, nom151Of, signedFileUrlOf } from "../../client/files.js";
import type { DocumentBody, Service } from "../../client/service.js";
import type { Contents, ResourceInState } from "../journal/deployment-log.js";
import { markOf } from "../pdf/asset-source.js";
import { type ComparedField, emailsOf, type InvitationInput } from "../people.js";
import { invitationsIn, pendingIn, signerRows, UNKNOWN_STATUS } from "../signers.js";
import { givenTerms, termsIn, withoutTerms } from "../terms.js";
import { contentHash, withoutMarker } from "./content.js";
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
 * What state has of a document: `outputsOf` makes outputs of the document that the service shows, `importedInputs` inputs.
 */

// ---- Outputs ----

/** What state alone knows of a document, beside what the program says. */
export interface StateOnly {
  readonly supersedes: readonly string[];
  readonly supersededContents?: Contents | undefined;
  readonly sentPdfHash?: string | undefined;
  readonly imported: boolean;
}

const UNTOLD: StateOnly = { supersedes: [], imported: false };
export const IMPORTED: StateOnly = { ...UNTOLD, imported: true };

/**
 * The service's document as state keeps it: compact, because state is written again at every step of a deployment.
 * `inputs`: what the program says, where it manages the document.
 */
export function outputsOf(
  body: DocumentBody,
  service: Pick<Service, "origin" | "baseUrl">,
  stateOnly: StateOnly = UNTOLD,
  inputs?: CheckedInputs,
): DocumentOutputs {
  const signers = signerRows(body);
  const pendingSigners = pendingIn(signers);
  const latest = latestFile(body);
  const { effectiveFrom, expiresAt, renewBefore } = termsIn(inputs ?? {});
  const outputs = trimmed<Every<DocumentOutputs>>({
    documentId: body.id,
    ...shownIn(body),
    status: body.status,
    allSigned: allSigned(body),
    signers,
    pendingSigners,
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
    effectiveFrom,
    expiresAt,
    renewBefore,
    supersedes: [...stateOnly.supersedes],
    supersededContents: stateOnly.supersededContents,
    sentPdfHash: stateOnly.sentPdfHash,
    drift: [],
    imported: stateOnly.imported,
    service: service.origin,
  });
  return inputs && !body.isUnread ? { ...outputs, drift: driftOf(inputs, outputs) } : outputs;
}

const shownIn = ({ name, description, folderId }: DocumentBody): Every<Pick<DocumentOutputs, ShownInput>> => ({
  name,
  description: withoutMarker(description ?? "") || undefined,
  folderId: folderId ?? undefined,
});

const UNSAID: Preview<DocumentState> = withoutTerms(unknownOutputs(documentOutputs));

/** What a preview of a create knows besides what the program says. */
export type PreviewedOutputs = Pick<Preview<DocumentState>, "service" | "imported">;

/** Outputs of a document that a preview would create: what the program says; what only the service knows is unknown. */
export function previewOutputs(inputs: CheckedInputs, besides: PreviewedOutputs): Preview<DocumentState> {
  const { name, description, folderId } = inputs;
  const said: Every<Pick<Preview<DocumentState>, ShownInput>> = { name, description, folderId };
  return trimmed<Preview<DocumentState>>({ ...UNSAID, ...givenTerms(inputs), ...said, ...besides });
}

/** Outputs of a document that is known by its id, and can't be read. */
export function bareOutputs(id: string, inputs: CheckedInputs, stateOnly: StateOnly, origin: string): DocumentOutputs {
  const description = known(inputs.description) || null;
  const body = unreadDocument({
    id,
    name: known(inputs.name) ?? "",
    description,
    status: UNKNOWN_STATUS,
    createdAt: null,
  });
  const pendingSigners = emailsOf(inputs.invitations).map(email => email ?? "");
  return { ...outputsOf(body, { origin, baseUrl: "" }, stateOnly, inputs), pendingSigners };
}

/** False of outputs that came with an import file (`pulumi import --file`) or were edited: they prove nothing. */
export const isWrittenByProvider = (id: string, { documentId, service = "" }: DocumentState): boolean =>
  documentId === id && service !== "";

/** What state alone knows of a document. What the provider didn't write counts as imported. */
export function stateOnlyOf(id: string, outputs: DocumentState): StateOnly {
  if (!isWrittenByProvider(id, outputs)) return IMPORTED;
  const { supersedes = [], supersededContents, sentPdfHash, imported } = outputs;
  return { supersedes, supersededContents, sentPdfHash, imported: imported === true };
}

/** Hashes of what a document in state and its predecessors were made of, by their ids; none that the provider didn't write. */
export function contentsOf(id: string, hashes: InputHashes, outputs: DocumentState): Contents {
  if (!isWrittenByProvider(id, outputs)) return {};
  const { supersededContents = {}, sentPdfHash } = outputs;
  const own = contentHash(hashes, sentPdfHash);
  return own === undefined ? supersededContents : { ...supersededContents, [id]: own };
}

/** What state will say of documents that another one replaces, by what the engine has shown of them. */
export function supersededOf(
  shown: readonly Pick<ResourceInState, "contents">[],
  supersedes: readonly string[],
): Pick<StateOnly, "supersedes" | "supersededContents"> {
  const all = shown.flatMap(each => Object.entries(each.contents ?? {}));
  const contents = all.filter(([id]) => supersedes.includes(id));
  return { supersedes, ...(contents.length > 0 && { supersededContents: Object.fromEntries(contents) }) };
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
    ...shownIn(body),
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
