import type { FunctionDeclaration, ResourceDeclaration, Shape } from "../../kit/property.js";
import { packageSchema as schemaOf } from "../../kit/schema.js";
import { configInputs } from "../../provider/config.js";
import { resourceDeclarations } from "../../provider/declarations.js";
import { functionDeclarations } from "../../provider/functions/index.js";
import { documentation, type Example } from "./examples/example.js";
import { examples } from "./examples/index.js";
import { vocabularyOf } from "./examples/program.js";
import { LANGUAGES, METADATA } from "./package-metadata.js";

export interface PackageDeclaration {
  readonly version: string;
  readonly resources: readonly ResourceDeclaration[];
  readonly functions: readonly FunctionDeclaration[];
  readonly config: Shape;
  /** Programs shown in the descriptions, by token. */
  readonly examples?: Readonly<Record<string, readonly Example[]>>;
}

/** Our package: with programs in its descriptions. */
export function packageSchema({ examples = {}, ...declared }: PackageDeclaration): object {
  const vocabulary = vocabularyOf(METADATA.name, [...declared.resources, ...declared.functions]);
  return schemaOf({
    ...declared,
    metadata: METADATA,
    language: LANGUAGES,
    configDescription: "Where the service is, how to sign in, and how creating documents behaves.",
    describe: ({ token, description }) => documentation(description, examples[token] ?? [], vocabulary),
    // A program moves here from dynamic resources by its import line alone.
    aliases: token => [token.replace(/^docsign:index:/, "pulumi-nodejs:dynamic/docsign:")],
  });
}

/** Everything the package declares, except its version. */
export const packageDeclaration: Omit<PackageDeclaration, "version"> = {
  resources: resourceDeclarations,
  functions: functionDeclarations,
  config: configInputs,
  examples,
};
