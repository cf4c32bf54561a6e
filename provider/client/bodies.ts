import * as z from "zod";
import { isRecord } from "../../kit/records.js";
import { quote } from "../core/text.js";
import {
  type HttpResponse,
  InvalidArgumentError,
  RefusedError,
  type RequestInfo,
  readJson,
  UnreadableAnswerError,
} from "./errors.js";

// ---- Ids ----

/** `new URL("/v1/documents/" + id)` walks `../`: nothing else may meet an address. */
export const ID = /^[1-9][0-9]{0,19}$/;

/** Ids in ascending order: digits compared as numbers, of any length. */
export const byId = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);

/** An id as a string of digits, or an error that says what was given. */
export function parseId(value: unknown, what = "id"): string {
  if (typeof value === "number" && Number.isSafeInteger(value) && value > 0) return String(value);
  if (typeof value === "string" && ID.test(value)) return value;
  if (typeof value === "number") {
    throw new InvalidArgumentError(
      `${what} must be a positive whole number, got ${value}; write numbers above ${Number.MAX_SAFE_INTEGER} as a string`,
    );
  }
  throw new InvalidArgumentError(
    typeof value === "string"
      ? `${what} must be 1 to 20 digits not starting with 0, got ${quote(value)}`
      : `${what} must be a string of digits, got ${value === null ? "null" : typeof value}`,
  );
}

// ---- Timestamps ----

const ISO = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}(?::\d{2})?)(?:[.,](\d+))? ?(Z|z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)$/;

/**
 * The moment a timestamp of the service's names, in milliseconds since 1970. The interface shows
 * `2026-01-31T12:00:00.000-06:00`; `Z`, other fractions and a blank in place of the `T` mean as much. Undefined where
 * it names none, which includes a time without an offset.
 */
export function parseTimestamp(text: string | null | undefined): number | undefined {
  const [, date, time = "", fraction = "", offset = ""] = ISO.exec(text?.trim() ?? "") ?? [];
  if (date === undefined) return undefined;
  const seconds = time.length === 5 ? `${time}:00` : time;
  const moment = Date.parse(`${date}T${seconds}.${fraction.padEnd(3, "0").slice(0, 3)}${zone(offset)}`);
  return Number.isNaN(moment) || !existsInCalendar(date) ? undefined : moment;
}

/** The calendar date of a timestamp at its own offset. */
export function dateOfTimestamp(text: string | null | undefined): string | undefined {
  return parseTimestamp(text) === undefined ? undefined : text?.trim().slice(0, 10);
}

function zone(offset: string): string {
  if (!/^[+-]/.test(offset)) return "Z";
  const digits = offset.replace(":", "").padEnd(5, "0");
  return `${digits.slice(0, 3)}:${digits.slice(3)}`;
}

/** `Date.parse` takes 30 February for 2 March. */
const existsInCalendar = (date: string): boolean => new Date(`${date}T00:00:00Z`).toISOString().slice(0, 10) === date;

// ---- Bodies ----

/*
 * What the service says, read tolerantly: unknown fields are left out, unknown values of enums pass, what's missing or
 * of an unexpected kind is null. Only an id that can't be one makes a body unreadable.
 */

const anything = z.unknown().optional();
export const id = anything.transform((value, { issues }) => idIn(value) ?? unreadable(issues, undefined, value));
/** An id nothing is decided by. */
const sideId = anything.transform(value => idIn(value) ?? null);
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
const UNKNOWN_STATUS = "unknown";
const title = anything.transform(value => textIn(value) ?? "");
const dates = { created_at: text, updated_at: text };

type Body<S extends z.ZodType> = Fixed<z.output<S>>;
type Fixed<T> = T extends object ? { readonly [K in keyof T]: Fixed<T[K]> } : T;

const person = z
  .object({ user_id: sideId, id: sideId, name: text, email: filled })
  .nullish()
  .transform(body => (body ? { id: body.user_id ?? body.id, name: body.name, email: body.email } : null))
  .catch(null);
export type UserBody = NonNullable<Body<typeof person>>;

const comment = z.object({ title: text, text, created_at: text, user: person }).transform(body => ({
  title: body.title,
  text: body.text,
  createdAt: body.created_at,
  user: body.user,
}));
export type CommentBody = Body<typeof comment>;

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
  .transform(body => ({
    id: body.id,
    fileId: body.file_id,
    signatureType: body.signature_type,
    status: body.status,
    /** The signer's own address, or its user's when the service leaves the former out; null when it returns neither. */
    email: body.email ?? body.user?.email ?? null,
    name: body.user?.name ?? null,
    userId: body.user_id ?? body.user?.id ?? null,
    hashToSign: body.hash_to_sign,
    createdAt: body.created_at,
    updatedAt: body.updated_at,
  }));
export type SignerBody = Body<typeof signer>;

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
  .transform(body => ({
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
  }));
export type FileBody = Body<typeof file>;

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
  .transform(body => ({
    id: body.id,
    name: body.invite_name,
    email: body.invite_email ?? body.user?.email ?? null,
    status: body.status,
    stage: body.stage,
    allowedSignatureTypes: body.allowed_signature_types,
    /** Filled when the address belongs to a registered user. */
    user: body.user,
    validationStatus3id: body.validation_status_3id,
    validateKyc: body.validate_kyc,
    requestedDocumentsStatus: body.requested_documents_status,
    requestedDocumentsRequired: body.requested_documents_required,
    /** Observed empty: what is in it isn't shown, so it is carried as it is. */
    requestedDocuments: body.requested_documents,
    createdAt: body.created_at,
    updatedAt: body.updated_at,
  }));
export type InvitationBody = Body<typeof invitation>;

/*
 * A list has a hundred thousand rows: their fields are read in one step for each row. A schema for each field would take
 * three times as long, and as much memory.
 */
const listedFields = z.object({
  id: anything,
  owner_id: anything,
  owner_type: anything,
  folder_id: anything,
  name: anything,
  description: anything,
  last_version: anything,
  status: anything,
  organization: anything,
  created_at: anything,
  updated_at: anything,
});

const toListed = (body: z.output<typeof listedFields>, { issues }: Reading) => ({
  id: idIn(body.id) ?? unreadable(issues, "id", body.id),
  ownerId: idOrNullIn(body, "owner_id", issues),
  ownerType: textIn(body.owner_type),
  folderId: idOrNullIn(body, "folder_id", issues),
  name: textIn(body.name) ?? "",
  description: textIn(body.description),
  lastVersion: textIn(body.last_version),
  status: textIn(body.status) ?? UNKNOWN_STATUS,
  organization: organizationIn(body.organization),
  createdAt: textIn(body.created_at),
  updatedAt: textIn(body.updated_at),
});

export const listedDocument = listedFields.transform(toListed);
export type ListedDocument = Body<typeof listedDocument>;
export type Organization = NonNullable<ListedDocument["organization"]>;

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
  .transform((body, reading) => ({
    ...toListed(body, reading),
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
  }));
export type DocumentBody = Body<typeof wholeDocument> & {
  /** The service lists it and doesn't show it: nothing is known but its row. */
  readonly isUnread?: true;
};

type Shown = Pick<DocumentBody, "id" | "name" | "description" | "status" | "createdAt">;

const NOTHING_READ: Omit<DocumentBody, keyof Shown> = {
  ownerId: null,
  ownerType: null,
  folderId: null,
  lastVersion: null,
  organization: null,
  updatedAt: null,
  files: [],
  invitations: [],
  withNom151: null,
  creatorId: null,
  blockchainCertsEnabled: null,
  validateSigners3id: null,
  signingStage: null,
  active: null,
  advancedSignatureVersion: null,
  autographSignatureVersion: null,
};

/** A document that the service lists and doesn't show. */
export const unreadDocument = (shown: Shown): DocumentBody => ({ ...NOTHING_READ, ...shown, isUnread: true });

export const datedDocument = z
  .object({
    id: anything,
    name: anything,
    description: anything,
    created_at: anything,
    status: anything,
    unsigned_last_version_url: anything,
    signed_last_version_url: anything,
    last_version_signed_ended_at: anything,
    organization_id: anything,
    organization_name: anything,
    created_by_id: anything,
    created_by_name: anything,
    created_by_email: anything,
  })
  .transform((body, { issues }) => ({
    id: idIn(body.id) ?? unreadable(issues, "id", body.id),
    name: textIn(body.name) ?? "",
    description: textIn(body.description),
    createdAt: textIn(body.created_at),
    status: textIn(body.status) ?? UNKNOWN_STATUS,
    unsignedLastVersionUrl: textIn(body.unsigned_last_version_url) || null,
    signedLastVersionUrl: textIn(body.signed_last_version_url) || null,
    lastVersionSignedEndedAt: textIn(body.last_version_signed_ended_at),
    organizationId: idIn(body.organization_id) ?? null,
    organizationName: textIn(body.organization_name),
    createdById: idIn(body.created_by_id) ?? null,
    createdByName: textIn(body.created_by_name),
    createdByEmail: textIn(body.created_by_email),
  }));
export type DatedDocument = Body<typeof datedDocument>;

export const folder = z
  .object({ id, name: text, owner_id: sideId, owner_type: text, creator_id: sideId, ...dates })
  .transform(body => ({
    id: body.id,
    name: body.name,
    ownerId: body.owner_id,
    ownerType: body.owner_type,
    creatorId: body.creator_id,
    createdAt: body.created_at,
    updatedAt: body.updated_at,
  }));
export type FolderBody = Body<typeof folder> & { readonly name: string };

function textIn(value: unknown): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" && Number.isFinite(value) ? String(value) : null;
}

function idIn(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) && value > 0 ? String(value) : undefined;
  return typeof value === "string" && ID.test(value) ? value : undefined;
}

function idOrNullIn<K extends string>(
  body: { [key in K]?: unknown },
  name: K,
  issues: Reading["issues"],
): string | null {
  const value = body[name];
  if (value === undefined || value === null) return null;
  return idIn(value) ?? unreadable(issues, name, value);
}

type Reading = Pick<z.core.$RefinementCtx, "issues">;

function unreadable(issues: Reading["issues"], name: string | undefined, input: unknown): never {
  issues.push({ code: "custom", message: "Invalid input", path: name === undefined ? [] : [name], input });
  return z.NEVER;
}

function organizationIn(value: unknown): { id: string; name: string } | null {
  const organizationId = isRecord(value) ? idIn(value["id"]) : undefined;
  return isRecord(value) && organizationId !== undefined
    ? { id: organizationId, name: textIn(value["name"]) ?? "" }
    : null;
}

// ---- Envelopes ----

/** What's inside `{ok, payload}`, read with the given schema. */
export function payloadOf<T extends z.ZodType>(response: HttpResponse, info: RequestInfo, schema: T): z.output<T> {
  const body = readJson(response, info);
  if (!isRecord(body) || !("payload" in body || body["ok"] === false)) {
    throw new UnreadableAnswerError(`${info.endpoint} answered ${response.status} without the {ok, payload} envelope`);
  }
  if (body["ok"] === false) throw notOk(response, info);
  const parsed = schema.safeParse(body["payload"]);
  if (parsed.success) return parsed.data;
  throw new UnreadableAnswerError(
    `${info.endpoint} answered ${response.status} ${readIssue(parsed.error, ["payload"])}`,
  );
}

/** What of a body can't be read, with its path. */
export function readIssue(error: z.ZodError, path: readonly (string | number)[]): string {
  return `with a body that can't be read: ${issues(error, path)}`;
}

export function notOk(response: HttpResponse, info: RequestInfo): RefusedError {
  const words = info.redactor.excerpt(response.text);
  return new RefusedError(
    `${info.endpoint} answered ${response.status} but not ok (${words}): the service refuses this request`,
    response.status,
  );
}

/** Where a create's answer may hide what was made, nearest first. The interface doesn't show that answer. */
export function candidates(body: unknown): unknown[] {
  const inner = isRecord(body) ? [body["payload"], body] : [];
  return inner.flatMap(value => (isRecord(value) ? [value["document"], value["folder"], value] : [value]));
}

/** The id in a create's answer, wherever it is. */
export function createdId(response: HttpResponse, body: unknown, kind: "document" | "folder"): string | undefined {
  for (const value of candidates(body)) {
    const found = isRecord(value) ? (readId(value["id"]) ?? readId(value[`${kind}_id`])) : readId(value);
    if (found !== undefined) return found;
  }
  return readId(new RegExp(`/${kind}s/([0-9]+)/?$`).exec(response.headers["location"] ?? "")?.[1]);
}

function readId(value: unknown): string | undefined {
  return id.safeParse(value).data;
}

function issues(error: z.ZodError, path: readonly (string | number)[]): string {
  const texts = error.issues
    .slice(0, 3)
    .map(issue => `${[...path, ...issue.path].map(String).join(".")}: ${issue.message}`);
  const more = error.issues.length - texts.length;
  return texts.join("; ") + (more > 0 ? `; ${more} more` : "");
}
