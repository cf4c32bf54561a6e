import { byToken, diffConfig, secrecyIn } from "../kit/define-provider.js";
import type { Provider } from "../kit/provider.js";
import { InvalidArgumentError } from "./client/errors.js";
import { parseBaseUrl } from "./client/transport.js";
import { configInputs, configProblems, type Environment } from "./config.js";
import { resourceDeclarations } from "./declarations.js";
import { functions } from "./functions/index.js";
import { manner } from "./manner.js";
import { resources } from "./registry.js";
import { createRuntime, type Runtime } from "./runtime.js";

export interface ProviderOptions {
  readonly runtime: Runtime;
  readonly env: Environment;
  readonly version: string;
  readonly schema: () => Promise<string> | string;
}

/** The plugin's provider: configuration, resources and functions behind one interface. */
export function createProvider({ runtime, env, version, schema }: ProviderOptions): Provider {
  let allResources = byToken(resources(runtime.context));
  const allFunctions = byToken(functions(runtime.context));
  return {
    ...manner,
    version,
    tokens: { resources: [...allResources.keys()], functions: [...allFunctions.keys()] },
    schema,
    checkConfig: news => ({ inputs: news, failures: configProblems(news, env, wrongWithBaseUrl) }),
    diffConfig,
    configure: values => runtime.configure(values),
    begin() {
      runtime.begin();
      // Each remembers what this deployment has listed, taken and imported.
      allResources = byToken(resources(runtime.context));
    },
    resource: token => allResources.get(token),
    fn: token => allFunctions.get(token),
    secrecy: secrecyIn(resourceDeclarations, configInputs),
    close: () => runtime.close(),
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

export interface PluginOptions extends Pick<ProviderOptions, "env" | "version" | "schema"> {
  readonly engine: string | undefined;
  readonly pid: number;
}

/** The provider as the plugin runs it. */
export const openProvider = ({ schema, ...about }: PluginOptions): Provider =>
  createProvider({ runtime: createRuntime(about), env: about.env, version: about.version, schema });
