/** Where a resource takes numbers. */
import { get, type PackageSpec, type TypeSpec, typeToken } from "./schema.js";
import { isList, isValues, type Value, type Values } from "./values.js";

interface NumberProperty {
  readonly path: string;
  /** The program with another number there. */
  at(number: number): Values;
}

/** Where the schema has a number, and the program a value around it. */
export function* numbersIn(
  spec: PackageSpec,
  properties: Readonly<Record<string, TypeSpec>>,
  values: Values,
): Generator<NumberProperty> {
  for (const [key, type] of Object.entries(properties))
    for (const { path, at } of numbersOf(spec, type, values.get(key)))
      yield { path: `${key}${path}`, at: number => new Map([...values, [key, at(number)]]) };
}

function* numbersOf(
  spec: PackageSpec,
  type: TypeSpec,
  value: Value | undefined,
): Generator<{ path: string; at(number: number): Value }> {
  if (type.type === "number" || type.type === "integer") yield { path: "", at: number => number };
  const { properties } = get(spec.types, typeToken(type.$ref ?? "") ?? "") ?? {};
  if (properties && isValues(value))
    for (const { path, at } of numbersIn(spec, properties, value)) yield { path: `.${path}`, at };
  if (type.items && isList(value)) {
    const [first, ...rest] = value;
    for (const { path, at } of numbersOf(spec, type.items, first))
      yield { path: `[0]${path}`, at: number => [at(number), ...rest] };
  }
  if (type.additionalProperties && isValues(value))
    for (const [key, each] of [...value].slice(0, 1))
      for (const { path, at } of numbersOf(spec, type.additionalProperties, each))
        yield { path: `[${JSON.stringify(key)}]${path}`, at: number => new Map([...value, [key, at(number)]]) };
}
