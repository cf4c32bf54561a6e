import { type ParseArgsConfig, parseArgs } from "node:util";
import { messageOf, UsageError } from "./errors.js";

/** The flags and arguments of a command line, in which an unknown flag is a UsageError. */
export function parseFlags<T extends NonNullable<ParseArgsConfig["options"]>>(argv: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...argv], strict: true, allowPositionals: true, options });
  } catch (error) {
    throw new UsageError(messageOf(error).split(/\.(?:\s|$)/)[0]);
  }
}

export function wholeNumber(flag: string, text: string, least: number, most?: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= (most ?? value)) return value;
  const range = most === undefined ? `from ${least} on` : `from ${least} to ${most}`;
  throw new UsageError(`--${flag}: expected a whole number ${range}, got ${text}`);
}
