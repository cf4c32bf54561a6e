import { openHouse } from "./house.js";
import { isAlive } from "./is-alive.js";
import { createProvider, type ProviderOptions } from "./provider.js";
import type { Provider } from "./server/provider.js";

export interface Process extends Pick<ProviderOptions, "env" | "version" | "schema"> {
  readonly engine: string | undefined;
  readonly pid: number;
}

/** The provider of a plugin process. */
export const openProvider = ({ schema, ...process }: Process): Provider =>
  createProvider({
    house: openHouse({ ...process, isAlive }),
    env: process.env,
    version: process.version,
    schema,
  });
