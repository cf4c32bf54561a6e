import { hash } from "node:crypto";
import { canonicalText } from "../../core/text.js";
import { isRecord, isUnknown, UNKNOWN, type Unknown, type Value, type Values } from "../../schema/values.js";
import type { DocumentInputs } from "../document/declaration.js";
import { COMPARED, comparable } from "../document/pairing.js";
import type { Term } from "../document/terms.js";
import type { PdfInput } from "../pdf/pdf-input.js";
import { pdfIdentityOf } from "../pdf/pdf-source.js";
import { identityOf } from "./rows.js";

export type Field = Exclude<keyof DocumentInputs, PdfInput | Term> | "pdf";

/** What of a row a change would replace its document for, as short hashes: state holds no content. */
export type RowFields = Readonly<Record<Field, string | Unknown>>;

/** In the order in which state keeps them: a new one goes last. An input that Document gains doesn't compile before it is here. */
const COMPARE: Readonly<Record<Field, (inputs: Values) => Value | undefined>> = {
  name: ({ name }) => text(name),
  description: ({ description }) => text(description),
  folderId: ({ folderId }) => (typeof folderId === "number" ? String(folderId) : folderId),
  invitations: ({ invitations }) => people(invitations),
  pdf: pdfIdentityOf,
  extraParameters: ({ extraParameters }) => extraParameters,
};
export const FIELDS = Object.keys(COMPARE) as Field[];

export interface RowChange {
  readonly key: string;
  readonly fields: readonly Field[];
}

/** What an update would do to the rows of a set. Each key is in one of the lists. */
export interface RowDiff {
  readonly added: readonly string[];
  readonly changed: readonly RowChange[];
  /** Not known yet whether they change. */
  readonly uncertain: readonly RowChange[];
  readonly removed: readonly string[];
  readonly unchanged: readonly string[];
}

/** The fields of a row's checked inputs. */
export const fieldsOf = (inputs: Values): RowFields =>
  Object.fromEntries(FIELDS.map(field => [field, short(COMPARE[field](inputs))])) as RowFields;

/** Compares rows by key; their order doesn't matter. */
export function diffRows(before: ReadonlyMap<string, RowFields>, after: ReadonlyMap<string, RowFields>): RowDiff {
  const olds = new Map([...before].map(([key, fields]) => [identityOf(key), { key, fields }]));
  const kept = new Set<string>();
  const added: string[] = [];
  const changed: RowChange[] = [];
  const uncertain: RowChange[] = [];
  const unchanged: string[] = [];
  for (const [key, fields] of after) {
    const old = olds.get(identityOf(key));
    if (!old) {
      added.push(key);
      continue;
    }
    kept.add(old.key);
    const certain = FIELDS.filter(field => !isUnknown(fields[field]) && fields[field] !== old.fields[field]);
    const unknown = FIELDS.filter(field => isUnknown(fields[field]));
    if (certain.length > 0) changed.push({ key, fields: certain });
    else if (unknown.length > 0) uncertain.push({ key, fields: unknown });
    else unchanged.push(key);
  }
  return { added, changed, uncertain, unchanged, removed: [...before.keys()].filter(key => !kept.has(key)) };
}

const text = (value: Value | undefined): Value | undefined =>
  typeof value === "string" ? canonicalText(value) : value;

/** In no order, and each compared as Document compares one. */
function people(invitations: Value | undefined): Value | undefined {
  if (!Array.isArray(invitations)) return invitations;
  const compared = invitations.map((person): Value => {
    if (!isRecord(person)) return person;
    return COMPARED.map(field => (isUnknown(person[field]) ? UNKNOWN : (comparable(field, person[field]) ?? null)));
  });
  return compared.some(unknownInside) ? UNKNOWN : compared.map(canonical).sort();
}

const unknownInside = (value: Value): boolean =>
  isUnknown(value) ||
  (isRecord(value) && Object.values(value).some(unknownInside)) ||
  (Array.isArray(value) && value.some(unknownInside));

/** Absent, null and empty are the same: none of them is sent. */
export function short(value: Value | undefined): string | Unknown {
  if (value !== undefined && unknownInside(value)) return UNKNOWN;
  if (value === undefined || value === null || value === "") return "";
  return hash("sha256", canonical(value), "base64url").slice(0, 12);
}

function canonical(value: Value): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isRecord(inner)
      ? Object.fromEntries(
          Object.entries(inner)
            .filter(([, each]) => each !== null)
            .sort(([one], [other]) => (one < other ? -1 : 1)),
        )
      : inner,
  );
}
