import { type ParseArgsConfig, parseArgs } from "node:util";
import { messageOf, UsageError } from "./errors.js";
import { nearest } from "./nearest.js";

export type Flags = NonNullable<ParseArgsConfig["options"]>;

/** The flags and arguments of a command line, in which an unknown flag is a UsageError. */
export function parseFlags<T extends Flags>(argv: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...argv], strict: true, allowPositionals: true, options });
  } catch (error) {
    throw new UsageError(explained(error, Object.keys(options)));
  }
}

function explained(error: unknown, names: readonly string[]): string {
  const [message = ""] = messageOf(error).split(/\.(?:\s|$)/);
  const given = /^Unknown option '(-.*)'$/.exec(message)?.[1];
  if (given === undefined) return message;
  const meant = given.startsWith("--") ? nearest(given.slice(2), names) : undefined;
  return `there is no flag ${given}${meant === undefined ? "" : `; did you mean --${meant}?`}`;
}

export function wholeNumber(flag: string, text: string, least: number, most?: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= (most ?? value)) return value;
  const range = most === undefined ? `from ${least} on` : `from ${least} to ${most}`;
  throw new UsageError(`--${flag}: expected a whole number ${range}, got ${text}`);
}
