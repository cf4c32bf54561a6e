/** A fixture to begin with: each resource and function of a schema with what it requires. */
import {
  get,
  type ObjectSpec,
  type PackageSpec,
  type PropertySpec,
  type TypeSpec,
  takesAsset,
  typeToken,
} from "./schema.js";

export function draft(spec: PackageSpec): string {
  const resources = Object.entries(spec.resources ?? {}).filter(([, { isComponent }]) => !isComponent);
  // A method of a provider or a resource takes what it belongs to.
  const functions = Object.entries(spec.functions ?? {}).filter(
    ([, { inputs }]) => !get(inputs?.properties, "__self__"),
  );
  const file = {
    config: required({ properties: spec.config?.variables ?? {}, required: spec.config?.required ?? [] }, spec),
    resources: Object.fromEntries(
      resources.map(([token, { inputProperties: properties = {}, requiredInputs = [] }]) => [
        token,
        { inputs: required({ properties, required: requiredInputs }, spec) },
      ]),
    ),
    functions: Object.fromEntries(functions.map(([token, { inputs = {} }]) => [token, required(inputs, spec)])),
  };
  return `${JSON.stringify(file, undefined, 2)}\n`;
}

const required = ({ properties = {}, required: keys = [] }: ObjectSpec, spec: PackageSpec, depth = 0): object =>
  Object.fromEntries(keys.map(key => [key, value(get(properties, key) ?? {}, spec, depth)]));

function value(property: PropertySpec, spec: PackageSpec, depth: number): unknown {
  const plain = unmarked(property, spec, depth);
  return property.secret ? { $secret: plain } : plain;
}

function unmarked(type: PropertySpec, spec: PackageSpec, depth: number): unknown {
  if (type.const !== undefined) return type.const;
  if (type.default !== undefined) return type.default;
  if (takesAsset(type)) return { $asset: { text: "text" } };
  if (type.$ref === "pulumi.json#/Archive") return { $archive: { assets: {} } };
  const named = get(spec.types, typeToken(type.$ref ?? "") ?? "");
  if (named?.enum) return named.enum[0]?.value;
  // A type may hold itself.
  if (named) return depth < 5 ? required(named, spec, depth + 1) : {};
  const [first] = type.oneOf ?? [];
  if (first) return unmarked(first as TypeSpec, spec, depth);
  return (
    { string: "text-{{unique}}", integer: 1, number: 1, boolean: true, array: [], object: {} }[type.type ?? ""] ?? {}
  );
}
