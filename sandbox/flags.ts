import { messageOf, parseFlags, readGiven, UsageError, wholeNumber } from "../commands/cli/flags.js";
import { parseScenario } from "./control/parse.js";
import { type Dialect, parseDialect } from "./dialect/dialect.js";
import { Fields } from "./fields.js";
import { flags } from "./flag-table.js";
import type { SandboxOptions } from "./options.js";
import type { Scenario } from "./scenario.js";

export interface Flags {
  wants: "help" | "version" | "sandbox" | "reset";
  options: SandboxOptions;
  /** The file behind `options.scenario`. */
  seedFile: string | undefined;
}

export function readFlags(argv: readonly string[]): Flags {
  const given = parsedFlags(argv);
  const options: SandboxOptions = { port: 4010, control: given.control ?? false };
  if (given.help || given.version) return { wants: given.help ? "help" : "version", options, seedFile: undefined };
  if (given.port !== undefined) options.port = wholeNumber("port", given.port, 0, 65_535);
  if (given.latency !== undefined) options.latency = wholeNumber("latency", given.latency, 0, 3_600_000);
  if (given.host !== undefined) options.host = notEmpty("host", given.host);
  if (given.file !== undefined) options.file = notEmpty("file", given.file);
  if (given["api-key"] !== undefined) options.apiKey = notEmpty("api-key", given["api-key"]);
  if (given.dialect !== undefined) options.dialect = dialectOf(given.dialect.join(","));
  let seedFile: string | undefined;
  for (const seed of given.seed ?? []) {
    if (/^\d+$/.test(seed)) options.seed = wholeNumber("seed", seed, 0, 2 ** 32 - 1);
    else {
      options.scenario = scenarioFrom(seed);
      seedFile = seed;
    }
  }
  return { wants: given.reset ? "reset" : "sandbox", options, seedFile };
}

function parsedFlags(argv: readonly string[]) {
  const { values, positionals } = parseFlags(argv, flags);
  const [given] = positionals;
  if (given === undefined) return values;
  const seed = given.endsWith(".json") ? `; a seed file is given as --seed ${given}` : "";
  throw new UsageError(`expected flags only, got ${JSON.stringify(given)}${seed}`);
}

function dialectOf(text: string): Dialect {
  try {
    return parseDialect(text);
  } catch (error) {
    throw new UsageError(`--dialect ${messageOf(error)}`);
  }
}

function notEmpty(flag: string, text: string): string {
  if (text !== "") return text;
  throw new UsageError(`--${flag} must not be empty`);
}

function scenarioFrom(file: string): Scenario {
  try {
    const fields = new Fields(JSON.parse(readGiven(file).toString("utf8")));
    const scenario = parseScenario(fields);
    fields.refuseIfWrong();
    return scenario;
  } catch (error) {
    throw new UsageError(`--seed takes a number or a readable JSON file; ${file}: ${messageOf(error)}`);
  }
}
