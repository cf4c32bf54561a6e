import { timestamp } from "./clock.js";
import type { Dialect } from "./dialect.js";
import type { Json } from "./json.js";
import {
  type Account,
  type DocumentRecord,
  type FolderRecord,
  type InvitationRecord,
  latestVersion,
  type SignerRecord,
  statusOf,
  type VersionRecord,
} from "./records.js";

type Fields = Record<string, Json>;

/** Records as JSON: section 2 of the interface, field by field, in the service's dialect. */
export class Looks {
  readonly #dialect: Dialect;
  readonly #origin: () => string;

  constructor(dialect: Dialect, origin: () => string) {
    this.#dialect = dialect;
    this.#origin = origin;
  }

  document(document: DocumentRecord): Fields {
    const extended = this.#isExtended(document);
    const files = document.versions.map(version => this.#file(document, version, extended));
    return {
      ...this.listItem(document),
      files: this.#dialect.files === "descending" ? files.reverse() : files,
      invitations: document.invitations.map(invitation => this.#invitation(document, invitation, extended)),
      ...(extended && {
        with_nom151: latestVersion(document).nom151 !== null,
        creator_id: BigInt(document.ownerId),
        advanced_signature_version: "himal_v1",
        autograph_signature_version: "himal_v1",
        active: true,
        validate_signers_3id: false,
        blockchain_certs_enabled: latestVersion(document).chain !== "not_requested",
        signing_stage: stageOf(document),
      }),
    };
  }

  listItem(document: DocumentRecord): Fields {
    const at = (time: number): string => this.#at(time, document.offset);
    const { organization } = document;
    return {
      id: BigInt(document.id),
      owner_id: BigInt(document.ownerId),
      owner_type: this.#dialect.unknownEnums ? "Guild" : "User",
      folder_id: document.folderId === null ? null : BigInt(document.folderId),
      name: document.name,
      description: this.#description(document),
      last_version: this.#dialect.lastVersion === "no-file" ? "99" : String(latestVersion(document).version),
      created_at: at(document.createdAt),
      updated_at: at(document.updatedAt),
      status: statusOf(document),
      organization: organization && { id: BigInt(organization.id), name: organization.name },
    };
  }

  /** A row of GET /v1/documents. */
  row(document: DocumentRecord): Fields {
    const item = this.listItem(document);
    if (this.#dialect.rows === "full") return item;
    const { description, owner_id, owner_type, organization, updated_at, ...basic } = item;
    return basic;
  }

  dateRangeItem(document: DocumentRecord, owner: Account): Fields {
    const version = latestVersion(document);
    return {
      id: BigInt(document.id),
      name: document.name,
      description: this.#description(document),
      created_at: this.#at(document.createdAt, document.offset),
      status: statusOf(document),
      unsigned_last_version_url: this.#url("original", version, version.pdf.sha256),
      signed_last_version_url: this.#onceSigned(version, sha => this.#url("signed", version, sha)),
      last_version_signed_ended_at: this.#signedEnd(document, version),
      organization_id: document.organization && BigInt(document.organization.id),
      organization_name: document.organization?.name ?? null,
      created_by_id: BigInt(owner.userId),
      created_by_name: owner.name,
      created_by_email: owner.email,
    };
  }

  folder(folder: FolderRecord, owner: Account): Fields {
    const createdAt = this.#at(folder.createdAt, folder.offset);
    return {
      name: folder.name,
      id: BigInt(folder.id),
      owner_type: this.#dialect.unknownEnums ? "Guild" : "User",
      owner_id: BigInt(owner.userId),
      creator_id: BigInt(owner.userId),
      created_at: createdAt,
      updated_at: createdAt,
    };
  }

  #at(time: number, offset: number): string {
    const { timestamps } = this.#dialect;
    if (timestamps === "z") return new Date(time).toISOString();
    const text = timestamp(time, offset);
    return timestamps === "no-milliseconds" ? text.replace(/\.\d{3}/, "") : text;
  }

  file(document: DocumentRecord): Fields {
    return this.#file(document, latestVersion(document), this.#isExtended(document));
  }

  invitation(document: DocumentRecord): Fields {
    const [first] = document.invitations;
    return first ? this.#invitation(document, first, this.#isExtended(document)) : {};
  }

  #file(document: DocumentRecord, version: VersionRecord, extended: boolean): Fields {
    const at = (time: number): string => this.#at(time, document.offset);
    const ready = version.chain === "sended";
    const ended = version.signedEndedAt !== null;
    return {
      id: BigInt(version.id),
      document_id: BigInt(document.id),
      name: version.version % 2 === 0 ? null : `${document.name}.pdf`,
      signed_ended_at: this.#signedEnd(document, version),
      status: ended ? "signed" : this.#dialect.unknownEnums ? "awaiting_ink" : "unsigned",
      sha256: this.#sha256(version),
      version: String(version.version),
      created_at: at(version.createdAt),
      updated_at: at(document.updatedAt),
      url: this.#url("original", version, version.pdf.sha256),
      signed_file_url: this.#onceSigned(version, sha => this.#url("signed", version, sha)),
      comments: version.comments.map(({ title, text, createdAt, user }) => ({
        ...{ title, text, created_at: at(createdAt) },
        user: { name: user.name, email: user.email, id: user.id === null ? null : BigInt(user.id) },
      })),
      signers: this.#listed(version).map(signer => this.#signer(document, version, signer, extended)),
      ...(extended && {
        evidence_doc_url: null,
        ...{ adv_id: null, adv_moment: null, adv_str_end: null, adv_str_now: null },
        adv_str_constance: version.nom151 ?? (this.#dialect.unsignedBlanks === "empty" ? "" : null),
        xml_btc_cert: ready ? `<btc sha="${version.sha256Signed}"/>` : null,
        xml_eth_cert: ready ? `<eth sha="${version.sha256Signed}"/>` : null,
        blockchain_certs_status: this.#dialect.unknownEnums && !ready ? "queued" : version.chain,
        sha256_signed_file: version.sha256Signed,
      }),
    };
  }

  #signer(document: DocumentRecord, version: VersionRecord, signer: SignerRecord, extended: boolean): Fields {
    const { emailOn } = this.#dialect;
    const email = inCase(signer.email, this.#dialect.emailCase);
    const showsUser = emailOn === "both" || emailOn === "user";
    const showsId = showsUser || emailOn === "user-id-only";
    const user = showsUser
      ? { email, name: signer.name, user_id: BigInt(signer.userId) }
      : { user_id: showsId ? BigInt(signer.userId) : null };
    return {
      id: BigInt(signer.id),
      file_id: BigInt(version.id),
      signature_type: signer.signatureType,
      status: signer.status,
      email: ["both", "signer", "no-user"].includes(emailOn) ? email : undefined,
      ...(emailOn !== "no-user" && { user }),
      created_at: this.#at(signer.createdAt, document.offset),
      updated_at: this.#at(signer.signedAt ?? signer.openedAt ?? signer.createdAt, document.offset),
      ...(extended && { hash_to_sign: null, user_id: showsId ? BigInt(signer.userId) : null }),
    };
  }

  #invitation(document: DocumentRecord, invitation: InvitationRecord, extended: boolean): Fields {
    const { emailOn, unknownEnums } = this.#dialect;
    const known = emailOn === "both" || emailOn === "user" || emailOn === "user-id-only";
    const email = inCase(invitation.email, this.#dialect.inviteeCase);
    const signer = latestVersion(document).signers.find(one => one.invitationId === invitation.id);
    return {
      id: BigInt(invitation.id),
      invite_name: invitation.name,
      invite_email: email,
      document_id: BigInt(document.id),
      status: unknownEnums ? "whispered" : "accepted",
      created_at: this.#at(document.createdAt, document.offset),
      updated_at: this.#at(document.updatedAt, document.offset),
      user:
        known && signer
          ? { user_id: BigInt(signer.userId), name: invitation.name, email }
          : { user_id: null, name: null, email: null },
      ...(extended && {
        stage: invitation.stage,
        customer_id_3id: null,
        validation_status_3id: unknownEnums ? "skipped" : "pending",
        allowed_signature_types: invitation.allowedSignatureTypes,
        requested_documents_status: unknownEnums ? "skipped" : "pending",
        requested_documents_required: false,
        validate_kyc: false,
        requested_documents: [],
      }),
    };
  }

  #isExtended(document: DocumentRecord): boolean {
    if (this.#dialect.form !== "as-documented") return this.#dialect.form === "extended";
    const version = latestVersion(document);
    return version.nom151 !== null || version.chain !== "not_requested" || statusOf(document) === "partially_signed";
  }

  #listed({ signers }: VersionRecord): SignerRecord[] {
    switch (this.#dialect.signers) {
      case "when-opened":
        return signers.filter(signer => signer.openedAt !== null);
      case "when-signed":
        return signers.filter(signer => signer.signedAt !== null);
      case "fewer":
        return signers.slice(0, -1);
      case "more":
        return [...signers, ...signers.slice(0, 1).map(observer)];
      default:
        return signers;
    }
  }

  #description({ description }: DocumentRecord): Json {
    if (this.#dialect.description === "absent") return undefined;
    return this.#dialect.description === "null" ? null : description;
  }

  #sha256({ pdf }: VersionRecord): string | null {
    if (this.#dialect.sha256 === "null") return null;
    return this.#dialect.sha256 === "HEX" ? pdf.sha256.toUpperCase() : pdf.sha256;
  }

  #signedEnd(document: DocumentRecord, version: VersionRecord): Json {
    return this.#onceSigned(version, () => this.#at(version.signedEndedAt ?? 0, document.offset));
  }

  #onceSigned(version: VersionRecord, say: (signedSha256: string) => string): Json {
    if (version.signedEndedAt !== null && version.sha256Signed !== null) return say(version.sha256Signed);
    const blanks = { null: null, absent: undefined, empty: "" };
    return blanks[this.#dialect.unsignedBlanks];
  }

  #url(kind: "original" | "signed", version: VersionRecord, sha256: string): string {
    return `${this.#dialect.fileOrigin ?? this.#origin()}/blob/${kind}/${version.id}/${sha256}.pdf`;
  }
}

function inCase(email: string, wanted: Dialect["emailCase"] | Dialect["inviteeCase"]): string {
  if (wanted === "upper") return email.toUpperCase();
  if (wanted === "lower") return email.toLowerCase();
  if (wanted === "as-given") return email;
  return [...email].map((char, at) => (at % 2 === 0 ? char.toUpperCase() : char.toLowerCase())).join("");
}

/** Somebody of the platform who looks on and never signs. */
function observer(beside: SignerRecord): SignerRecord {
  const id = String(BigInt(beside.id) + 500_000n);
  return { ...beside, id, userId: id, email: "notary@elsewhere.test", name: "Notary", status: "unsigned" };
}

/** The stage whose turn it is: the lowest with someone who has not signed, or the last. */
function stageOf(document: DocumentRecord): number {
  const { signers } = latestVersion(document);
  const waiting = document.invitations.filter(
    invitation => signers.find(signer => signer.invitationId === invitation.id)?.status !== "signed",
  );
  const stages = (waiting.length > 0 ? waiting : document.invitations).map(invitation => invitation.stage);
  return waiting.length > 0 ? Math.min(...stages) : Math.max(...stages);
}
