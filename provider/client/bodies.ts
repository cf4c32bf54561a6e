import * as z from "zod";
import { ID } from "./ids.js";
import type {
  CommentBody,
  DatedDocument,
  DocumentBody,
  FileBody,
  FolderBody,
  InvitationBody,
  ListedDocument,
  SignerBody,
  UserBody,
} from "./service.js";

/*
 * What the service says, read tolerantly: unknown fields are left out, unknown values of enums pass, what's missing or
 * of an unexpected kind is null. Only an id that can't be one makes a body unreadable.
 */

export const id = z.union([z.int().positive(), z.string().regex(ID)]).transform(String);
const idOrNull = id.nullish().transform(value => value ?? null);
/** An id nothing is decided by. */
const sideId = idOrNull.catch(null);
const anything = z.unknown().optional();
/** In one step: a list has a million of them. */
const text = anything.transform(textIn);
/** The service writes "" as well as null for what isn't there yet. */
const filled = anything.transform(value => textIn(value) || null);
const flag = anything.transform(value => (typeof value === "boolean" ? value : null));
const whole = z
  .union([
    z.int(),
    z
      .string()
      .regex(/^[0-9]{1,9}$/)
      .transform(Number),
  ])
  .nullish()
  .transform(value => value ?? null)
  .catch(null);
/** The first part that can't be read ends it: the others would only be more of the same. */
const list = <T extends z.ZodType>(item: T) =>
  z
    .array(z.unknown())
    .nullish()
    .transform((items, { issues }): z.output<T>[] => {
      const read: z.output<T>[] = [];
      for (const [index, each] of (items ?? []).entries()) {
        const parsed = item.safeParse(each);
        if (!parsed.success) {
          for (const issue of parsed.error.issues)
            issues.push({ code: "custom", message: issue.message, path: [index, ...issue.path], input: each });
          return z.NEVER;
        }
        read.push(parsed.data);
      }
      return read;
    });
/** A status nobody knows counts as signed for every decision above. */
const status = anything.transform(value => textIn(value) ?? "unknown");
const title = anything.transform(value => textIn(value) ?? "");
const dates = { created_at: text, updated_at: text };

const person = z
  .object({ user_id: sideId, id: sideId, name: text, email: filled })
  .nullish()
  .transform(value => value ?? null)
  .catch(null);

const userOf = (user: z.output<typeof person>): UserBody | null =>
  user && { id: user.user_id ?? user.id, name: user.name, email: user.email };

const organization = z
  .object({ id, name: title })
  .nullish()
  .transform(value => value ?? null)
  .catch(null);

const comment = z.object({ title: text, text, created_at: text, user: person }).transform(
  (body): CommentBody => ({
    title: body.title,
    text: body.text,
    createdAt: body.created_at,
    user: userOf(body.user),
  }),
);

const signer = z
  .object({
    id: sideId,
    file_id: sideId,
    signature_type: text,
    status: text,
    email: filled,
    user: person,
    user_id: sideId,
    hash_to_sign: text,
    ...dates,
  })
  .transform(
    (body): SignerBody => ({
      id: body.id,
      fileId: body.file_id,
      signatureType: body.signature_type,
      status: body.status,
      email: body.email ?? body.user?.email ?? null,
      name: body.user?.name ?? null,
      userId: body.user_id ?? body.user?.user_id ?? body.user?.id ?? null,
      hashToSign: body.hash_to_sign,
      createdAt: body.created_at,
      updatedAt: body.updated_at,
    }),
  );

const file = z
  .object({
    id,
    version: title,
    name: text,
    status: text,
    signed_ended_at: text,
    sha256: filled,
    url: filled,
    signed_file_url: filled,
    evidence_doc_url: filled,
    sha256_signed_file: filled,
    adv_str_constance: filled,
    xml_btc_cert: filled,
    xml_eth_cert: filled,
    blockchain_certs_status: text,
    comments: list(comment),
    signers: list(signer),
    ...dates,
  })
  .transform(
    (body): FileBody => ({
      id: body.id,
      version: body.version,
      name: body.name,
      status: body.status,
      signedEndedAt: body.signed_ended_at,
      sha256: body.sha256?.toLowerCase() ?? null,
      url: body.url,
      signedFileUrl: body.signed_file_url,
      evidenceDocUrl: body.evidence_doc_url,
      sha256SignedFile: body.sha256_signed_file,
      constancia: body.adv_str_constance,
      xmlBtcCert: body.xml_btc_cert,
      xmlEthCert: body.xml_eth_cert,
      blockchainCertsStatus: body.blockchain_certs_status,
      comments: body.comments,
      signers: body.signers,
      createdAt: body.created_at,
      updatedAt: body.updated_at,
    }),
  );

const invitation = z
  .object({
    id,
    invite_name: text,
    invite_email: filled,
    user: person,
    status: text,
    stage: whole,
    allowed_signature_types: text,
    validation_status_3id: text,
    validate_kyc: flag,
    requested_documents_status: text,
    requested_documents_required: flag,
    requested_documents: list(z.unknown()).catch([]),
    ...dates,
  })
  .transform(
    (body): InvitationBody => ({
      id: body.id,
      name: body.invite_name,
      email: body.invite_email ?? body.user?.email ?? null,
      status: body.status,
      stage: body.stage,
      allowedSignatureTypes: body.allowed_signature_types,
      user: userOf(body.user),
      validationStatus3id: body.validation_status_3id,
      validateKyc: body.validate_kyc,
      requestedDocumentsStatus: body.requested_documents_status,
      requestedDocumentsRequired: body.requested_documents_required,
      requestedDocuments: body.requested_documents,
      createdAt: body.created_at,
      updatedAt: body.updated_at,
    }),
  );

const listedFields = z.object({
  id,
  owner_id: idOrNull,
  owner_type: text,
  folder_id: idOrNull,
  name: title,
  description: text,
  last_version: text,
  status,
  organization,
  ...dates,
});

const toListed = (body: z.output<typeof listedFields>): ListedDocument => ({
  id: body.id,
  ownerId: body.owner_id,
  ownerType: body.owner_type,
  folderId: body.folder_id,
  name: body.name,
  description: body.description,
  lastVersion: body.last_version,
  status: body.status,
  organization: body.organization,
  createdAt: body.created_at,
  updatedAt: body.updated_at,
});

export const listedDocument = listedFields.transform(toListed);

export const wholeDocument = listedFields
  .extend({
    files: list(file),
    invitations: list(invitation),
    with_nom151: flag,
    creator_id: sideId,
    blockchain_certs_enabled: flag,
    validate_signers_3id: flag,
    signing_stage: whole,
    active: flag,
    advanced_signature_version: text,
    autograph_signature_version: text,
  })
  .transform(
    (body): DocumentBody => ({
      ...toListed(body),
      files: body.files,
      invitations: body.invitations,
      withNom151: body.with_nom151,
      creatorId: body.creator_id,
      blockchainCertsEnabled: body.blockchain_certs_enabled,
      validateSigners3id: body.validate_signers_3id,
      signingStage: body.signing_stage,
      active: body.active,
      advancedSignatureVersion: body.advanced_signature_version,
      autographSignatureVersion: body.autograph_signature_version,
    }),
  );

export const datedDocument = z
  .object({
    id,
    name: title,
    description: text,
    created_at: text,
    status,
    unsigned_last_version_url: filled,
    signed_last_version_url: filled,
    last_version_signed_ended_at: text,
    organization_id: sideId,
    organization_name: text,
    created_by_id: sideId,
    created_by_name: text,
    created_by_email: text,
  })
  .transform(
    (body): DatedDocument => ({
      id: body.id,
      name: body.name,
      description: body.description,
      createdAt: body.created_at,
      status: body.status,
      unsignedLastVersionUrl: body.unsigned_last_version_url,
      signedLastVersionUrl: body.signed_last_version_url,
      lastVersionSignedEndedAt: body.last_version_signed_ended_at,
      organizationId: body.organization_id,
      organizationName: body.organization_name,
      createdById: body.created_by_id,
      createdByName: body.created_by_name,
      createdByEmail: body.created_by_email,
    }),
  );

export const folder = z
  .object({ id, name: text, owner_id: sideId, owner_type: text, creator_id: sideId, ...dates })
  .transform((body): Omit<FolderBody, "name"> & { name: string | null } => ({
    id: body.id,
    name: body.name,
    ownerId: body.owner_id,
    ownerType: body.owner_type,
    creatorId: body.creator_id,
    createdAt: body.created_at,
    updatedAt: body.updated_at,
  }));

function textIn(value: unknown): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" && Number.isFinite(value) ? String(value) : null;
}
