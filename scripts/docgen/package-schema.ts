import type { FunctionDeclaration, ResourceDeclaration, Shape } from "../../kit/property.js";
import { packageSchema as schemaOf } from "../../kit/schema.js";
import { configInputs } from "../../provider/config.js";
import { resourceDeclarations } from "../../provider/declarations.js";
import { functionDeclarations } from "../../provider/functions/index.js";
import { documentation, type Example } from "./examples/example.js";
import { examples } from "./examples/index.js";
import { vocabularyOf } from "./examples/program.js";

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

export const METADATA = {
  name: "docsign",
  // The CLI names the Go module after it: github.com/<namespace>/pulumi-<name>/sdk/go.
  namespace: "pulumi-docsign",
  displayName: "Docsign",
  description:
    "Signed contracts as Pulumi resources: folders, documents, signers and certificates of an electronic signing service with NOM151 and blockchain certificates. It isn't DocuSign, and the package isn't affiliated with that company. Ids are strings of digits everywhere.",
  keywords: ["pulumi", "docsign", "electronic-signature", "contracts", "category/utility", "kind/native"],
  license: "Apache-2.0",
  publisher: "pulumi-docsign",
  homepage: "https://github.com/pulumi-docsign/pulumi-docsign",
  repository: "https://github.com/pulumi-docsign/pulumi-docsign",
  // Where engines look for a plugin that isn't installed; without it, at pulumi/pulumi-docsign.
  pluginDownloadURL: "github://api.github.com/pulumi-docsign/pulumi-docsign",
  logoUrl: "https://raw.githubusercontent.com/pulumi-docsign/pulumi-docsign/main/docs/images/logo.svg",
  attribution:
    "This package is built on the public interface of the document-signing service, and is not made by its operator.",
  meta: { moduleFormat: "(.*)" },
};

/** Names of the generated SDKs; docs/decisions/generated-sdk-names.md says why these. */
const LANGUAGES = {
  nodejs: {
    packageName: "pulumi-docsign",
    packageDescription:
      "Signed contracts as Pulumi resources, through the docsign plugin. Not DocuSign, and not affiliated with it.",
    respectSchemaVersion: true,
  },
  python: {
    packageName: "pulumi_docsign",
    respectSchemaVersion: true,
    pyproject: { enabled: true },
    inputTypes: "classes-and-dicts",
  },
  go: {
    importBasePath: "github.com/pulumi-docsign/pulumi-docsign/sdk/go/docsign",
    generateResourceContainerTypes: true,
    respectSchemaVersion: true,
  },
  csharp: { rootNamespace: "PulumiDocsign", respectSchemaVersion: true },
  java: { basePackage: "com.pulumidocsign" },
};
