import { calendarDay, timestamp } from "./clock.js";
import type {
  CommentRecord,
  DocumentRecord,
  FileRecord,
  FolderRecord,
  InvitationRecord,
  SignerRecord,
} from "./entities.js";
import { documentStatus, fileStatus, isExtended, latestFile, signingStage } from "./rules.js";
import type { World } from "./world.js";

type Body = Record<string, unknown>;

const moment = (world: World, time: number) => timestamp(time, world.settings.utcOffsetMinutes);
const momentOrNull = (world: World, time: number | null) => (time === null ? null : moment(world, time));

const lifetime = (world: World, record: { createdAt: number; updatedAt: number }) => ({
  created_at: moment(world, record.createdAt),
  updated_at: moment(world, record.updatedAt),
});

export const createdOn = (world: World, document: DocumentRecord) =>
  calendarDay(document.createdAt, world.settings.utcOffsetMinutes);

const originalUrl = (world: World, file: FileRecord) => `${world.origin}/storage/${file.token}/original.pdf`;
const signedUrl = (world: World, file: FileRecord) => `${world.origin}/storage/${file.token}/signed.pdf`;

export function listItemBody(world: World, document: DocumentRecord): Body {
  const organization = world.store.organization(document.organizationId);
  return {
    id: document.id,
    owner_id: document.ownerId,
    owner_type: "User",
    folder_id: document.folderId,
    name: document.name,
    description: document.description,
    last_version: String(latestFile(document).version),
    ...lifetime(world, document),
    status: documentStatus(document),
    organization: organization ? { id: organization.id, name: organization.name } : null,
  };
}

export function documentBody(
  world: World,
  document: DocumentRecord,
  extended = isExtended(document, world.settings),
): Body {
  const body = {
    ...listItemBody(world, document),
    files: document.files.map(file => fileBody(world, file, extended)),
    invitations: document.invitations.map(one => invitationBody(world, one, extended)),
  };
  if (!extended) return body;
  return {
    ...body,
    with_nom151: document.withNom151,
    creator_id: document.ownerId,
    advanced_signature_version: "sandbox_v1",
    autograph_signature_version: "sandbox_v1",
    active: document.active,
    validate_signers_3id: false,
    blockchain_certs_enabled: document.files.some(file => file.certsStatus !== "not_requested"),
    signing_stage: signingStage(document),
  };
}

function fileBody(world: World, file: FileRecord, extended: boolean): Body {
  const listed = file.signers.filter(
    signer => world.settings.signersListed === "from-the-start" || signer.signedAt !== null,
  );
  return {
    id: file.id,
    document_id: file.documentId,
    name: file.name,
    signed_ended_at: momentOrNull(world, file.signedEndedAt),
    status: fileStatus(file),
    sha256: world.settings.nullSha256 ? null : file.sha256,
    version: String(file.version),
    ...lifetime(world, file),
    url: originalUrl(world, file),
    signed_file_url: signedUrl(world, file),
    comments: file.comments.map(comment => commentBody(world, comment)),
    signers: listed.map(signer => signerBody(world, signer, extended)),
    adv_str_constance: file.constancia,
    xml_btc_cert: file.xmlBtcCert,
    xml_eth_cert: file.xmlEthCert,
    blockchain_certs_status: file.certsStatus,
    sha256_signed_file: file.signedSha256,
    ...(extended && { evidence_doc_url: null, adv_id: null, adv_moment: null, adv_str_end: null, adv_str_now: null }),
  };
}

function commentBody(world: World, comment: CommentRecord): Body {
  const { name, email, id } = comment.user;
  return {
    title: comment.title,
    text: comment.text,
    created_at: moment(world, comment.createdAt),
    user: { name, email, id },
  };
}

function signerBody(world: World, signer: SignerRecord, extended: boolean): Body {
  const user = world.store.registered(signer.email);
  const { signerEmail } = world.settings;
  const showsEmail = signerEmail === "always" || (signerEmail === "unregistered" && !user);
  return {
    id: signer.id,
    file_id: signer.fileId,
    signature_type: signer.signatureType,
    status: signer.signedAt === null ? "unsigned" : "signed",
    ...(showsEmail && { email: signer.email }),
    user: user ? { email: user.email, name: user.name, user_id: user.id } : { user_id: null },
    ...lifetime(world, signer),
    ...(extended && { hash_to_sign: signer.hashToSign, user_id: user?.id ?? null }),
  };
}

function invitationBody(world: World, invitation: InvitationRecord, extended: boolean): Body {
  const user = world.store.registered(invitation.email);
  return {
    id: invitation.id,
    invite_name: invitation.name,
    invite_email: invitation.email,
    document_id: invitation.documentId,
    status: invitation.status,
    ...lifetime(world, invitation),
    user: { user_id: user?.id ?? null, name: user?.name ?? null, email: user?.email ?? null },
    validation_status_3id: "pending",
    allowed_signature_types: invitation.allowedSignatureTypes,
    requested_documents_status: "pending",
    requested_documents_required: false,
    validate_kyc: false,
    requested_documents: [],
    ...(extended && { stage: invitation.stage, customer_id_3id: null }),
  };
}

export function dateRangeItemBody(world: World, document: DocumentRecord): Body {
  const file = latestFile(document);
  const organization = world.store.organization(document.organizationId);
  const owner = world.store.account(document.ownerId);
  return {
    id: document.id,
    name: document.name,
    description: document.description,
    created_at: moment(world, document.createdAt),
    status: documentStatus(document),
    unsigned_last_version_url: originalUrl(world, file),
    signed_last_version_url: signedUrl(world, file),
    last_version_signed_ended_at: momentOrNull(world, file.signedEndedAt),
    organization_id: organization?.id ?? null,
    organization_name: organization?.name ?? null,
    created_by_id: document.ownerId,
    created_by_name: owner?.name ?? "",
    created_by_email: owner?.email ?? "",
  };
}

export function folderBody(world: World, folder: FolderRecord): Body {
  return {
    name: folder.name,
    id: folder.id,
    owner_type: "User",
    owner_id: folder.ownerId,
    creator_id: folder.ownerId,
    ...lifetime(world, folder),
  };
}
