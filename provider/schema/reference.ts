import type { Example } from "./examples/example.js";
import { type FunctionDeclaration, factsOf, type ResourceDeclaration, type Shape } from "./facts.js";
import { METADATA } from "./package-metadata.js";
import type { PackageDeclaration } from "./package-schema.js";
import { type NamedTypeSpec, type PropertiesSpec, type PropertySpec, type TypeSpec, TypeSpecs } from "./type-specs.js";

type Declaration = ResourceDeclaration | FunctionDeclaration;
type Examples = Readonly<Record<string, readonly Example[]>>;

/** The named types a page takes and those it tells. */
interface Types {
  readonly taken: TypeSpecs;
  readonly told: TypeSpecs;
}

const NOTICE = "<!-- Written by `node scripts/schema.mjs` off the declarations: change those. -->";

/** The reference pages by their path in the repository: what schema.json says, for people. */
export function referencePages(declaration: Omit<PackageDeclaration, "version">): Record<string, string> {
  const { resources, functions, config, examples = {} } = declaration;
  return {
    "docs/reference/resources.md": resourcesPage(resources, examples),
    "docs/reference/functions.md": functionsPage(functions, examples),
    "docs/reference/configuration.md": configurationPage(config),
  };
}

function resourcesPage(resources: readonly ResourceDeclaration[], examples: Examples): string {
  return page("Resources", resources, ({ token, inputs, outputs }, { taken, told }) => {
    const name = nameOf(token);
    const importing = (examples[token] ?? []).flatMap(example => example.importing ?? []);
    return [
      "### Inputs",
      inputTable(taken.properties(inputs), { replacement: `a new ${words(name)}` }),
      "### Outputs",
      outputTable(told.properties(outputs), { shape: outputs, inputs }),
      ...shown(examples[token]),
      "### Import",
      ...(importing.length > 0 ? importing : [`A ${words(name)} can't be imported.`]),
    ];
  });
}

function functionsPage(functions: readonly FunctionDeclaration[], examples: Examples): string {
  return page("Functions", functions, ({ token, inputs, outputs }, { taken, told }) => [
    "### Inputs",
    inputTable(taken.properties(inputs)),
    "### Outputs",
    outputTable(told.properties(outputs), { shape: outputs, inputs }),
    ...shown(examples[token]),
  ]);
}

function page<T extends Declaration>(
  title: string,
  declarations: readonly T[],
  section: (declaration: T, types: Types) => string[],
): string {
  const types = { taken: new TypeSpecs(METADATA.name), told: new TypeSpecs(METADATA.name) };
  const sections = declarations.flatMap(declaration => {
    const { token, description } = declaration;
    return [`## ${nameOf(token)}`, code(token), description, ...section(declaration, types)];
  });
  const contents = declarations.map(({ token }) => link(nameOf(token))).join(" · ");
  return document([`# ${title}`, contents, ...sections, ...typeSections(types)]);
}

const shown = (examples: readonly Example[] = []): string[] =>
  examples.flatMap(({ title, programs }) => ["### Example", `${title}:`, fenced(programs.yaml)]);

function configurationPage(config: Shape): string {
  const specs = new TypeSpecs(METADATA.name);
  const { properties } = specs.properties(config);
  const rows = Object.entries(properties).map(([name, spec]) => ({
    setting: code(`${METADATA.name}:${name}`),
    environment: (spec.defaultInfo?.environment ?? []).map(code).join(", "),
    type: typeText(spec),
    default: defaultText(spec),
    secret: spec.secret ? "yes" : "",
    "": cell(spec.description),
  }));
  return document(["# Settings", table(rows), ...typeSections({ taken: specs, told: new TypeSpecs(METADATA.name) })]);
}

function inputTable(specs: PropertiesSpec, { first = "input", replacement = "" } = {}): string {
  const rows = Object.entries(specs.properties).map(([name, spec]) => ({
    [first]: code(name),
    type: typeText(spec),
    required: specs.required.includes(name) ? "yes" : "",
    default: defaultText(spec),
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
    secret: spec.secret ? "yes" : secretWith(of ? (factsOf(of.shape, name)?.derivedFrom ?? []) : [], of?.inputs),
    "": cell(spec.description),
  }));
  return table(rows);
}

function secretWith(derivedFrom: readonly string[], inputs: Shape | undefined): string {
  const known = derivedFrom.filter(name => inputs && name in inputs.shape);
  return known.length === 0 ? "" : `if ${known.map(code).join(" or ")} is`;
}

function typeSections({ taken, told }: Types): string[] {
  const all = { ...told.named, ...taken.named };
  const sections = Object.entries(all)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([token, spec]) => [`### ${nameOf(token)}`, ...typeSection(spec, token in taken.named)]);
  return sections.length === 0 ? [] : ["## Types", ...sections];
}

function typeSection(spec: NamedTypeSpec, isTaken: boolean): string[] {
  if (spec.type === "string") return [`One of ${spec.enum.map(({ value }) => code(value)).join(", ")}.`];
  return [
    ...(spec.description ? [spec.description] : []),
    isTaken ? inputTable(spec, { first: "property" }) : outputTable(spec),
  ];
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

/** A table without the columns that are empty in every row. */
function table(rows: readonly Readonly<Record<string, string>>[]): string {
  const columns = Object.keys(rows[0] ?? {}).filter(column => rows.some(row => row[column] !== ""));
  const line = (cells: readonly string[]) => `|${cells.map(text => (text === "" ? " " : ` ${text} `)).join("|")}|`;
  return [
    line(columns),
    `|${columns.map(() => "---|").join("")}`,
    ...rows.map(row => line(columns.map(column => row[column] ?? ""))),
  ].join("\n");
}

const document = (blocks: readonly string[]): string => `${[NOTICE, ...blocks].join("\n\n")}\n`;
const nameOf = (token: string): string => token.split(":").at(-1) ?? token;
const words = (name: string): string => name.replace(/(?<=.)[A-Z]/g, letter => ` ${letter}`).toLowerCase();
const code = (text: string): string => `\`${text}\``;
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
const link = (name: string): string => `[${name}](#${name.toLowerCase()})`;
const fenced = (program: string): string => `\`\`\`yaml\n${program.trim()}\n\`\`\``;
