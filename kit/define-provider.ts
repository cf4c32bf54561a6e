import { z } from "zod";
import { diffOf } from "./changes.js";
import { Declared, given, problemsOf } from "./check.js";
import type { Configuration, DefinedFunction, DefinedResource } from "./define.js";
import { metadataOf, propertiesWhere, type ResourceDeclaration, type Shape } from "./property.js";
import type { Provider } from "./provider.js";
import { type Diff, UserError } from "./resource.js";
import { bare, packageSchema, refuseUnkept } from "./schema.js";
import type { Secrecy } from "./secrets.js";
import type { Value, Values } from "./values.js";

export interface ProviderDefinition<S extends Shape, C> {
  /** Of the package: tokens begin with it. */
  readonly name: string;
  readonly version: string;
  readonly configuration?: Configuration<S, C>;
  readonly resources: readonly DefinedResource<C>[];
  readonly functions?: readonly DefinedFunction<C>[];
  /** What else the package schema says: `displayName`, `description`, `publisher`, `repository`, `pluginDownloadURL`, … */
  readonly package?: object;
  /** What the generators of SDKs are told, language by language. */
  readonly language?: object;
}

/** A whole provider, for `serve`. Throws where a declaration says what the kit wouldn't keep. */
export function defineProvider<S extends Shape, C>(definition: ProviderDefinition<S, C>): Provider {
  const { name, version, configuration, resources, functions = [], language } = definition;
  const config: Shape = configuration?.inputs ?? z.object({});
  const declarations = resources.map(({ declaration }) => declaration);
  refuseUnkept("the configuration", config);
  for (const { token, inputs, outputs, listInputs } of declarations)
    refuseUnkept(token, inputs, outputs, ...(listInputs ? [listInputs] : []));
  for (const { declaration } of functions) refuseUnkept(declaration.token, declaration.inputs, declaration.outputs);
  let settings: Values | undefined;
  let opened: Promise<C> | undefined;

  const open = (): Promise<C> => {
    opened ??= connect().catch(error => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  async function connect(): Promise<C> {
    if (!configuration) return undefined as C;
    const declared = new Declared(configuration.inputs, settings ?? {});
    const problems = declared.problems();
    if (problems.length > 0)
      throw new UserError(
        [`the ${name} provider isn't configured:`, ...problems.map(({ reason }) => `  - ${reason}`)].join("\n"),
      );
    return configuration.open(declared.values as z.infer<S>);
  }

  const served = byToken(resources.map(resource => resource.serve(open)));
  const answering = byToken(functions.map(fn => fn.serve(open)));
  return {
    name,
    version,
    autonames: declarations.some(({ inputs }) => propertiesWhere(inputs, meta => meta.autoname === true).length > 0),
    tokens: { resources: [...served.keys()], functions: [...answering.keys()] },
    schema: () =>
      JSON.stringify(
        packageSchema({
          metadata: { name, ...definition.package },
          ...{ version, config, resources: declarations },
          functions: functions.map(({ declaration }) => declaration),
          ...(language ? { language } : {}),
        }),
      ),
    checkConfig: news => ({ inputs: news, failures: problemsOf(config, settingsIn(config, news)) }),
    diffConfig,
    configure(values) {
      settings = settingsIn(config, values);
      opened = undefined;
    },
    resource: token => served.get(token),
    fn: token => answering.get(token),
    secrecy: secrecyIn(declarations, config),
    async close() {
      if (opened) await configuration?.close?.(await opened);
    },
  };
}

export const byToken = <T extends { readonly token: string }>(all: readonly T[]): Map<string, T> =>
  new Map(all.map(each => [each.token, each]));

/** What of each resource and of the configuration is secret, off the declarations. */
export function secrecyIn(resources: readonly ResourceDeclaration[], config: Shape): (token: string) => Secrecy {
  const none: Secrecy = { secretOutputs: [], derivedFrom: {} };
  const secretsIn = (shape: Shape) => propertiesWhere(shape, meta => meta.secret === true);
  const configured: Secrecy = { ...none, secretInputs: secretsIn(config) };
  const secrecies = new Map(
    resources.map(({ token, inputs, outputs }): [string, Secrecy] => {
      const derived = propertiesWhere(outputs, meta => meta.derivedFrom !== undefined);
      const derivedFrom = Object.fromEntries(derived.map(name => [name, metadataOf(outputs, name)?.derivedFrom ?? []]));
      return [token, { secretOutputs: secretsIn(outputs), secretInputs: secretsIn(inputs), derivedFrom }];
    }),
  );
  return token => (token.startsWith("pulumi:providers:") ? configured : (secrecies.get(token) ?? none));
}

/** Other settings are never a reason to replace what was made with the old ones. */
export function diffConfig(olds: Values, news: Values): Diff {
  const names = new Set([...Object.keys(olds), ...Object.keys(news)]);
  names.delete("version");
  const changed = [...names].filter(name => JSON.stringify(olds[name]) !== JSON.stringify(news[name]));
  const kind = (name: string) => (olds[name] === undefined ? "add" : news[name] === undefined ? "delete" : "update");
  return diffOf(changed.map(name => ({ name, path: name, what: kind(name), replaces: false })));
}

/** The settings among what the engine hands over, with defaults and the environment. A default provider's come as text. */
function settingsIn(config: Shape, values: Values): Values {
  const settings: Values = {};
  for (const [name, value] of Object.entries(given(values)))
    if (!ENGINE_KEYS.has(name)) settings[name] = typed(config.shape[name], value);
  for (const [name, type] of Object.entries(config.shape)) {
    const variable = metadataOf(config, name)?.env?.find(each => process.env[each]);
    if (settings[name] === undefined && variable !== undefined)
      settings[name] = typed(type, process.env[variable] ?? "");
  }
  return settings;
}

/** The engine's own keys among a provider's settings. */
export const ENGINE_KEYS = new Set(["version", "pluginDownloadURL", "pluginChecksums", "parameterization"]);

function typed(type: z.ZodType | undefined, value: Value): Value {
  if (type === undefined || typeof value !== "string" || bare(type) instanceof z.ZodString) return value;
  try {
    const read = JSON.parse(value) as Value;
    return type.safeParse(read).success ? read : value;
  } catch {
    return value;
  }
}
