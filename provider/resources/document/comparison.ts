import type { z } from "zod";
import { canonicalText } from "../../core/text.js";
import { pathText } from "../../schema/check.js";
import { Asset, hasUnknown, isRecord, isUnknown, type Unknown, type Value, type Values } from "../../schema/values.js";
import { pdfIdentityOf } from "../pdf/pdf-source.js";
import { TEMPLATE_INPUTS } from "../pdf/template-input.js";
import type { PropertyChange } from "../resource.js";
import type { documentInputs } from "./declaration.js";
import { agrees, COMPARED, comparable, type Field, paired, samePerson, sameRow } from "./pairing.js";
import type { Term } from "./terms.js";

/** One input whose value is no longer what it was. */
export interface Change {
  /** Top-level input. */
  readonly property: string;
  /** Pulumi path of what changed inside it. */
  readonly path: string;
  readonly kind: PropertyChange;
  /** The new value isn't known yet, so whether it changes anything isn't either. */
  readonly unknown: boolean;
}

interface Compared {
  readonly before: Values;
  readonly after: Values;
  readonly held: Values;
}

type Compare = (compared: Compared) => Change[];

/** How each input that the service is sent is compared. An input that the declaration gains doesn't compile before it is here. */
const COMPARE: Readonly<Record<Exclude<keyof z.infer<typeof documentInputs>, Term>, Compare>> = {
  name: compared => textChange("name", compared),
  description: descriptionChange,
  folderId: compared => textChange("folderId", compared),
  invitations: ({ before, after, held }) =>
    invitationChanges(before["invitations"], after["invitations"], held, held["imported"] === true),
  file: pdfChange,
  base64File: pdfChange,
  template: pdfChange,
  variables: pdfChange,
  fonts: pdfChange,
  pageSize: pdfChange,
  pageNumbers: pdfChange,
  title: pdfChange,
  extraParameters: ({ before, after }) => extraChange(before["extraParameters"], after["extraParameters"]),
};
/** Once each: the inputs that make the PDF are compared together. */
const COMPARISONS = [...new Set(Object.values(COMPARE))];

/**
 * What would have to be different at the service for the program to be right. An input that already says what the
 * service holds (`held`, the outputs in state) is no change, whatever it said before: taking out a `folderId` that was
 * ignored, or following a rename made on the platform, mails no one.
 */
export function changesOf(before: Values, after: Values, held: Values): Change[] {
  return COMPARISONS.flatMap(compare => compare({ before, after, held }));
}

/** Inputs whose value at the service is no longer what the program says. */
export function driftOf(inputs: Values, held: Values): string[] {
  const differs = (name: string): boolean => textOf(inputs[name]) !== textOf(held[name]);
  return [
    ...["name", "description", "folderId"].filter(differs),
    ...invitationChanges(undefined, inputs["invitations"], held, true)
      .slice(0, 1)
      .map(change => change.property),
    // A template isn't rendered to look for drift.
    ...(isGiven(inputs["template"]) ? [] : pdfChange({ before: {}, after: inputs, held })).map(
      change => change.property,
    ),
  ];
}

const textOf = (value: Value | undefined): string | Unknown =>
  isUnknown(value) ? value : canonicalText(String(value ?? ""));

function scalar(property: string, was: string | Unknown, is: string | Unknown, held: string | Unknown): Change[] {
  if (isUnknown(is)) return [{ property, path: property, kind: "update-replace", unknown: true }];
  if (is === was || is === held) return [];
  const kind = was === "" ? "add-replace" : is === "" ? "delete-replace" : "update-replace";
  return [{ property, path: property, kind, unknown: false }];
}

const textChange = (property: string, { before, after, held }: Compared): Change[] =>
  scalar(property, textOf(before[property]), textOf(after[property]), textOf(held[property]));

/** The service may keep an imported document's description to itself: then it shows none. */
function descriptionChange({ before, after, held }: Compared): Change[] {
  const notShown =
    held["imported"] === true && textOf(before["description"]) === "" && textOf(held["description"]) === "";
  const changes = textChange("description", { before, after, held });
  return notShown ? changes.filter(change => change.unknown) : changes;
}

function pdfChange({ before, after, held }: Compared): Change[] {
  const is = pdfIdentityOf(after);
  const was = pdfIdentityOf(before);
  const heldHash = typeof held["sha256"] === "string" ? held["sha256"].toLowerCase() : undefined;
  if (is === undefined || (!isUnknown(is) && (is === was || is === heldHash))) return [];
  // Neither state nor service knows the PDF: an import of a document whose hash the service keeps to itself.
  if (was === undefined && heldHash === undefined && !isUnknown(is)) return [];
  if (isGiven(after["template"])) return templateChanges(before, after);
  const property = isGiven(after["file"]) ? "file" : "base64File";
  return [{ property, path: property, kind: "update-replace", unknown: isUnknown(is) }];
}

/** Which of a template's inputs make the PDF another one. */
function templateChanges(before: Values, after: Values): Change[] {
  return TEMPLATE_INPUTS.flatMap(property => {
    const was: Value = before[property] ?? null;
    const is: Value = after[property] ?? null;
    if (!isRecord(was) || !isRecord(is)) return valueChange(property, [property], byHash(was), byHash(is));
    const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
    return names.flatMap(name => valueChange(property, [property, name], was[name] ?? null, is[name] ?? null));
  });
}

function valueChange(property: string, path: readonly string[], was: Value, is: Value): Change[] {
  const unknown = hasUnknown(is);
  if (!unknown && sorted(was) === sorted(is)) return [];
  const kind = was === null ? "add-replace" : is === null ? "delete-replace" : "update-replace";
  return [{ property, path: pathText(path), kind, unknown }];
}

/** Assets are the same when their content is. */
function byHash(value: Value): Value {
  if (Array.isArray(value)) return value.map(byHash);
  return value instanceof Asset ? (value.hash ?? null) : value;
}

const isGiven = (value: Value | undefined): boolean => value !== undefined && value !== null;

function extraChange(before: Value | undefined, after: Value | undefined): Change[] {
  const property = "extraParameters";
  const change = (kind: PropertyChange, unknown: boolean): Change[] => [{ property, path: property, kind, unknown }];
  if (hasUnknown(after)) return change("update-replace", true);
  const [was, is] = [sorted(before ?? {}), sorted(after ?? {})];
  if (was === is) return [];
  return change(was === "{}" ? "add-replace" : is === "{}" ? "delete-replace" : "update-replace", false);
}

const sorted = (value: Value): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  ) ?? "";

function invitationChanges(
  before: Value | undefined,
  after: Value | undefined,
  held: Values,
  onlyShown: boolean,
): Change[] {
  const property = "invitations";
  if (isUnknown(after)) return [{ property, path: property, kind: "update-replace", unknown: true }];
  const is = rows(after);
  const was = rows(before);
  const [then, dropped] = paired(is, was, onlyShown ? agrees : sameRow);
  const there = rows(held["signers"]);
  const [holds, extra] = paired(is, there, agrees);
  const changes = is.flatMap((now, index): Change[] => {
    const path = `${property}[${index}]`;
    if (now === undefined) return [{ property, path, kind: "update-replace", unknown: true }];
    const old = then[index];
    const twin = samePerson(now, holds[index]) ? holds[index] : undefined;
    if (old === undefined && twin === undefined) return [{ property, path, kind: "add-replace", unknown: false }];
    return COMPARED.flatMap(field => fieldChange(path, field, old?.[field], now[field], twin?.[field], onlyShown));
  });
  const stillThere = (row: Values): boolean => there.length === 0 || extra.some(other => samePerson(row, other));
  const unknown = is.filter(row => row === undefined).length;
  const gone = (onlyShown ? extra : dropped.filter(stillThere)).slice(unknown);
  gone.forEach((_, index) => {
    changes.push({ property, path: `${property}[${is.length + index}]`, kind: "delete-replace", unknown: false });
  });
  return changes;
}

function fieldChange(
  path: string,
  field: Field,
  before: Value | undefined,
  after: Value | undefined,
  held: Value | undefined,
  onlyShown: boolean,
): Change[] {
  const change = (kind: PropertyChange, unknown: boolean): Change[] => [
    { property: "invitations", path: `${path}.${field}`, kind, unknown },
  ];
  if (isUnknown(after)) return change("update-replace", true);
  const [was, is, there] = [comparable(field, before), comparable(field, after), comparable(field, held)];
  if (is === was || (is === there && is !== undefined)) return [];
  // Of an imported document state knows what the service showed then; what either side leaves out is no difference.
  if (onlyShown && (is === undefined || (was === undefined && there === undefined))) return [];
  return change(was === undefined ? "add-replace" : is === undefined ? "delete-replace" : "update-replace", false);
}

/** Rows of a list; undefined for one that isn't known yet. */
function rows(value: Value | undefined): (Values | undefined)[] {
  return Array.isArray(value) ? value.map(row => (isRecord(row) ? row : undefined)) : [];
}

export function detailed(changes: readonly Change[]): Record<string, PropertyChange> {
  return Object.fromEntries(changes.map(change => [change.path, change.kind]));
}
