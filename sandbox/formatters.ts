import { calendarDay, timestamp } from "./clock.js";
import type { SandboxContext } from "./context.js";
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

type Body = Record<string, unknown>;

function moment({ settings }: SandboxContext, time: number): string {
  if (settings.timestamps === "z") return new Date(time).toISOString();
  const text = timestamp(time, settings.utcOffsetMinutes);
  return settings.timestamps === "no-milliseconds" ? text.replace(/\.\d{3}/, "") : text;
}
const momentOrNull = (context: SandboxContext, time: number | null) => (time === null ? null : moment(context, time));

const lifetime = (context: SandboxContext, record: { createdAt: number; updatedAt: number }) => ({
  created_at: moment(context, record.createdAt),
  updated_at: moment(context, record.updatedAt),
});

export const createdOn = (context: SandboxContext, document: DocumentRecord) =>
  calendarDay(document.createdAt, context.settings.utcOffsetMinutes);

const filesOrigin = ({ origin, settings }: SandboxContext) => (settings.downloads === "elsewhere" ? ELSEWHERE : origin);
const originalUrl = (context: SandboxContext, file: FileRecord) =>
  `${filesOrigin(context)}/storage/${file.token}/original.pdf`;
const signedUrl = (context: SandboxContext, file: FileRecord) =>
  `${filesOrigin(context)}/storage/${file.token}/signed.pdf`;

export function listItemBody(context: SandboxContext, document: DocumentRecord): Body {
  const organization = context.store.organization(document.organizationId);
  return {
    id: document.id,
    owner_id: document.ownerId,
    owner_type: context.settings.words === "unknown" ? "Team" : "User",
    folder_id: document.folderId,
    name: document.name,
    description: document.description,
    last_version: context.settings.lastVersion === "none" ? "99" : String(latestFile(document).version),
    ...lifetime(context, document),
    status: documentStatus(document, context.settings),
    organization: organization ? { id: organization.id, name: organization.name } : null,
  };
}

/** A row of GET /v1/documents. */
export function rowBody(context: SandboxContext, document: DocumentRecord): Body {
  const item = listItemBody(context, document);
  if (context.settings.listForm === "full") return item;
  const { id, folder_id, name, last_version, created_at, status } = item;
  return { id, folder_id, name, last_version, created_at, status };
}

export const fileBodyOf = (context: SandboxContext, document: DocumentRecord): Body =>
  fileBody(context, latestFile(document), isExtended(document, context.settings));

export function invitationBodyOf(context: SandboxContext, document: DocumentRecord): Body {
  const [first] = document.invitations;
  return first ? invitationBody(context, first, isExtended(document, context.settings)) : {};
}

export function documentBody(
  context: SandboxContext,
  document: DocumentRecord,
  extended = isExtended(document, context.settings),
): Body {
  const body = {
    ...listItemBody(context, document),
    files: document.files.map(file => fileBody(context, file, extended)),
    invitations: document.invitations.map(one => invitationBody(context, one, extended)),
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

function fileBody(context: SandboxContext, file: FileRecord, extended: boolean): Body {
  return {
    id: file.id,
    document_id: file.documentId,
    name: file.name,
    signed_ended_at: momentOrNull(context, file.signedEndedAt),
    status: context.settings.words === "unknown" && file.signedEndedAt === null ? "awaiting" : fileStatus(file),
    sha256: context.settings.nullSha256 ? null : file.sha256,
    version: String(file.version),
    ...lifetime(context, file),
    url: originalUrl(context, file),
    signed_file_url: signedUrl(context, file),
    comments: file.comments.map(comment => commentBody(context, comment)),
    signers: listedSigners(file, context.settings.signersListed).map(signer => signerBody(context, signer, extended)),
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

/** People without an account have ids as well where signers are known by them. */
const unregisteredId = ({ invitationId }: Pick<SignerRecord, "invitationId">): number => 700_000 + invitationId;

function commentBody(context: SandboxContext, comment: CommentRecord): Body {
  const { name, email, id } = comment.user;
  return {
    title: comment.title,
    text: comment.text,
    created_at: moment(context, comment.createdAt),
    user: { name, email, id },
  };
}

function signerBody(context: SandboxContext, signer: SignerRecord, extended: boolean): Body {
  const user = context.store.registered(signer.email);
  const { signerEmail, signerUser } = context.settings;
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
    ...lifetime(context, signer),
    ...(extended && { hash_to_sign: signer.hashToSign, user_id: userId }),
  };
}

function invitationBody(context: SandboxContext, invitation: InvitationRecord, extended: boolean): Body {
  const user = context.store.registered(invitation.email);
  const hasOwnId = context.settings.signerUser === "id";
  const userId = user?.id ?? (hasOwnId ? unregisteredId({ invitationId: invitation.id }) : null);
  return {
    id: invitation.id,
    invite_name: invitation.name,
    invite_email: invitation.email,
    document_id: invitation.documentId,
    status: context.settings.words === "unknown" ? "forwarded" : invitation.status,
    ...lifetime(context, invitation),
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

export function dateRangeItemBody(context: SandboxContext, document: DocumentRecord): Body {
  const file = latestFile(document);
  const organization = context.store.organization(document.organizationId);
  const owner = context.store.account(document.ownerId);
  return {
    id: document.id,
    name: document.name,
    description: document.description,
    created_at: moment(context, document.createdAt),
    status: documentStatus(document, context.settings),
    unsigned_last_version_url: originalUrl(context, file),
    signed_last_version_url: signedUrl(context, file),
    last_version_signed_ended_at: momentOrNull(context, file.signedEndedAt),
    organization_id: organization?.id ?? null,
    organization_name: organization?.name ?? null,
    created_by_id: document.ownerId,
    created_by_name: owner?.name ?? "",
    created_by_email: owner?.email ?? "",
  };
}

export function folderBody(context: SandboxContext, folder: FolderRecord): Body {
  return {
    name: folder.name,
    id: folder.id,
    owner_type: "User",
    owner_id: folder.ownerId,
    creator_id: folder.ownerId,
    ...lifetime(context, folder),
  };
}
