import { metadataOf, type Shape } from "../../../kit/property.js";
import {
  type NamedTypeSpec,
  type PropertiesSpec,
  type PropertySpec,
  type TypeSpec,
  TypeSpecs,
} from "../../../kit/schema.js";
import { METADATA } from "../package-schema.js";
import { limitOf, shapesIn } from "./limits.js";
import { cell, code, link, nameOf, table } from "./markdown.js";

/** The tables of one page, and below them the named types they speak of. */
export class Tables {
  readonly #taken = new TypeSpecs(METADATA.name);
  readonly #shown = new TypeSpecs(METADATA.name);
  readonly #shapes: Record<string, Shape> = {};

  inputs(shape: Shape, { replacement = "" } = {}): string {
    Object.assign(this.#shapes, shapesIn(shape));
    return inputTable(this.#taken.inputs(shape), shape, { replacement });
  }

  outputs(shape: Shape, inputs: Shape): string {
    return outputTable(this.#shown.properties(shape), { shape, inputs });
  }

  settings(shape: Shape): string {
    const rows = Object.entries(this.#taken.properties(shape).properties).map(([name, spec]) => ({
      setting: code(`${METADATA.name}:${name}`),
      environment: (spec.defaultInfo?.environment ?? []).map(code).join(", "),
      type: typeText(spec),
      default: defaultText(spec),
      limits: limitIn(shape, name),
      secret: spec.secret ? "yes" : "",
      "": cell(spec.description),
    }));
    return table(rows);
  }

  types(): string[] {
    const [taken, shown] = [this.#taken.named, this.#shown.named];
    const sections = Object.entries({ ...shown, ...taken })
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([token, spec]) => [`### ${nameOf(token)}`, ...this.#type(nameOf(token), spec, token in taken)]);
    return sections.length === 0 ? [] : ["## Types", ...sections];
  }

  #type(name: string, spec: NamedTypeSpec, isTaken: boolean): string[] {
    if (spec.type === "string") return [`One of ${spec.enum.map(({ value }) => code(value)).join(", ")}.`];
    return [
      ...(spec.description ? [spec.description] : []),
      isTaken ? inputTable(spec, this.#shapes[name], { first: "property" }) : outputTable(spec),
    ];
  }
}

function inputTable(
  specs: PropertiesSpec,
  shape: Shape | undefined,
  { first = "input", replacement = "" }: { first?: string; replacement?: string },
): string {
  const rows = Object.entries(specs.properties).map(([name, spec]) => ({
    [first]: code(name),
    type: typeText(spec),
    required: specs.required.includes(name) ? "yes" : "",
    default: defaultText(spec),
    limits: limitIn(shape, name),
    secret: spec.secret ? "yes" : "",
    "a change means": spec.willReplaceOnChanges ? replacement : "",
    "": cell(spec.description),
  }));
  return table(rows);
}

function outputTable(specs: PropertiesSpec, of?: { readonly shape: Shape; readonly inputs: Shape }): string {
  const rows = Object.entries(specs.properties).map(([name, spec]) => ({
    [of ? "output" : "property"]: code(name),
    type: typeText(spec),
    "always there": specs.required.includes(name) ? "yes" : "",
    secret: spec.secret ? "yes" : secretWith(of ? (metadataOf(of.shape, name)?.derivedFrom ?? []) : [], of?.inputs),
    "": cell(spec.description),
  }));
  return table(rows);
}

function limitIn(shape: Shape | undefined, name: string): string {
  const type = shape?.shape[name];
  return type ? limitOf(type) : "";
}

function secretWith(derivedFrom: readonly string[], inputs: Shape | undefined): string {
  const known = derivedFrom.filter(name => inputs && name in inputs.shape);
  return known.length === 0 ? "" : `if ${known.map(code).join(" or ")} is`;
}

function typeText(spec: TypeSpec | PropertySpec): string {
  if ("$ref" in spec) {
    const name = spec.$ref.startsWith("#/types/") ? nameOf(spec.$ref) : (spec.$ref.split("/").at(-1) ?? "");
    return spec.$ref.startsWith("#/types/") ? link(name) : name.toLowerCase();
  }
  if (spec.type === "array") return `list of ${typeText(spec.items)}`;
  if (spec.type === "object") return `map of ${typeText(spec.additionalProperties)}`;
  return spec.type;
}

const defaultText = ({ default: value }: PropertySpec): string => (value === undefined ? "" : code(String(value)));
