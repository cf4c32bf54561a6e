import type { FunctionDeclaration, ResourceDeclaration } from "../../../kit/property.js";
import { type Example, inEveryLanguage } from "../examples/example.js";
import { introduction } from "../examples/index.js";
import { type Vocabulary, vocabularyOf } from "../examples/program.js";
import { METADATA, type PackageDeclaration } from "../package-schema.js";
import { errorsOf } from "./errors.js";
import { LIMITS } from "./limits.js";
import { chooser, code, firstSentence, folded, kebab, nameOf, page, table, words } from "./markdown.js";
import { Tables } from "./tables.js";

type Declared = Omit<PackageDeclaration, "version">;
type Declaration = ResourceDeclaration | FunctionDeclaration;

/** The pages that are generated as a whole, by their path in the repository. `errors`: the page docs/errors.md. */
export function referencePages(
  { resources, functions, examples = {} }: Declared,
  errors: string,
): Record<string, string> {
  const vocabulary = vocabularyOf(METADATA.name, [...resources, ...functions]);
  const shown = (token: string) => ({ vocabulary, errors, examples: examples[token] ?? [] });
  return {
    "docs/reference/README.md": contents(resources, functions),
    ...Object.fromEntries(
      resources.map(each => [pathOf(each, "resources"), declarationPage("resource", each, shown(each.token))]),
    ),
    ...Object.fromEntries(
      functions.map(each => [pathOf(each, "functions"), declarationPage("function", each, shown(each.token))]),
    ),
  };
}

/** What is generated into pages that are written by hand: path, name of the place, text. */
export function referencePlaces({
  resources,
  functions,
  config,
  version,
}: PackageDeclaration): Record<string, Record<string, string>> {
  const tables = new Tables();
  const settings = [
    tables.settings(config),
    ...tables.types().map(block => block.replace(/^## Types$/, "Their values:")),
  ];
  const programs = inEveryLanguage(introduction, vocabularyOf(METADATA.name, [...resources, ...functions]));
  return {
    "docs/_index.md": { example: chooser(programs) },
    "docs/installation-configuration.md": { settings: settings.join("\n\n") },
    "docs/from-a-clone.md": { archive: archive(version) },
  };
}

const archive = (version: string): string =>
  [
    "```sh",
    "npm run archives -- --here",
    `pulumi plugin install resource ${METADATA.name} ${version} --file dist/archives/pulumi-resource-${METADATA.name}-v${version}-linux-amd64.tar.gz`,
    "```",
  ].join("\n");

interface Shown {
  readonly vocabulary: Vocabulary;
  readonly errors: string;
  readonly examples: readonly Example[];
}

function declarationPage(
  kind: "resource" | "function",
  { token, description, inputs, outputs }: Declaration,
  { vocabulary, errors, examples }: Shown,
): string {
  const [name, tables] = [nameOf(token), new Tables()];
  const limits = LIMITS[name];
  if (!limits) throw new Error(`${name} has no limits in scripts/docgen/reference/limits.ts`);
  const isResource = kind === "resource";
  const importing = examples.flatMap(example => example.importing ?? []);
  return page([
    `# ${name}`,
    code(token),
    description,
    "## Example",
    "Each is a whole program: it runs as copied once the plugin's archive is [installed](../../from-a-clone.md#the-plugin). Without that, `plugins:` in `Pulumi.yaml` says where the plugin is.",
    ...examples.flatMap(({ title, program }) => [`${title}:`, folded(inEveryLanguage(program, vocabulary))]),
    "## Inputs",
    tables.inputs(inputs, isResource ? { replacement: `a new ${words(name)}` } : {}),
    "## Outputs",
    tables.outputs(outputs, inputs),
    ...(isResource
      ? ["## Import", ...(importing.length > 0 ? importing : [`A ${words(name)} can't be imported.`])]
      : []),
    "## Limits",
    limits.map(line => `- ${line}`).join("\n"),
    "## Errors",
    ...errorsOf(name, kind, errors),
    ...tables.types(),
  ]);
}

function contents(resources: readonly Declaration[], functions: readonly Declaration[]): string {
  const rows = (all: readonly Declaration[], folder: string) =>
    table(
      all.map(({ token, description }) => ({
        [folder.slice(0, -1)]: `[${nameOf(token)}](${folder}/${kebab(nameOf(token))}.md)`,
        "": firstSentence(description),
      })),
    );
  return page([
    "# Reference",
    "A page for each, off the declarations: example, inputs, outputs, import, limits, errors.",
    rows(resources, "resources"),
    rows(functions, "functions"),
    "Settings: [installation and configuration](../installation-configuration.md). [All errors](../errors.md).",
  ]);
}

const pathOf = ({ token }: Declaration, folder: string): string =>
  `docs/reference/${folder}/${kebab(nameOf(token))}.md`;

const markOf = (place: string) => ({
  begin: `<!-- ${place}: written by \`node scripts/schema.mjs\` off the declarations -->`,
  end: `<!-- end of ${place} -->`,
});

/** A page with its generated places filled in. */
export function withPlaces(text: string, places: Readonly<Record<string, string>>): string {
  return Object.entries(places).reduce((page, [place, content]) => {
    const { begin, end } = markOf(place);
    const [at, until] = [page.indexOf(begin), page.indexOf(end)];
    if (at < 0 || until < at) throw new Error(`no place for ${place}: a page needs the lines ${begin} and ${end}`);
    return `${page.slice(0, at)}${begin}\n\n${content}\n\n${page.slice(until)}`;
  }, text);
}
