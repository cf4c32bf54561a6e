import * as z from "zod";
import { bareRecord, isRecord } from "../../kit/records.js";
import { isDay } from "../core/clock.js";
import { ID, unescaped } from "../core/same.js";
import { quote } from "../core/text.js";
import { type HttpResponse, InvalidArgumentError, RefusedError, readJson, unreadable } from "./errors.js";

// ---- Ids ----

/** Ids in ascending order: digits compared as numbers, of any length. */
export const byId = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);

/** An id as a string of digits, or an error that says what was given. */
export function parseId(value: unknown, what = "id"): string {
  const known = idIn(value);
  if (known !== undefined) return known;
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
  return Number.isNaN(moment) || !isDay(date) ? undefined : moment;
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

// ---- Bodies ----

/*
 * What the service says, read tolerantly: unknown fields are left out, unknown values of enums pass, what's missing or
 * of an unexpected kind is null. Only an id that can't be one makes a body unreadable. A field stands here by the service's
 * name, and ours is the same in camel case.
 */

/** In the order a document goes through them. */
export const DOCUMENT_STATUSES = ["unsigned", "partially_signed", "signed"] as const;
export type DocumentStatusFilter = (typeof DOCUMENT_STATUSES)[number];

type Issues = z.core.$RefinementCtx["issues"];
type Fields = Readonly<Record<string, (value: unknown, issues: Issues) => unknown>>;
type Camel<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name;
type Read<F extends Fields> = { [Name in keyof F as Camel<Name>]: ReturnType<F[Name]> };

type Body<S extends z.ZodType> = Fixed<z.output<S>>;
type Fixed<T> = T extends object ? { readonly [K in keyof T]: Fixed<T[K]> } : T;

/** Reads all fields in one step: a list has a hundred thousand rows, and a schema for each field takes three times as long. */
function bodyOf<F extends Fields>(fields: F) {
  const named = Object.entries(fields).map(
    ([name, read]) => [name, name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()), read] as const,
  );
  return z.unknown().transform((given, { issues }): Read<F> => {
    if (!isRecord(given)) return report(issues, { code: "invalid_type", expected: "object", input: given });
    const body = bareRecord<unknown>();
    for (const [name, ours, read] of named) {
      const before = issues.length;
      body[ours] = read(given[name], issues);
      for (let nth = before; nth < issues.length; nth++)
        issues[nth] = { ...issues[nth], path: [name, ...(issues[nth]?.path ?? [])] } as Issues[number];
    }
    return body as Read<F>;
  });
}

function report(issues: Issues, issue: Issues[number]): never {
  issues.push(issue);
  return z.NEVER;
}

const id = (value: unknown, issues: Issues): string =>
  idIn(value) ?? report(issues, { code: "custom", message: "Invalid input", input: value });
const idOrNull = (value: unknown, issues: Issues): string | null =>
  value === undefined || value === null ? null : id(value, issues);
/** An id nothing is decided by. */
const sideId = (value: unknown): string | null => idIn(value) ?? null;

export function idIn(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) && value > 0 ? String(value) : undefined;
  return typeof value === "string" && ID.test(value) ? value : undefined;
}

function text(value: unknown): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" && Number.isFinite(value) ? String(value) : null;
}
/** The service writes "" as well as null for what isn't there yet. */
const filled = (value: unknown): string | null => text(value) || null;
/** A service may escape it: `o&#39;neil@example.com`. */
const address = (value: unknown): string | null => unescaped(text(value) ?? "") || null;
const title = (value: unknown): string => text(value) ?? "";
const hash = (value: unknown): string | null => filled(value)?.toLowerCase() ?? null;
/** A status nobody knows counts as signed for every decision above. */
const status = (value: unknown): string => text(value) ?? "unknown";
const flag = (value: unknown): boolean | null => (typeof value === "boolean" ? value : null);
const whole = (value: unknown): number | null => {
  const number = typeof value === "string" && /^[0-9]{1,9}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) ? (number as number) : null;
};

/** The first part that can't be read ends it: the others would only be more of the same. */
const list =
  <T extends z.ZodType>(item: T) =>
  (value: unknown, issues: Issues): z.output<T>[] => {
    const items = value ?? [];
    if (!Array.isArray(items)) return report(issues, { code: "invalid_type", expected: "array", input: value });
    const read: z.output<T>[] = [];
    for (const [index, each] of items.entries()) {
      const { data, error } = item.safeParse(each);
      for (const { message, path } of error?.issues ?? [])
        issues.push({ code: "custom", message, path: [index, ...path], input: each });
      if (error) break;
      read.push(data as z.output<T>);
    }
    return read;
  };

const dates = { created_at: text, updated_at: text };

const person = (value: unknown) =>
  isRecord(value)
    ? {
        id: idIn(value["user_id"]) ?? sideId(value["id"]),
        name: text(value["name"]),
        email: address(value["email"]),
      }
    : null;
export type UserBody = NonNullable<Fixed<ReturnType<typeof person>>>;

const organization = (value: unknown) => {
  const organizationId = isRecord(value) ? idIn(value["id"]) : undefined;
  return isRecord(value) && organizationId !== undefined ? { id: organizationId, name: title(value["name"]) } : null;
};

const comment = bodyOf({ title: text, text, created_at: text, user: person });

const signer = bodyOf({
  id: sideId,
  file_id: sideId,
  signature_type: text,
  status: text,
  email: address,
  user: person,
  user_id: sideId,
  hash_to_sign: text,
  ...dates,
}).transform(({ user, ...rest }) => ({
  ...rest,
  /** The signer's own address, or its user's when the service leaves the former out; null when it returns neither. */
  email: rest.email ?? user?.email ?? null,
  name: user?.name ?? null,
  userId: rest.userId ?? user?.id ?? null,
}));
export type SignerBody = Body<typeof signer>;

const file = bodyOf({
  id,
  version: title,
  name: text,
  status: text,
  signed_ended_at: text,
  sha256: hash,
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
}).transform(({ advStrConstance, ...rest }) => ({ ...rest, constancia: advStrConstance }));
export type FileBody = Body<typeof file>;

const invitation = bodyOf({
  id,
  invite_name: text,
  invite_email: address,
  /** Filled when the address belongs to a registered user. */
  user: person,
  status: text,
  stage: whole,
  allowed_signature_types: text,
  validation_status_3id: text,
  validate_kyc: flag,
  requested_documents_status: text,
  requested_documents_required: flag,
  /** Observed empty: what is in it isn't shown, so it is carried as it is. */
  requested_documents: (value): unknown[] => (Array.isArray(value) ? value : []),
  ...dates,
}).transform(({ inviteName, inviteEmail, ...rest }) => ({
  ...rest,
  name: inviteName,
  email: inviteEmail ?? rest.user?.email ?? null,
}));
export type InvitationBody = Body<typeof invitation>;

const listed = {
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
};

export const listedDocument = bodyOf(listed);
export type ListedDocument = Body<typeof listedDocument>;

export const wholeDocument = bodyOf({
  ...listed,
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
});
export type DocumentBody = Body<typeof wholeDocument> & {
  /** The service lists it and doesn't show it: nothing is known but its row. */
  readonly isUnread?: true;
};

const NOTHING_READ: DocumentBody = wholeDocument.parse({ id: 1 });

export const unreadDocument = (
  shown: Pick<DocumentBody, "id" | "name" | "description" | "status" | "createdAt">,
): DocumentBody => ({ ...NOTHING_READ, ...shown, isUnread: true });

export const datedDocument = bodyOf({
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
});
export type DatedDocument = Body<typeof datedDocument>;

export const folder = bodyOf({ id, name: text, owner_id: sideId, owner_type: text, creator_id: sideId, ...dates });
export type FolderBody = Body<typeof folder> & { readonly name: string };

// ---- Envelopes ----

/** What's inside `{ok, payload}`, read with the given schema. */
export function payloadOf<T extends z.ZodType>(response: HttpResponse, schema: T): z.output<T> {
  const body = readJson(response);
  if (!isRecord(body) || !("payload" in body || body["ok"] === false))
    throw unreadable(response, "without the {ok, payload} envelope");
  if (body["ok"] === false) throw notOk(response);
  const { data, error } = schema.safeParse(body["payload"]);
  if (error) throw unreadable(response, issuesIn(error, ["payload"]));
  return data as z.output<T>;
}

/** What of a body can't be read, with its path. */
export function issuesIn({ issues }: z.ZodError, path: readonly (string | number)[]): string {
  const texts = issues.slice(0, 3).map(issue => `${[...path, ...issue.path].map(String).join(".")}: ${issue.message}`);
  const more = issues.length - texts.length;
  return `with a body that can't be read: ${texts.join("; ")}${more > 0 ? `; ${more} more` : ""}`;
}

export const notOk = ({ endpoint, status, text, redactor }: HttpResponse): RefusedError =>
  new RefusedError(
    `${endpoint} answered ${status} but not ok (${redactor.excerpt(text)}): the service refuses this request`,
    status,
  );
