import { z } from "zod";
import {
  defaultOf,
  type FunctionDeclaration,
  metadataOf,
  type PropertyMetadata,
  propertyMetadata,
  type ResourceDeclaration,
  type Shape,
} from "./property.js";

/** A type as Pulumi's package schema spells it. */
export type TypeSpec =
  | { readonly type: "string" | "integer" | "number" | "boolean" }
  | { readonly type: "array"; readonly items: TypeSpec }
  | { readonly type: "object"; readonly additionalProperties: TypeSpec }
  | { readonly $ref: string };

export type PropertySpec = TypeSpec & {
  readonly description: string;
  readonly default?: string | number | boolean;
  readonly defaultInfo?: { readonly environment: readonly string[] };
  readonly secret?: true;
  readonly willReplaceOnChanges?: true;
};

export interface PropertiesSpec {
  readonly properties: Readonly<Record<string, PropertySpec>>;
  readonly required: readonly string[];
}

export type NamedTypeSpec = { readonly description?: string } & (
  | ({ readonly type: "object" } & PropertiesSpec)
  | { readonly type: "string"; readonly enum: readonly { readonly value: string }[] }
);

const ASSET: TypeSpec = { $ref: "pulumi.json#/Asset" };
const ANY: TypeSpec = { $ref: "pulumi.json#/Any" };

/** Reads types off declarations, and collects those that have a name of their own in the package. */
export class TypeSpecs {
  readonly #named = new Map<string, NamedTypeSpec>();

  constructor(private readonly packageName: string) {}

  /** The named types met so far, by token, in alphabetical order. */
  get named(): Record<string, NamedTypeSpec> {
    const byToken = [...this.#named].map(([name, spec]) => [this.#token(name), spec] as const);
    return Object.fromEntries(byToken.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The properties of a shape, in the order they are declared. */
  properties(shape: Shape, within = ""): PropertiesSpec {
    const entries = Object.entries(shape.shape);
    return {
      properties: Object.fromEntries(entries.map(([name]) => [name, this.#property(shape, name, within)])),
      required: entries.filter(([, type]) => !mayBeAbsent(type)).map(([name]) => name),
    };
  }

  /** What has a default or gets a name isn't required of a program. */
  inputs(shape: Shape): PropertiesSpec {
    const { properties, required } = this.properties(shape);
    const isFilled = (name: string) =>
      defaultOf(shape, name) !== undefined || metadataOf(shape, name)?.autoname === true;
    return { properties, required: required.filter(name => !isFilled(name)) };
  }

  /**
   * A property that is an input as well has no default here, and replaces nothing. What is secret is so in each answer: the
   * schema's word for it would write the names of such outputs into the state of each resource.
   */
  outputs(shape: Shape): PropertiesSpec {
    const { properties, required } = this.properties(shape);
    const asOutput = ({ default: _, secret, willReplaceOnChanges, ...spec }: PropertySpec): PropertySpec => spec;
    return { properties: mapped(properties, asOutput), required };
  }

  #property(shape: Shape, name: string, within: string): PropertySpec {
    const meta = metadataOf(shape, name);
    const type = shape.shape[name];
    const byDefault = defaultOf(shape, name);
    if (!meta || !type) throw new Error(`property ${within}${name} is declared without its facts`);
    const spec = this.#type(`${within}${name}`, type, meta);
    const isText = "type" in spec && spec.type === "string";
    return {
      ...spec,
      description: isId(bare(type)) ? `${meta.description} A string of digits.` : meta.description,
      ...(isScalar(byDefault) ? { default: isText ? String(byDefault) : byDefault } : {}),
      ...(meta.env ? { defaultInfo: { environment: meta.env } } : {}),
      ...(meta.secret ? { secret: true } : {}),
      ...(meta.replaces ? { willReplaceOnChanges: true } : {}),
    };
  }

  #type(path: string, declared: z.ZodType, meta = propertyMetadata.get(declared)): TypeSpec {
    if (meta?.asset) return ASSET;
    const type = bare(declared);
    const own = namedFacts(type) ?? meta;
    if (type instanceof z.ZodString || type instanceof z.ZodStringFormat) return { type: "string" };
    if (type instanceof z.ZodBoolean) return { type: "boolean" };
    if (type instanceof z.ZodNumber) return { type: type.isInt ? "integer" : "number" };
    if (type instanceof z.ZodArray) return { type: "array", items: this.#type(`${path}[]`, type.element as z.ZodType) };
    if (type instanceof z.ZodRecord)
      return { type: "object", additionalProperties: this.#type(`${path}{}`, type.valueType as z.ZodType) };
    if (type instanceof z.ZodUnknown) return ANY;
    if (isTextOrNumber(type)) return { type: "string" };
    if (type instanceof z.ZodEnum) return this.#enum(path, type, own);
    if (type instanceof z.ZodObject) return this.#object(path, type as Shape, own);
    throw new Error(`${path}: expected a type that the package schema has a word for, got ${type.def.type}`);
  }

  #object(path: string, shape: Shape, meta: PropertyMetadata | undefined): TypeSpec {
    const described = meta ? { description: meta.description } : {};
    const { properties, required } = this.properties(shape, `${path}.`);
    const given = required.filter(name => defaultOf(shape, name) === undefined);
    return this.#name(path, meta, { ...described, type: "object", properties, required: given });
  }

  #enum(path: string, type: z.ZodEnum, meta: PropertyMetadata | undefined): TypeSpec {
    const values = type.options.map(value => {
      if (typeof value !== "string") throw new Error(`${path}: expected an enum of texts, got one of ${value}`);
      return { value };
    });
    return this.#name(path, meta, { type: "string", enum: values });
  }

  #name(path: string, meta: PropertyMetadata | undefined, spec: NamedTypeSpec): TypeSpec {
    const name = meta?.typeName;
    if (name === undefined)
      throw new Error(`${path}: expected a typeName of an object or enum, got none: ${JSON.stringify(spec)}`);
    const known = this.#named.get(name);
    if (known && shapeOf(known) !== shapeOf(spec)) throw new Error(`two different types are called ${name}`);
    if (!known) this.#named.set(name, spec);
    return { $ref: `#/types/${this.#token(name)}` };
  }

  #token(name: string): string {
    return `${this.packageName}:index:${name}`;
  }
}

/** A property may describe a shared type in words of its own; the type keeps those it was named with. */
function namedFacts(type: z.ZodType): PropertyMetadata | undefined {
  const { parent } = type._zod;
  const inherited = parent && namedFacts(parent as z.ZodType);
  return inherited?.typeName === undefined ? propertyMetadata.get(type) : inherited;
}

const shapeOf = ({ description, ...shape }: NamedTypeSpec): string => JSON.stringify(shape);

/** The schema has no word for null: what may be null isn't required. */
export const mayBeAbsent = (type: z.ZodType) => type instanceof z.ZodOptional || type instanceof z.ZodNullable;

/** The type that a program writes: without what may be absent, and before it is transformed. */
export function bare(type: z.ZodType): z.ZodType {
  if (mayBeAbsent(type) || type instanceof z.ZodDefault) return bare(type.unwrap() as z.ZodType);
  return type instanceof z.ZodPipe ? bare(type.in as z.ZodType) : type;
}

/** Other defaults are the kit's to fill in: the engine takes none of them in a schema. */
const isScalar = (value: unknown): value is string | number | boolean =>
  ["string", "number", "boolean"].includes(typeof value);

/** Names of the properties that are assets, or lists of them. */
export function assetsIn(shape: Shape): string[] {
  const holdsAsset = (type: z.ZodType): boolean => {
    if (propertyMetadata.get(type)?.asset) return true;
    const inner = bare(type);
    return inner instanceof z.ZodArray && holdsAsset(inner.element as z.ZodType);
  };
  return Object.entries(shape.shape).flatMap(([name, type]) => (holdsAsset(type) ? [name] : []));
}

/** Ids and durations: SDKs differ in how wide an integer is, so the package takes the string. */
export const isTextOrNumber = (type: z.ZodType): type is z.ZodUnion =>
  type instanceof z.ZodUnion &&
  type.options.every(option => option instanceof z.ZodString || option instanceof z.ZodNumber);

/** Names of what is written as a text; an id may be one. */
export const textsOf = <S extends Shape>(shape: S): (keyof z.infer<S> & string)[] =>
  Object.entries(shape.shape).flatMap(([name, type]) =>
    bare(type) instanceof z.ZodString || isTextOrNumber(bare(type)) ? [name as keyof z.infer<S> & string] : [],
  );

const isId = (type: z.ZodType): boolean =>
  isTextOrNumber(type) && type.options.some(option => option instanceof z.ZodNumber && option.isInt);

export interface PackageDeclaration {
  /** What a package is besides its resources and functions. */
  readonly metadata: { readonly name: string };
  readonly version: string;
  readonly resources: readonly ResourceDeclaration[];
  readonly functions: readonly FunctionDeclaration[];
  readonly config: Shape;
  /** Of the configuration. */
  readonly configDescription?: string;
  /** What the generators of SDKs are told, language by language. */
  readonly language?: object;
  /** A description as SDKs and the Registry show it. */
  describe?(declared: { readonly token: string; readonly description: string }): string;
  /** Other types that a program may move here from. */
  aliases?(token: string): readonly string[];
}

/** The package as Pulumi's code generators, the Registry and the YAML host read it: all of it off the declarations. */
export function packageSchema(declared: PackageDeclaration): object {
  const { metadata, version, resources, functions, config, configDescription, language } = declared;
  const types = new TypeSpecs(metadata.name);
  const settings = types.inputs(config);
  const describe = declared.describe ?? (({ description }) => description);

  const resourceSpecs = resources.map(resource => {
    const inputs = types.inputs(resource.inputs);
    const outputs = types.outputs(resource.outputs);
    const aliases = declared.aliases?.(resource.token) ?? [];
    const spec = {
      description: describe(resource),
      ...(aliases.length > 0 ? { aliases: aliases.map(type => ({ type })) } : {}),
      properties: outputs.properties,
      required: outputs.required,
      inputProperties: inputs.properties,
      requiredInputs: inputs.required,
      // The CLI offers `pulumi do <type> list` where this is there.
      ...(resource.listInputs ? { listInputs: { type: "object", ...types.inputs(resource.listInputs) } } : {}),
    };
    return [resource.token, spec];
  });
  const functionSpecs = functions.map(fn => {
    const spec = {
      description: describe(fn),
      inputs: { type: "object", ...types.inputs(fn.inputs) },
      outputs: { type: "object", ...types.outputs(fn.outputs) },
    };
    return [fn.token, spec];
  });

  return {
    ...metadata,
    version,
    ...(language ? { language } : {}),
    config: { variables: mapped(settings.properties, asVariable), defaults: settings.required },
    types: types.named,
    provider: {
      ...(configDescription ? { description: configDescription } : {}),
      properties: mapped(settings.properties, asOutput),
      required: settings.required,
      inputProperties: mapped(settings.properties, asProviderInput),
      requiredInputs: settings.required,
    },
    resources: Object.fromEntries(resourceSpecs),
    functions: Object.fromEntries(functionSpecs),
  };
}

/** As text: Go's generator writes code that doesn't compile for a variable of an enum type. */
function asVariable(spec: PropertySpec): PropertySpec {
  if (!("$ref" in spec)) return spec;
  const { $ref, ...rest } = spec;
  return { type: "string", ...rest };
}

/**
 * The plugin reads the environment itself. An SDK that did so as well would write what it finds into state, and a key
 * found there would contradict a login that the program sets.
 */
function asProviderInput({ defaultInfo, ...spec }: PropertySpec): PropertySpec {
  if (!defaultInfo) return spec;
  return {
    ...spec,
    description: `${spec.description} Left out: ${defaultInfo.environment.map(name => `\`${name}\``).join(" or ")} of the environment.`,
  };
}

/** The engine keeps a provider's secrets secret where they are outputs as well. */
function asOutput({ defaultInfo, default: _, ...spec }: PropertySpec): PropertySpec {
  return spec;
}

const mapped = (properties: Readonly<Record<string, PropertySpec>>, map: (spec: PropertySpec) => PropertySpec) =>
  Object.fromEntries(Object.entries(properties).map(([name, spec]) => [name, map(spec)]));

// ---- What the schema can't say ----

/** What counts at a top-level property alone: nothing looks for it within one. */
const TOP_LEVEL = ["secret", "replaces", "autoname", "derivedFrom", "compareBy", "env", "silent"] as const;

/** Throws where a declaration says what the kit wouldn't keep, or what the package schema can't say. */
export function refuseUnkept(declared: string, ...shapes: readonly Shape[]): void {
  const types = new TypeSpecs("");
  try {
    for (const shape of shapes) {
      types.properties(shape);
      for (const [name, type] of Object.entries(shape.shape)) refuseNested(name, type);
    }
  } catch (error) {
    throw new Error(`${declared}: ${error instanceof Error ? error.message : error}`);
  }
}

function refuseNested(path: string, type: z.ZodType): void {
  for (const [part, step] of partsOf(type)) {
    const facts = propertyMetadata.get(part);
    const fact = TOP_LEVEL.find(each => facts?.[each]);
    if (fact) throw new Error(`${path}${step}: expected ${fact} at a top-level property alone, got it at a nested one`);
    refuseNested(`${path}${step}`, part);
  }
}

/** The types within a type, each with the step that leads to it. */
export function partsOf(type: z.ZodType): (readonly [z.ZodType, step: string])[] {
  if (type instanceof z.ZodObject)
    return Object.entries((type as Shape).shape).map(([name, each]) => [each, `.${name}`]);
  if (type instanceof z.ZodArray) return [[type.element as z.ZodType, "[]"]];
  if (type instanceof z.ZodRecord) return [[type.valueType as z.ZodType, "{}"]];
  if (type instanceof z.ZodUnion) return type.options.map(option => [option as z.ZodType, ""] as const);
  if (mayBeAbsent(type) || type instanceof z.ZodDefault) return [[type.unwrap() as z.ZodType, ""]];
  return type instanceof z.ZodPipe ? [[type.in as z.ZodType, ""]] : [];
}
