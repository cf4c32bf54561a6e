import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { type Typed, typedValue } from "./check.js";
import { propertyMetadata, type Shape } from "./property.js";
import { mayBeAbsent, TypeSpecs } from "./schema.js";
import { isGiven, type Values } from "./values.js";

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

/** The types within a type, each with the step that leads to it. */
function partsOf(type: z.ZodType): (readonly [z.ZodType, step: string])[] {
  if (type instanceof z.ZodObject)
    return Object.entries((type as Shape).shape).map(([name, each]) => [each, `.${name}`]);
  if (type instanceof z.ZodArray) return [[type.element as z.ZodType, "[]"]];
  if (type instanceof z.ZodRecord) return [[type.valueType as z.ZodType, "{}"]];
  if (type instanceof z.ZodUnion) return type.options.map(option => [option as z.ZodType, ""] as const);
  if (mayBeAbsent(type) || type instanceof z.ZodDefault) return [[type.unwrap() as z.ZodType, ""]];
  return type instanceof z.ZodPipe ? [[type.in as z.ZodType, ""]] : [];
}
