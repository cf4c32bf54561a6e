import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { root } from "../../support/engine/found.js";

// Pulumi's SDK brings a parser.
const { load } = createRequire(createRequire(import.meta.url).resolve("@pulumi/pulumi/package.json"))("js-yaml") as {
  load(text: string): unknown;
};

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
export type Mapping = { readonly [name: string]: Json };
export const parseYaml = (text: string): Mapping => load(text) as Mapping;

interface Spec {
  readonly type?: string;
  readonly $ref?: string;
  readonly items?: Spec;
  readonly properties?: Record<string, Spec>;
  readonly required?: readonly string[];
  readonly enum?: readonly { readonly value: string }[];
  readonly inputProperties?: Record<string, Spec>;
  readonly requiredInputs?: readonly string[];
  readonly inputs?: Spec;
  readonly outputs?: Spec;
}
const schema = JSON.parse(readFileSync(join(root, "schema.json"), "utf8")) as {
  types: Record<string, Spec>;
  provider: Spec;
  resources: Record<string, Spec>;
  functions: Record<string, Spec>;
};

const OPTIONS = [
  "deleteBeforeReplace",
  "customTimeouts",
  "dependsOn",
  "ignoreChanges",
  "protect",
  "provider",
  "import",
];
const PARTS = ["name", "runtime", "description", "plugins", "config", "resources", "variables", "outputs"];
const isMapping = (value: Json | undefined): value is Mapping =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const entries = (value: Json | undefined): [string, Json][] => (isMapping(value) ? Object.entries(value) : []);
const full = (token: string): string => token.replace(/^docsign:(?!index:)/, "docsign:index:");

/** What a program, or a part of one, says that the package's schema doesn't have. */
export function problemsOf(program: Mapping): string[] {
  const problems = Object.keys(program)
    .filter(part => !PARTS.includes(part))
    .map(part => `${part} is no part of a program`);
  const outputs = new Map<string, Record<string, Spec>>();
  for (const [name, resource] of entries(program["resources"])) {
    const { type, properties, options } = resource as { type: string; properties?: Json; options?: Json };
    const spec = type === "pulumi:providers:docsign" ? schema.provider : schema.resources[full(type)];
    if (!spec) problems.push(`${name}: no resource ${type}`);
    else {
      const shape = { properties: spec.inputProperties ?? {}, required: spec.requiredInputs ?? [] };
      problems.push(...wrongIn(name, shape, properties ?? {}));
      outputs.set(name, spec.properties ?? {});
    }
    for (const [option] of entries(options))
      if (!OPTIONS.includes(option)) problems.push(`${name}: no option ${option}`);
  }
  for (const [name, variable] of entries(program["variables"])) {
    const invoke = entries(variable).find(([key]) => key === "fn::invoke")?.[1] as {
      function?: string;
      arguments?: Json;
    };
    const spec = invoke && schema.functions[full(invoke.function ?? "")];
    if (!spec) problems.push(`${name}: no function ${invoke?.function}`);
    else {
      problems.push(...wrongIn(name, spec.inputs ?? {}, invoke.arguments ?? {}));
      outputs.set(name, spec.outputs?.properties ?? {});
    }
  }
  for (const [, path = ""] of JSON.stringify(program).matchAll(/\$\{([^}]+)\}/g)) {
    const [name = "", ...steps] = path.split(/[.[]/);
    let properties = outputs.get(name);
    if (!properties) problems.push(`\${${path}}: nothing is called ${name}`);
    for (const step of properties ? steps : []) {
      const found: Spec | undefined = properties?.[step];
      if (!found && properties) problems.push(`\${${path}}: no output ${step}`);
      properties = found?.$ref ? schema.types[found.$ref.replace("#/types/", "")]?.properties : undefined;
    }
  }
  return problems;
}

function wrongIn(where: string, { properties = {}, required = [] }: Spec, given: Json): string[] {
  if (!isMapping(given)) return [`${where} isn't a mapping`];
  const missing = required.filter(name => !(name in given)).map(name => `${where}.${name} is missing`);
  return [
    ...missing,
    ...Object.entries(given).flatMap(([name, value]) => {
      const spec = properties[name];
      return spec ? wrongAt(`${where}.${name}`, spec, value) : [`${where}.${name} isn't there`];
    }),
  ];
}

function wrongAt(where: string, spec: Spec, value: Json): string[] {
  if (typeof value === "string" && value.includes("${")) return [];
  if (spec.$ref === "pulumi.json#/Asset")
    return isMapping(value) && "fn::fileAsset" in value ? [] : [`${where} isn't an asset`];
  if (spec.$ref === "pulumi.json#/Any") return [];
  if (spec.items) {
    const { items } = spec;
    return Array.isArray(value)
      ? value.flatMap((item, at) => wrongAt(`${where}[${at}]`, items, item))
      : [`${where} isn't a list`];
  }
  const named = spec.$ref ? schema.types[spec.$ref.replace("#/types/", "")] : undefined;
  if (named?.enum) return named.enum.some(each => each.value === value) ? [] : [`${where} isn't one of its values`];
  if (named) return wrongIn(where, named, value);
  const wanted = spec.type === "integer" ? "number" : spec.type;
  return typeof value === wanted ? [] : [`${where} isn't a ${spec.type}`];
}

/** Paths of the files that a program names. */
export function assetsIn(value: unknown): string[] {
  const found = [...JSON.stringify(value).matchAll(/"fn::fileAsset":"([^"]+)"/g)].map(([, path = ""]) => path);
  return [...new Set(found.map(path => path.replace(/^\.\//, "")))];
}

/** What prints a variable in a template. */
function printed(name: string, value: Json): string {
  if (!Array.isArray(value)) return `{{${name}}}\n`;
  const [item] = value;
  const fields = isMapping(item) ? Object.keys(item) : ["this"];
  return `{{#each ${name}}}\n${fields.map(field => `{{${field}}}\n`).join("\n")}\n{{/each}}\n`;
}

/** A file that suits what names it: a table with its columns, a template with its variables, or a PDF. */
export function contentOf(path: string, resources: Mapping): string {
  const naming = (property: string): Mapping =>
    mappingsIn(resources).find(({ [property]: asset }) => JSON.stringify(asset ?? "").includes(path)) ?? {};
  if (path.endsWith(".md")) {
    return Object.entries(naming("template")["variables"] ?? {})
      .map(([name, value]) => printed(name, value as Json))
      .join("\n");
  }
  if (!path.endsWith(".csv")) return "%PDF-1.7\n%%EOF\n";
  const cells = JSON.stringify(naming("table")).matchAll(/\{\{(\w+)\}\}/g);
  const columns = [...new Set([...cells].map(([, column = ""]) => column))];
  return `${columns.join(",")}\n${columns.map(column => `${column}@example.com`).join(",")}\n`;
}

const mappingsIn = (value: Json): Mapping[] =>
  value === null || typeof value !== "object"
    ? []
    : [...(Array.isArray(value) ? [] : [value as Mapping]), ...Object.values(value).flatMap(mappingsIn)];
