import { openHouse } from "./house.js";
import { isAlive } from "./is-alive.js";
import { createProvider, type ProviderOptions } from "./provider.js";
import type { Provider } from "./server/provider.js";

export interface PluginOptions extends Pick<ProviderOptions, "env" | "version" | "schema"> {
  readonly engine: string | undefined;
  readonly pid: number;
}

/** The provider as the plugin runs it. */
export const openProvider = ({ schema, ...about }: PluginOptions): Provider =>
  createProvider({
    house: openHouse({ ...about, isAlive }),
    env: about.env,
    version: about.version,
    schema,
  });
