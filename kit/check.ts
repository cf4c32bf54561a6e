import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { propertyMetadata, type Shape } from "./property.js";
import { bareRecord, own } from "./records.js";
import type { Failure } from "./resource.js";
import { bare, partsOf } from "./schema.js";
import { nearest } from "./text.js";
import {
  Archive,
  Asset,
  hasUnknown,
  isGiven,
  isRecord,
  isUnknown,
  type Unknown,
  type Value,
  type Values,
} from "./values.js";

/** One thing wrong. The property is a Pulumi path (`labels[1].text`), or empty where its value is shown to nobody. */
export interface Problem extends Failure {
  /** Of the input that it is in. */
  readonly name: string;
}

export interface CheckOptions {
  /** Top-level properties that hold a secret: their values are never echoed. */
  readonly secrets?: ReadonlySet<string> | undefined;
  /** Values that aren't asked again where they are the same: what is in state was checked then, or is what was imported. */
  readonly kept?: Values | undefined;
  /** What the types make of the values, where that is known already: what is right isn't parsed again. */
  readonly typed?: Typed;
}

/** What the types make of values: undefined where one isn't known or isn't right. */
export type Typed = Readonly<Record<string, { readonly value: Value | undefined } | undefined>>;

export const typedIn = (shape: Shape, values: Values): Typed =>
  Object.fromEntries(Object.entries(shape.shape).map(([name, type]) => [name, typedValue(type, values[name])]));

/** A value as its type has it: transformed, or its default. */
export function typedValue(type: z.ZodType, value: Value | undefined): Typed[string] {
  const result = hasUnknown(value) ? undefined : type.safeParse(value ?? undefined);
  return result?.success ? { value: result.data as Value | undefined } : undefined;
}

/** Values as their types have them; `otherwise` says what stands for one that isn't known or isn't right. */
export function typedValues(
  all: Typed,
  values: Values,
  otherwise: (value: Value | undefined, name: string) => Value | undefined = value => value,
): Values {
  const entries = Object.entries(all).map(([name, typed]) => [
    name,
    typed ? typed.value : otherwise(values[name], name),
  ]);
  return given(Object.fromEntries(entries));
}

/** What is null or left out isn't given. */
export const given = (values: Readonly<Record<string, Value | undefined>>): Values =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, Value] => isGiven(entry[1])));

/** The same inside of what is declared, too. */
export function givenIn(shape: Shape, values: Values): Values {
  const all = given(values);
  for (const [name, type] of Object.entries(shape.shape))
    if (all[name] !== undefined) all[name] = givenPart(type, all[name]);
  return all;
}

function givenPart(declared: z.core.$ZodType, value: Value): Value {
  const type = bare(declared as z.ZodType);
  if (type instanceof z.ZodArray && Array.isArray(value)) return value.map(each => givenPart(type.element, each));
  return type instanceof z.ZodObject && isRecord(value) ? givenIn(type as Shape, value) : value;
}

/** Every property that isn't what its declaration wants, all at once. What isn't known yet is left for later. */
export function problemsOf(shape: Shape, values: Values, options: CheckOptions = {}): Problem[] {
  const problems: Problem[] = [];
  const isKept = (name: string, given: Value | undefined): boolean =>
    options.kept !== undefined && isGiven(given) && JSON.stringify(given) === JSON.stringify(options.kept[name]);
  for (const [name, type] of Object.entries(shape.shape)) {
    const given = values[name] ?? undefined;
    if (options.typed?.[name] || (given === undefined && type instanceof z.ZodOptional)) continue;
    const result = type.safeParse(given);
    if (result.success || isKept(name, given)) continue;
    const meta = propertyMetadata.get(type);
    const hidden = meta?.silent === true || meta?.secret === true || options.secrets?.has(name) === true;
    for (const issue of result.error.issues) {
      if (leadsToUnknown(given, issue.path)) continue;
      for (const { path, reason } of reasonsOf(issue, given, hidden)) {
        const where = pathText([name, ...path]);
        problems.push({ name, property: hidden ? "" : where, reason: `${where}: ${reason}`, saysProperty: true });
      }
    }
  }
  const known = Object.keys(shape.shape);
  for (const name of Object.keys(values)) {
    if (known.includes(name) || name.startsWith("__") || isKept(name, values[name])) continue;
    problems.push({ name, property: "", reason: `${pathText([name])}: no such property${suggestion(name, known)}` });
  }
  return problems;
}

function reasonsOf(
  issue: z.core.$ZodIssue,
  given: Value | undefined,
  hidden: boolean,
): { path: readonly PropertyKey[]; reason: string }[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map(key => ({ path: [...issue.path, key], reason: "no such property" }));
  }
  const value = at(given, issue.path);
  const expected = expectedIn(issue.message);
  if (value === undefined || value === null) return [{ path: issue.path, reason: `is required: ${expected}` }];
  return [
    { path: issue.path, reason: hidden ? `expected ${expected}` : `expected ${expected}, got ${excerpt(value)}` },
  ];
}

/** What completes "expected …": a declaration's own `error`, or what zod's sentence says where there is none. */
const expectedIn = (message: string): string =>
  message
    .replace(/^(?:Invalid input|Invalid option|Too big|Too small): expected (.*?)(?:, received .*)?$/s, "$1")
    .replace(/^Invalid (string|number): must /, "a $1 that must ")
    .replace(/^Invalid /, "valid ");

function at(value: Value | undefined, path: readonly PropertyKey[]): Value | undefined {
  let here = value;
  for (const step of path) {
    if (Array.isArray(here)) here = here[Number(step)];
    else if (isRecord(here)) here = Object.hasOwn(here, String(step)) ? here[String(step)] : undefined;
    else return undefined;
  }
  return here;
}

function leadsToUnknown(value: Value | undefined, path: readonly PropertyKey[]): boolean {
  for (let length = 0; length <= path.length; length++) if (isUnknown(at(value, path.slice(0, length)))) return true;
  return false;
}

/** A path as Pulumi writes it. */
export function pathText(path: readonly PropertyKey[]): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else if (/^[A-Za-z_$][\w$-]*$/.test(String(step)) && String(step).length <= LONGEST_EXCERPT)
      text += text === "" ? String(step) : `.${String(step)}`;
    else text += `[${excerpt(String(step))}]`;
  }
  return text;
}

const LONGEST_EXCERPT = 60;

/** A value as a message shows it: short, on one line, nothing that could forge another line. */
export function excerpt(value: unknown): string {
  if (isUnknown(value)) return "a value not known yet";
  if (value instanceof Asset) return "an asset";
  if (value instanceof Archive) return "an archive";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `a list of ${value.length}`;
  if (isRecord(value)) return "an object";
  const text = typeof value === "string" ? JSON.stringify(value.toWellFormed()) : String(value);
  const safe = text.replace(
    /[\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu,
    character => `\\u${character.codePointAt(0)?.toString(16).padStart(4, "0")}`,
  );
  return safe.length <= LONGEST_EXCERPT
    ? safe
    : `${safe.slice(0, LONGEST_EXCERPT)}… (${String(value).length} characters)`;
}

function suggestion(name: string, known: readonly string[]): string {
  const near = nearest(name, known, text => text.toLowerCase().replace(/[^a-z0-9]/g, ""));
  return near === undefined ? `; it takes ${known.join(", ")}` : `; did you mean ${near}?`;
}

// ---- What a transform makes ----

/** Create and Update parse anew what Check made of the inputs, so that has to stay as it is. Throws where a transform changes it. */
export function refuseUnsettled(declared: string, shape: Shape, given: Values, typed: Typed): void {
  for (const [name, type] of Object.entries(shape.shape)) {
    const made = typed[name];
    if (!made || !isGiven(given[name]) || made.value === given[name] || !transforms(type)) continue;
    if (!isDeepStrictEqual(typedValue(type, made.value), made))
      throw new Error(
        `${declared}: ${name}: expected a transform that leaves what it made as it is, got one that doesn't`,
      );
  }
}

/** Whether a value may come out of its type as another one. */
const transforms = (type: z.ZodType): boolean =>
  type instanceof z.ZodPipe ||
  (type.def as z.core.$ZodTypeDef).checks?.some(({ _zod }) => _zod.def.check === "overwrite") === true ||
  partsOf(type).some(([part]) => transforms(part));

// ---- What is of a type ----

/** A value as a preview has it: it, or a part of it, may depend on what doesn't exist yet. */
export type Previewed<T> =
  | Unknown
  | (T extends Asset | Archive ? T : T extends object ? { [Key in keyof T]: Previewed<T[Key]> } : T);

/** Properties in a preview: each may be unknown, and is checked as far as it is known. */
export type Preview<T> = { [Key in keyof T]: Previewed<T[Key]> };

/**
 * What the engine hands back, as far as it is of the declared types: state may be imported, edited or another version's.
 * Whatever else a declaration says of a value isn't asked again.
 */
export type Stored<T> = T extends string
  ? string
  : T extends Asset | Archive
    ? T
    : T extends readonly (infer E)[]
      ? readonly Stored<E>[]
      : string extends keyof T
        ? { readonly [K in keyof T]: Stored<T[K]> }
        : T extends object
          ? { readonly [K in keyof T]?: Stored<T[K]> | undefined }
          : T;

/**
 * Values in state. What isn't of its type is left out, and so is what isn't known. With what their types make of them: just
 * those that are declared.
 */
export const stored = <S extends Shape>(shape: S, values: Values, typed?: Typed): Stored<z.infer<S>> =>
  fittedIn(shape, values, typed, isUnknown) as Stored<z.infer<S>>;

declare const checked: unique symbol;
/** Of inputs that Check has let pass, now or before they came into state: values as a program gives them aren't of this type. */
export type Checked = { readonly [checked]: true };

/** The same of inputs as Check left them, of which a preview may not know all. */
export const previewed = <S extends Shape>(
  shape: S,
  values: Values,
  typed?: Typed,
): Preview<Stored<z.infer<S>>> & Checked =>
  fittedIn(shape, values, typed, () => false) as Preview<Stored<z.infer<S>>> & Checked;

type Omits = (value: Value) => boolean;

const fittedIn = ({ shape }: Shape, values: Values, typed: Typed | undefined, omits: Omits): Values =>
  typed
    ? typedValues(typed, values, (value, name) =>
        value === undefined ? undefined : fitted(shape[name] as z.ZodType, value, omits),
      )
    : members(values, name => own(shape, name), omits);

/** The same object where all of it fits: thousands of rows aren't copied. */
function members(values: Values, typeOf: (name: string) => z.core.$ZodType | undefined, omits: Omits): Values {
  const names = Object.keys(values);
  let fitting: Values | undefined;
  names.forEach((name, index) => {
    const value = values[name] as Value;
    const type = typeOf(name);
    const fit = type ? fitted(type, value, omits) : value;
    if (fit !== value && !fitting) {
      fitting = bareRecord<Value>();
      for (const before of names.slice(0, index)) fitting[before] = values[before] as Value;
    }
    if (fitting && fit !== undefined) fitting[name] = fit;
  });
  return fitting ?? values;
}

function fitted(declared: z.core.$ZodType, value: Value, omits: Omits): Value | undefined {
  const type = bare(declared as z.ZodType);
  if (omits(value)) return undefined;
  if (isUnknown(value)) return value;
  if (value === null) return z.safeParse(declared, null).success ? null : undefined;
  if (type instanceof z.ZodObject)
    return isRecord(value) ? members(value, name => own(type.shape, name), omits) : undefined;
  if (type instanceof z.ZodRecord) return isRecord(value) ? members(value, () => type.valueType, omits) : undefined;
  if (type instanceof z.ZodArray) return Array.isArray(value) ? elements(value, type.element, omits) : undefined;
  if (type instanceof z.ZodUnion)
    return type.options.map(option => fitted(option, value, omits)).find(fit => fit !== undefined);
  if (type instanceof z.ZodEnum) return typeof value === "string" ? value : undefined;
  const isOfType = KINDS.includes(type.def.type) ? typeof value === type.def.type : type.safeParse(value).success;
  return isOfType ? value : undefined;
}

const KINDS = ["string", "number", "boolean"];

function elements(values: Value[], type: z.core.$ZodType, omits: Omits): Value[] {
  let fits: Value[] | undefined;
  values.forEach((value, index) => {
    const fit = fitted(type, value, omits);
    if (fit !== value) fits ??= values.slice(0, index);
    if (fits && fit !== undefined) fits.push(fit);
  });
  return fits ?? values;
}
