import { type ParseArgsConfig, parseArgs } from "node:util";
import { nearest } from "../../../kit/text.js";
import { messageOf, UsageError } from "./errors.js";

export type Flags = NonNullable<ParseArgsConfig["options"]>;

/** The flags and arguments of a command line, in which an unknown flag is a UsageError. */
export function parseFlags<T extends Flags>(argv: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...argv], strict: true, allowPositionals: true, options });
  } catch (error) {
    const { tokens } = parseArgs({ args: [...argv], strict: false, tokens: true, options });
    const unknown = tokens.find(token => token.kind === "option" && !Object.hasOwn(options, token.name));
    // Node's first sentence says what is wrong with a flag that there is.
    if (unknown?.kind !== "option") throw new UsageError(messageOf(error).split(/\.(?:\s|$)/)[0]);
    const { name, rawName } = unknown;
    const meant = rawName.startsWith("--") ? nearest(name, Object.keys(options)) : undefined;
    throw new UsageError(`there is no flag ${rawName}${meant === undefined ? "" : `; did you mean --${meant}?`}`);
  }
}

export function wholeNumber(flag: string, text: string, least: number, most?: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= (most ?? value)) return value;
  const range = most === undefined ? `from ${least} on` : `from ${least} to ${most}`;
  throw new UsageError(`--${flag}: expected a whole number ${range}, got ${text}`);
}
