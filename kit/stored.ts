import { z } from "zod";
import type { Shape } from "./property.js";
import { bareRecord, own } from "./records.js";
import { bare } from "./schema.js";
import { type Archive, type Asset, isRecord, isUnknown, type Unknown, type Value, type Values } from "./values.js";

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

/** Values in state. What isn't of its type is left out, and so is what isn't known; what isn't declared stays. */
export const stored = <S extends Shape>(shape: S, values: Values): Stored<z.infer<S>> =>
  members(values, name => own(shape.shape, name), isUnknown) as Stored<z.infer<S>>;

/** The same of inputs as Check left them, of which a preview may not know all. */
export const previewed = <S extends Shape>(shape: S, values: Values): Preview<Stored<z.infer<S>>> =>
  members(
    values,
    name => own(shape.shape, name),
    () => false,
  ) as Preview<Stored<z.infer<S>>>;

type Omits = (value: Value) => boolean;

/** The same object where all of it fits: thousands of rows aren't copied. */
function members(values: Values, typeOf: (name: string) => z.core.$ZodType | undefined, omits: Omits): Values {
  const names = Object.keys(values);
  let fitting: Values | undefined;
  names.forEach((name, index) => {
    const value = values[name] as Value;
    const type = typeOf(name);
    const fit = type ? fitted(type, value, omits) : value;
    if (fit !== value) fitting ??= copied(values, names.slice(0, index));
    if (fitting && fit !== undefined) fitting[name] = fit;
  });
  return fitting ?? values;
}

function copied(values: Values, names: readonly string[]): Values {
  const copy = bareRecord<Value>();
  for (const name of names) copy[name] = values[name] as Value;
  return copy;
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
  if (type instanceof z.ZodUnion) return type.options.map(option => fitted(option, value, omits)).find(isThere);
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

const isThere = (value: Value | undefined): value is Value => value !== undefined;
