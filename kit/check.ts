import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { propertyMetadata, type Shape } from "./property.js";
import { bareRecord, own } from "./records.js";
import type { Failure } from "./resource.js";
import { bare, partsOf } from "./schema.js";
import { escapeText, nearest } from "./text.js";
import {
  Archive,
  Asset,
  at,
  hasUnknown,
  isGiven,
  isRecord,
  isUnknown,
  UNKNOWN,
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
}

/** Values by their declaration, each parsed once. What is null isn't given, inside of what is declared too. */
export class Declared<S extends Shape> {
  readonly given: Values;
  /** As Check answers: what is given alone, whatever it is. */
  readonly inputs: Values;
  /** As their types have them, with defaults; as given where that isn't all known, or isn't right. */
  readonly values: Values = {};
  /** What isn't all known, or isn't right, and why. */
  readonly open = new Map<string, { readonly type: z.ZodType; readonly issues: readonly z.core.$ZodIssue[] }>();

  constructor(
    readonly shape: S,
    values: Gaps,
  ) {
    this.given = givenIn(shape, values);
    this.inputs = { ...this.given };
    for (const [name, type] of Object.entries(shape.shape)) {
      const given = this.given[name];
      const { success, data, error } = type.safeParse(given);
      const isTyped = success && !hasUnknown(given);
      const value = isTyped ? (data as Value | undefined) : given;
      if (isGiven(value)) {
        this.values[name] = value;
        if (given !== undefined) this.inputs[name] = value;
      }
      const isLeftOut = given === undefined && type instanceof z.ZodOptional;
      if (!isTyped) this.open.set(name, { type, issues: isLeftOut ? [] : (error?.issues ?? []) });
    }
  }

  /** One that is wrong counts as not known. */
  get right(): Preview<z.infer<S>> {
    return this.#with((_, given) => (hasUnknown(given) ? given : UNKNOWN)) as Preview<z.infer<S>>;
  }

  /** As far as they are of their types, and known. */
  get stored(): Stored<z.infer<S>> & Checked {
    return this.#with((type, given) => fitted(type, given, isUnknown)) as Stored<z.infer<S>> & Checked;
  }

  /** The same in a preview, which may not know all. */
  get previewed(): Preview<z.infer<S>> & Checked {
    return this.#with(fitted) as Preview<z.infer<S>> & Checked;
  }

  /** With something else for what isn't known or isn't right. */
  #with(otherwise: (type: z.ZodType, given: Value | undefined) => Value | undefined): Values {
    if (this.open.size === 0) return this.values;
    const others = [...this.open].map(([name, { type }]) => [name, otherwise(type, this.given[name])] as const);
    return given({ ...this.values, ...Object.fromEntries(others) });
  }

  /** Every property that isn't what its declaration wants, all at once. What isn't known yet is left for later. */
  problems({ secrets, kept }: CheckOptions = {}): Problem[] {
    const wrong = [...this.open].flatMap(([name, { type, issues }]) => {
      const given = this.given[name];
      const meta = propertyMetadata.get(type);
      const hidden = meta?.silent === true || meta?.secret === true || secrets?.has(name) === true;
      const known = issues.filter(({ path }) => !leadsToUnknown(given, path));
      return known.flatMap(issue => reasonsOf(name, issue, given, hidden));
    });
    const names = Object.keys(this.shape.shape);
    const undeclared = Object.keys(this.given).filter(name => !names.includes(name) && !name.startsWith("__"));
    const none = (name: string) => `${pathText([name])}: no such property${suggestion(name, names)}`;
    const lost = names.filter(name => losesKey(this.shape.shape[name], this.given[name]));
    const problems = [
      ...wrong,
      ...lost.map(name => ({
        name,
        property: "",
        reason: `${name}: expected another name than "__proto__", which would be lost`,
      })),
      ...undeclared.map(name => ({ name, property: "", reason: none(name) })),
    ];
    const isKept = (name: string, given = this.given[name]) =>
      kept !== undefined && isGiven(given) && JSON.stringify(given) === JSON.stringify(kept[name]);
    return problems.filter(({ name }) => !isKept(name));
  }

  /** Create and Update parse anew what Check made of the inputs, so that has to stay as it is. */
  refuseUnsettled(token: string): void {
    for (const [name, type] of Object.entries(this.shape.shape)) {
      const [given, made] = [this.given[name], this.values[name]];
      if (given === undefined || made === given || !transforms(type)) continue;
      if (!isDeepStrictEqual(type.safeParse(made).data, made))
        throw new Error(
          `${token}: ${name}: expected a transform that leaves what it made as it is, got one that doesn't`,
        );
    }
  }
}

export const problemsOf = (shape: Shape, values: Values, options?: CheckOptions): Problem[] =>
  new Declared(shape, values).problems(options);

/** Zod leaves this one key out of a map, and says nothing. */
const losesKey = (type: z.core.$ZodType | undefined, given: Value | undefined): boolean =>
  isRecord(given) && Object.hasOwn(given, "__proto__") && bare(type as z.ZodType) instanceof z.ZodRecord;

type Gaps = Readonly<Record<string, Value | undefined>>;

/** What is null or left out isn't given. */
export const given = (values: Gaps): Values =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, Value] => isGiven(entry[1])));

function givenIn({ shape }: Shape, values: Gaps): Values {
  const all = bareRecord<Value>();
  for (const [name, value] of Object.entries(values))
    if (isGiven(value)) all[name] = givenPart(own(shape, name), value);
  return all;
}

function givenPart(declared: z.core.$ZodType | undefined, value: Value): Value {
  if (!declared || typeof value !== "object") return value;
  const type = bare(declared as z.ZodType);
  if (type instanceof z.ZodArray && Array.isArray(value)) return value.map(each => givenPart(type.element, each));
  return type instanceof z.ZodObject && isRecord(value) ? givenIn(type as Shape, value) : value;
}

function reasonsOf(name: string, issue: z.core.$ZodIssue, given: Value | undefined, hidden: boolean): Problem[] {
  const problem = (path: readonly PropertyKey[], reason: string): Problem => {
    const where = pathText([name, ...path]);
    return { name, property: hidden ? "" : where, reason: `${where}: ${reason}`, saysProperty: true };
  };
  if (issue.code === "unrecognized_keys")
    return issue.keys.map(key => problem([...issue.path, key], "no such property"));
  const value = at(given, issue.path);
  const expected = expectedIn(issue.message);
  if (value === undefined || value === null) return [problem(issue.path, `is required: ${expected}`)];
  return [problem(issue.path, hidden ? `expected ${expected}` : `expected ${expected}, got ${excerpt(value)}`)];
}

/** What completes "expected …": a declaration's own `error`, or what zod's sentence says where there is none. */
const expectedIn = (message: string): string =>
  message
    .replace(/^(?:Invalid input|Invalid option|Too big|Too small): expected (.*?)(?:, received .*)?$/s, "$1")
    .replace(/^Invalid (string|number): must /, "a $1 that must ")
    .replace(/^Invalid /, "valid ");

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
  const safe = escapeText(text);
  return safe.length <= LONGEST_EXCERPT
    ? safe
    : `${safe.slice(0, LONGEST_EXCERPT)}… (${String(value).length} characters)`;
}

function suggestion(name: string, known: readonly string[]): string {
  const near = nearest(name, known, text => text.toLowerCase().replace(/[^a-z0-9]/g, ""));
  return near === undefined ? `; it takes ${known.join(", ")}` : `; did you mean ${near}?`;
}

// ---- What a transform makes ----

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

/** Values in state. What isn't of its type is left out, and so is what isn't known. */
export const stored = <S extends Shape>(shape: S, values: Values): Stored<z.infer<S>> =>
  fitted(shape, values, isUnknown) as Stored<z.infer<S>>;

declare const checked: unique symbol;
/** Of inputs that Check has let pass, now or before they came into state: values as a program gives them aren't of this type. */
export type Checked = { readonly [checked]: true };

/** The same of inputs as Check left them, of which a preview may not know all. */
export const previewed = <S extends Shape>(shape: S, values: Values): Preview<Stored<z.infer<S>>> & Checked =>
  fitted(shape, values) as Preview<Stored<z.infer<S>>> & Checked;

type Omits = (value: Value) => boolean;

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

function fitted(declared: z.core.$ZodType, value: Value | undefined, omits: Omits = () => false): Value | undefined {
  const type = bare(declared as z.ZodType);
  if (value === undefined || omits(value)) return undefined;
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
  const fits = values.map(value => fitted(type, value, omits));
  return fits.every((fit, index) => fit === values[index]) ? values : fits.filter(fit => fit !== undefined);
}
