import { z } from "zod";
import type { Value } from "./values.js";

/** What a property means beyond its type. Package schema, checks, diffs and reference pages are read off this. */
export interface PropertyMetadata {
  readonly description: string;
  /** Always a secret in state, whatever the program says. */
  readonly secret?: boolean;
  /** A change means a new resource. */
  readonly replaces?: boolean;
  /** Inputs this output is made of: if one of them is secret, so is the output. */
  readonly derivedFrom?: readonly string[];
  /** Name of the object or enum type in the package. */
  readonly typeName?: string;
  /** A Pulumi asset rather than a JSON value. */
  readonly asset?: boolean;
  /** A failure must not name the property: the engine prints a failing property's whole value. */
  readonly silent?: boolean;
  /** Left out, Check fills it in from the resource's own name. */
  readonly autoname?: boolean;
  /** What counts of a value: another for which this gives the same is no change. */
  compareBy?(value: never): Value;
  /** Environment variables that stand in for a provider setting. */
  readonly env?: readonly string[];
}

export const propertyMetadata = z.registry<PropertyMetadata>();

export function property<T extends z.ZodType>(
  type: T,
  meta: PropertyMetadata & { compareBy?(value: z.infer<T>): Value },
): T {
  const own = type.clone() as T;
  propertyMetadata.add(own, meta);
  return own;
}

export type Shape = z.ZodObject<Readonly<Record<string, z.ZodType>>>;

export function metadataOf(shape: Shape, name: string): PropertyMetadata | undefined {
  const type = shape.shape[name];
  return type && propertyMetadata.get(type);
}

/** What is meant where a property is left out. */
export function defaultOf(shape: Shape, name: string): unknown {
  const type = shape.shape[name];
  return type instanceof z.ZodDefault ? type.def.defaultValue : undefined;
}

/** Names of the properties for which `test` holds, in the order they are declared. */
export function propertiesWhere(shape: Shape, test: (meta: PropertyMetadata) => boolean): string[] {
  return Object.entries(shape.shape)
    .filter(([, type]) => {
      const meta = propertyMetadata.get(type);
      return meta !== undefined && test(meta);
    })
    .map(([name]) => name);
}

/** A data-source function as the package declares it. */
export interface FunctionDeclaration<I extends Shape = Shape, O extends Shape = Shape> {
  /** `files:index:count` */
  readonly token: string;
  readonly description: string;
  readonly inputs: I;
  readonly outputs: O;
}

/** The same of a resource. */
export interface ResourceDeclaration<I extends Shape = Shape, O extends Shape = Shape, Q extends Shape = Shape>
  extends FunctionDeclaration<I, O> {
  /** What a list of existing ones can be narrowed to; left out where they can't be listed. */
  readonly listInputs?: Q;
}
