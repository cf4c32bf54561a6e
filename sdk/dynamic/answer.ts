import { functions } from "../../provider/functions/index.js";
import { type House, openHouse } from "../../provider/house.js";
import { isAlive } from "../../provider/is-alive.js";
import type { Log } from "../../provider/resources/resource.js";
import { redact } from "../../provider/server/secrets.js";
import { printable } from "../../provider/server/text.js";
import { secretSettings, settingsIn } from "./engine-process.js";
import { version } from "./version.js";
import { decode, type Raw } from "./wire.js";

export interface Question {
  readonly token: string;
  readonly args: Raw;
  /** The stack's configuration. */
  setting(name: string): string | undefined;
  readonly log: Log;
}

export type Answer = { readonly result: Raw } | { readonly problem: string };

/** One for each configuration: a program of the automation API runs several stacks in one process. */
const houses = new Map<string, House>();

/** Answers a function in the program's own process. */
export async function answer({ token, args, setting, log }: Question): Promise<Answer> {
  const settings = settingsIn(setting);
  const house = houseFor(settings);
  const fn = functions(house.world).find(each => each.token === token);
  if (!fn) throw new Error(`pulumi-docsign has no function ${token}`);
  const hidden = secretSettings(Object.fromEntries(settings));
  const clean = (text: string) => printable(redact(text, hidden));
  const call = { urn: "", preview: false, signal: new AbortController().signal, log, secrets: new Set<string>() };
  try {
    const answered = await fn.invoke(call, decode(args));
    if ("result" in answered) return { result: answered.result };
    return { problem: answered.failures.map(({ reason }) => clean(reason)).join("\n") };
  } catch (error) {
    return { problem: clean(error instanceof Error ? error.message : String(error)) };
  }
}

function houseFor(settings: [string, string][]): House {
  const name = JSON.stringify(settings);
  const known = houses.get(name);
  if (known) return known;
  const house = openHouse({ env: process.env, version, engine: undefined, pid: process.pid, isAlive });
  house.configure(Object.fromEntries(settings));
  houses.set(name, house);
  return house;
}
