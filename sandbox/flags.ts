import { readFileSync } from "node:fs";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { parseScenario } from "./control/parse.js";
import { type Dialect, parseDialect } from "./dialect/dialect.js";
import { Fields } from "./fields.js";
import { nearest } from "./nearest.js";
import type { SandboxOptions } from "./options.js";
import type { Scenario } from "./scenario.js";

export class UsageError extends Error {
  /** What was given may be anything: it stays on its line, and short. */
  constructor(message = "") {
    super(
      message
        .slice(0, 500)
        .replace(
          /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
          char => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
        ),
    );
  }
}

const flags = {
  port: { type: "string" },
  host: { type: "string" },
  "api-key": { type: "string" },
  latency: { type: "string" },
  seed: { type: "string", multiple: true },
  file: { type: "string" },
  control: { type: "boolean" },
  reset: { type: "boolean" },
  dialect: { type: "string", multiple: true },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const satisfies ParseArgsConfig["options"];

export interface Asked {
  wants: "help" | "version" | "sandbox" | "reset";
  options: SandboxOptions;
  /** The file behind `options.scenario`. */
  seedFile: string | undefined;
}

export function readFlags(argv: readonly string[]): Asked {
  const given = parsedFlags(argv);
  const options: SandboxOptions = { port: 4010, control: given.control ?? false };
  if (given.help || given.version) return { wants: given.help ? "help" : "version", options, seedFile: undefined };
  if (given.port !== undefined) options.port = wholeNumber("port", given.port, 65_535);
  if (given.latency !== undefined) options.latency = wholeNumber("latency", given.latency, 3_600_000);
  if (given.host !== undefined) options.host = notEmpty("host", given.host);
  if (given.file !== undefined) options.file = notEmpty("file", given.file);
  if (given["api-key"] !== undefined) options.apiKey = notEmpty("api-key", given["api-key"]);
  if (given.dialect !== undefined) options.dialect = dialectOf(given.dialect.join(","));
  let seedFile: string | undefined;
  for (const seed of given.seed ?? []) {
    if (/^\d+$/.test(seed)) options.seed = wholeNumber("seed", seed, 2 ** 32 - 1);
    else {
      options.scenario = scenarioFrom(seed);
      seedFile = seed;
    }
  }
  return { wants: given.reset ? "reset" : "sandbox", options, seedFile };
}

function parsedFlags(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], strict: true, options: flags }).values;
  } catch (error) {
    throw new UsageError(explained(error, argv));
  }
}

function explained(error: unknown, argv: readonly string[]): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? error.code : undefined;
  const [message = ""] = error.message.split(/\.(?:\s|$)/);
  if (code === "ERR_PARSE_ARGS_UNKNOWN_OPTION") {
    const given = /'(-+[^']*)'/.exec(message)?.[1] ?? argv.join(" ");
    const meant = given.startsWith("--") ? nearest(given.slice(2), Object.keys(flags)) : undefined;
    return `there is no flag ${given}${meant === undefined ? "" : `; did you mean --${meant}?`}`;
  }
  if (code === "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL") {
    const given = /'([^']*)'/.exec(message)?.[1] ?? "";
    const seed = given.endsWith(".json") ? `; a seed file is given as --seed ${given}` : "";
    return `it takes flags only, not ${JSON.stringify(given)}${seed}`;
  }
  return message;
}

function wholeNumber(flag: string, text: string, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value <= most) return value;
  throw new UsageError(`--${flag} must be a whole number from 0 to ${most}, not ${JSON.stringify(text)}`);
}

function dialectOf(text: string): Dialect {
  try {
    return parseDialect(text);
  } catch (error) {
    throw new UsageError(`--dialect ${error instanceof Error ? error.message : String(error)}`);
  }
}

function notEmpty(flag: string, text: string): string {
  if (text !== "") return text;
  throw new UsageError(`--${flag} must not be empty`);
}

function scenarioFrom(file: string): Scenario {
  try {
    const fields = new Fields(JSON.parse(readFileSync(file, "utf8")));
    const scenario = parseScenario(fields);
    fields.refuseIfWrong();
    return scenario;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--seed takes a number or a readable JSON file; ${file}: ${why}`);
  }
}
