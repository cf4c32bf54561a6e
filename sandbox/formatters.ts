import { calendarDay, timestamp } from "./clock.js";
import type {
  CommentRecord,
  DocumentRecord,
  FileRecord,
  FolderRecord,
  InvitationRecord,
  SignerRecord,
} from "./entities.js";
import { ELSEWHERE } from "./routes/route.js";
import { documentStatus, fileStatus, isExtended, latestFile, signingStage } from "./rules.js";
import type { Settings } from "./settings.js";
import type { World } from "./world.js";

type Body = Record<string, unknown>;

function moment({ settings }: World, time: number): string {
  if (settings.timestamps === "z") return new Date(time).toISOString();
  const text = timestamp(time, settings.utcOffsetMinutes);
  return settings.timestamps === "no-milliseconds" ? text.replace(/\.\d{3}/, "") : text;
}
const momentOrNull = (world: World, time: number | null) => (time === null ? null : moment(world, time));

const lifetime = (world: World, record: { createdAt: number; updatedAt: number }) => ({
  created_at: moment(world, record.createdAt),
  updated_at: moment(world, record.updatedAt),
});

export const createdOn = (world: World, document: DocumentRecord) =>
  calendarDay(document.createdAt, world.settings.utcOffsetMinutes);

const filesOrigin = ({ origin, settings }: World) => (settings.downloads === "elsewhere" ? ELSEWHERE : origin);
const originalUrl = (world: World, file: FileRecord) => `${filesOrigin(world)}/storage/${file.token}/original.pdf`;
const signedUrl = (world: World, file: FileRecord) => `${filesOrigin(world)}/storage/${file.token}/signed.pdf`;

export function listItemBody(world: World, document: DocumentRecord): Body {
  const organization = world.store.organization(document.organizationId);
  return {
    id: document.id,
    owner_id: document.ownerId,
    owner_type: world.settings.words === "unknown" ? "Team" : "User",
    folder_id: document.folderId,
    name: document.name,
    description: document.description,
    last_version: world.settings.lastVersion === "none" ? "99" : String(latestFile(document).version),
    ...lifetime(world, document),
    status: documentStatus(document, world.settings),
    organization: organization ? { id: organization.id, name: organization.name } : null,
  };
}

/** A row of GET /v1/documents. */
export function rowBody(world: World, document: DocumentRecord): Body {
  const item = listItemBody(world, document);
  if (world.settings.listForm === "full") return item;
  const { id, folder_id, name, last_version, created_at, status } = item;
  return { id, folder_id, name, last_version, created_at, status };
}

export const fileBodyOf = (world: World, document: DocumentRecord): Body =>
  fileBody(world, latestFile(document), isExtended(document, world.settings));

export function invitationBodyOf(world: World, document: DocumentRecord): Body {
  const [first] = document.invitations;
  return first ? invitationBody(world, first, isExtended(document, world.settings)) : {};
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
  return {
    id: file.id,
    document_id: file.documentId,
    name: file.name,
    signed_ended_at: momentOrNull(world, file.signedEndedAt),
    status: world.settings.words === "unknown" && file.signedEndedAt === null ? "awaiting" : fileStatus(file),
    sha256: world.settings.nullSha256 ? null : file.sha256,
    version: String(file.version),
    ...lifetime(world, file),
    url: originalUrl(world, file),
    signed_file_url: signedUrl(world, file),
    comments: file.comments.map(comment => commentBody(world, comment)),
    signers: listedSigners(file, world.settings.signersListed).map(signer => signerBody(world, signer, extended)),
    adv_str_constance: file.constancia,
    xml_btc_cert: file.xmlBtcCert,
    xml_eth_cert: file.xmlEthCert,
    blockchain_certs_status: file.certsStatus,
    sha256_signed_file: file.signedSha256,
    ...(extended && { evidence_doc_url: null, adv_id: null, adv_moment: null, adv_str_end: null, adv_str_now: null }),
  };
}

function listedSigners({ signers }: FileRecord, listed: Settings["signersListed"]): SignerRecord[] {
  if (listed === "when-signed") return signers.filter(signer => signer.signedAt !== null);
  if (listed === "fewer") return signers.slice(0, -1);
  const [first] = signers;
  if (listed !== "more" || !first) return signers;
  return [...signers, { ...first, id: first.id + 900_000, email: "notary@elsewhere.example", signedAt: null }];
}

/** People without an account have ids as well where signers are told by them. */
const unregisteredId = ({ invitationId }: Pick<SignerRecord, "invitationId">): number => 700_000 + invitationId;

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
  const { signerEmail, signerUser } = world.settings;
  const userId = signerUser === "nobody" ? null : (user?.id ?? (signerUser === "id" ? unregisteredId(signer) : null));
  const showsEmail = signerEmail === "always" || (signerEmail === "unregistered" && !user);
  return {
    id: signer.id,
    file_id: signer.fileId,
    signature_type: signer.signatureType,
    status: signer.signedAt === null ? "unsigned" : "signed",
    ...(showsEmail && { email: signer.email }),
    ...(signerUser !== "absent" && {
      user:
        user && signerUser === "shown" ? { email: user.email, name: user.name, user_id: user.id } : { user_id: userId },
    }),
    ...lifetime(world, signer),
    ...(extended && { hash_to_sign: signer.hashToSign, user_id: userId }),
  };
}

function invitationBody(world: World, invitation: InvitationRecord, extended: boolean): Body {
  const user = world.store.registered(invitation.email);
  const hasOwnId = world.settings.signerUser === "id";
  const userId = user?.id ?? (hasOwnId ? unregisteredId({ invitationId: invitation.id }) : null);
  return {
    id: invitation.id,
    invite_name: invitation.name,
    invite_email: invitation.email,
    document_id: invitation.documentId,
    status: world.settings.words === "unknown" ? "forwarded" : invitation.status,
    ...lifetime(world, invitation),
    user: { user_id: userId, name: user?.name ?? null, email: user?.email ?? null },
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
    status: documentStatus(document, world.settings),
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
