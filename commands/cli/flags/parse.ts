import { type ParseArgsConfig, parseArgs } from "node:util";
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

/** The name somebody meant: the closest one that is at most two slips of the finger away. */
export function nearest(word: string, names: Iterable<string>): string | undefined {
  const [best] = [...names].map(name => ({ name, slips: slips(word, name) })).sort((a, b) => a.slips - b.slips);
  return best && best.slips <= 2 ? best.name : undefined;
}

/** How many letters have to be put in, taken out or changed. */
function slips(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [line, letter] of [...one].entries()) {
    const next = [line + 1];
    for (const [column, wanted] of [...other].entries()) {
      const changed = (row[column] ?? 0) + (letter === wanted ? 0 : 1);
      next.push(Math.min(changed, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
