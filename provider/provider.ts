import type { Provider } from "../kit/provider.js";
import type { Secrecy } from "../kit/secrets.js";
import { InvalidArgumentError, parseBaseUrl } from "./client/index.js";
import { configInputs, configProblems, type Environment } from "./config.js";
import { resourceDeclarations } from "./declarations.js";
import { functions } from "./functions/index.js";
import { manner } from "./manner.js";
import { resources } from "./registry.js";
import { type Diff, NO_CHANGE } from "./resources/resource.js";
import { updateRefusal } from "./resources/update-refusal.js";
import type { Runtime } from "./runtime.js";
import { metadataOf, propertiesWhere, type ResourceDeclaration } from "./schema/property.js";
import type { Values } from "./schema/values.js";

export interface ProviderOptions {
  readonly runtime: Runtime;
  readonly env: Environment;
  readonly version: string;
  readonly schema: () => Promise<string> | string;
}

/** The plugin's provider: configuration, resources and functions behind one interface. */
export function createProvider({ runtime, env, version, schema }: ProviderOptions): Provider {
  const byToken = <T extends { token: string }>(list: readonly T[]) => new Map(list.map(entry => [entry.token, entry]));
  const allResources = byToken(resources(runtime.context));
  const allFunctions = byToken(functions(runtime.context));
  const secrecies = new Map(resourceDeclarations.map(declaration => [declaration.token, secrecyOf(declaration)]));
  return {
    ...manner,
    version,
    tokens: { resources: [...allResources.keys()], functions: [...allFunctions.keys()] },
    schema,
    checkConfig: news => ({ inputs: news, failures: configProblems(news, env, wrongWithBaseUrl) }),
    diffConfig: (olds, news) => diffConfig(olds, news),
    configure: values => runtime.configure(values),
    resource: token => allResources.get(token),
    fn: token => allFunctions.get(token),
    secrecy: token => (token.startsWith("pulumi:providers:") ? CONFIG_SECRECY : (secrecies.get(token) ?? NO_SECRETS)),
    updateRefusal,
    close: () => runtime.close(),
  };
}

const NO_SECRETS: Secrecy = { secretOutputs: [], derivedFrom: {} };

const CONFIG_SECRECY: Secrecy = {
  ...NO_SECRETS,
  secretInputs: propertiesWhere(configInputs, meta => meta.secret === true),
};

function secrecyOf({ inputs, outputs }: ResourceDeclaration): Secrecy {
  const derived = propertiesWhere(outputs, meta => meta.derivedFrom !== undefined);
  return {
    secretOutputs: propertiesWhere(outputs, meta => meta.secret === true),
    secretInputs: propertiesWhere(inputs, meta => meta.secret === true),
    derivedFrom: Object.fromEntries(derived.map(name => [name, metadataOf(outputs, name)?.derivedFrom ?? []])),
  };
}

function wrongWithBaseUrl(text: string): string | null {
  try {
    parseBaseUrl(text);
    return null;
  } catch (error) {
    if (error instanceof InvalidArgumentError) return error.message;
    throw error;
  }
}

/** Other settings, other credentials, even another service: never a reason to replace anything. */
function diffConfig(olds: Values, news: Values): Diff {
  const names = new Set([...Object.keys(olds), ...Object.keys(news)]);
  const changed = [...names].filter(
    name => JSON.stringify(olds[name]) !== JSON.stringify(news[name]) && name !== "version",
  );
  if (changed.length === 0) return NO_CHANGE;
  const kind = (name: string) => (olds[name] === undefined ? "add" : news[name] === undefined ? "delete" : "update");
  return {
    changes: "some",
    detailed: Object.fromEntries(changed.map(name => [name, kind(name)])),
    deleteBeforeReplace: false,
  };
}
