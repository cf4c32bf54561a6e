import type { Provider } from "../kit/provider.js";
import { createProvider, type ProviderOptions } from "./provider.js";
import { createRuntime } from "./runtime.js";

export interface PluginOptions extends Pick<ProviderOptions, "env" | "version" | "schema"> {
  readonly engine: string | undefined;
  readonly pid: number;
}

/** The provider as the plugin runs it. */
export const openProvider = ({ schema, ...about }: PluginOptions): Provider =>
  createProvider({
    runtime: createRuntime(about),
    env: about.env,
    version: about.version,
    schema,
  });
