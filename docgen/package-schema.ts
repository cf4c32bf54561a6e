import type { FunctionDeclaration, ResourceDeclaration, Shape } from "../provider/schema/property.js";
import { documentation, type Example } from "./examples/example.js";
import { vocabularyOf } from "./examples/vocabulary.js";
import { LANGUAGES, METADATA } from "./package-metadata.js";
import { type PropertySpec, TypeSpecs } from "./type-specs.js";

export interface PackageDeclaration {
  readonly version: string;
  readonly resources: readonly ResourceDeclaration[];
  readonly functions: readonly FunctionDeclaration[];
  readonly config: Shape;
  /** Programs shown in the descriptions, by token. */
  readonly examples?: Readonly<Record<string, readonly Example[]>>;
}

/** The package as Pulumi's code generators, the Registry and the YAML host read it: all of it off the declarations. */
export function packageSchema({ version, resources, functions, config, examples = {} }: PackageDeclaration): object {
  const types = new TypeSpecs(METADATA.name);
  const settings = types.properties(config);
  const vocabulary = vocabularyOf(METADATA.name, [...resources, ...functions]);
  const describe = ({ token, description }: { token: string; description: string }) =>
    documentation(description, examples[token] ?? [], vocabulary);

  const resourceSpecs = resources.map(resource => {
    const inputs = types.properties(resource.inputs);
    const outputs = types.properties(resource.outputs);
    const spec = {
      description: describe(resource),
      // A program moves here from dynamic resources by its import line alone.
      aliases: [{ type: resource.token.replace(/^docsign:index:/, "pulumi-nodejs:dynamic/docsign:") }],
      properties: outputs.properties,
      required: outputs.required,
      inputProperties: inputs.properties,
      requiredInputs: inputs.required,
      // The CLI offers `pulumi do <type> list` where this is there.
      ...(resource.listInputs ? { listInputs: { type: "object", ...types.properties(resource.listInputs) } } : {}),
    };
    return [resource.token, spec];
  });
  const functionSpecs = functions.map(fn => {
    const spec = {
      description: describe(fn),
      inputs: { type: "object", ...types.properties(fn.inputs) },
      outputs: { type: "object", ...types.properties(fn.outputs) },
    };
    return [fn.token, spec];
  });

  return {
    ...METADATA,
    version,
    language: LANGUAGES,
    config: { variables: mapped(settings.properties, asVariable), defaults: settings.required },
    types: types.named,
    provider: {
      description: "Where the service is, how to sign in, and how creating documents behaves.",
      properties: mapped(settings.properties, asOutput),
      required: settings.required,
      inputProperties: mapped(settings.properties, asProviderInput),
      requiredInputs: settings.required,
    },
    resources: Object.fromEntries(resourceSpecs),
    functions: Object.fromEntries(functionSpecs),
  };
}

/** As text: Go's generator writes code that doesn't compile for a variable of an enum type. */
function asVariable(spec: PropertySpec): PropertySpec {
  if (!("$ref" in spec)) return spec;
  const { $ref, ...rest } = spec;
  return { type: "string", ...rest };
}

/**
 * The plugin reads the environment itself. An SDK that did so as well would write what it finds into state, and a key
 * found there would contradict a login that the program sets.
 */
function asProviderInput({ defaultInfo, ...spec }: PropertySpec): PropertySpec {
  if (!defaultInfo) return spec;
  return {
    ...spec,
    description: `${spec.description} Left out: ${defaultInfo.environment.map(code).join(" or ")} of the environment.`,
  };
}

/** The engine keeps a provider's secrets secret where they are outputs as well. */
function asOutput({ defaultInfo, default: _, ...spec }: PropertySpec): PropertySpec {
  return spec;
}

const code = (text: string): string => `\`${text}\``;

const mapped = (properties: Readonly<Record<string, PropertySpec>>, map: (spec: PropertySpec) => PropertySpec) =>
  Object.fromEntries(Object.entries(properties).map(([name, spec]) => [name, map(spec)]));
