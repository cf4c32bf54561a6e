import { z } from "zod";
import { propertyMetadata, type Shape } from "./property.js";
import { mayBeAbsent, TypeSpecs } from "./schema.js";

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
function partsOf(type: z.ZodType): (readonly [z.ZodType, step: string])[] {
  if (type instanceof z.ZodObject)
    return Object.entries((type as Shape).shape).map(([name, each]) => [each, `.${name}`]);
  if (type instanceof z.ZodArray) return [[type.element as z.ZodType, "[]"]];
  if (type instanceof z.ZodRecord) return [[type.valueType as z.ZodType, "{}"]];
  if (mayBeAbsent(type) || type instanceof z.ZodDefault) return [[type.unwrap() as z.ZodType, ""]];
  return type instanceof z.ZodPipe ? [[type.in as z.ZodType, ""]] : [];
}
