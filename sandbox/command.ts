import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { parseScenario } from "./control/parse.js";
import { Fields } from "./fields.js";
import { help, usage } from "./help.js";
import type { SandboxOptions } from "./options.js";
import { type Sandbox, startSandbox } from "./sandbox.js";
import type { Scenario } from "./scenario.js";

export interface CommandIo {
  out: (text: string) => void;
  err: (text: string) => void;
  /** Aborted when the sandbox is to stop. */
  stop: AbortSignal;
}

class UsageError extends Error {}

/** Runs the sandbox until it is told to stop; answers the exit code. */
export async function main(argv: readonly string[], io: CommandIo): Promise<number> {
  try {
    const options = optionsFrom(argv);
    if (options === "help") {
      io.out(help());
      return 0;
    }
    await using sandbox = await startSandbox(options);
    io.out(greeting(sandbox, options));
    await aborted(io.stop);
    return 0;
  } catch (trouble) {
    const said = trouble instanceof Error ? trouble.message : String(trouble);
    io.err(`docsign-sandbox: ${said}\n${trouble instanceof UsageError ? `${usage}\n` : ""}`);
    return trouble instanceof UsageError ? 2 : 1;
  }
}

function optionsFrom(argv: readonly string[]): SandboxOptions | "help" {
  const given = parsedFlags(argv);
  if (given.help) return "help";
  const options: SandboxOptions = { port: 4010, control: given.control ?? false };
  if (given.port !== undefined) options.port = wholeNumber("port", given.port, 65_535);
  if (given.latency !== undefined) options.latency = wholeNumber("latency", given.latency, 3_600_000);
  if (given.host !== undefined) options.host = given.host;
  if (given.file !== undefined) options.file = given.file;
  if (given["api-key"] !== undefined) {
    if (given["api-key"] === "") throw new UsageError("--api-key must not be empty");
    options.apiKey = given["api-key"];
  }
  for (const seed of given.seed ?? []) {
    if (/^\d+$/.test(seed)) options.seed = wholeNumber("seed", seed, 2 ** 32 - 1);
    else options.scenario = scenarioFrom(seed);
  }
  return options;
}

function parsedFlags(argv: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...argv],
      strict: true,
      options: {
        port: { type: "string" },
        host: { type: "string" },
        "api-key": { type: "string" },
        latency: { type: "string" },
        seed: { type: "string", multiple: true },
        file: { type: "string" },
        control: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
    return values;
  } catch (trouble) {
    throw new UsageError(trouble instanceof Error ? (trouble.message.split(/\.(\s|$)/)[0] ?? "") : String(trouble));
  }
}

function wholeNumber(flag: string, text: string, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value <= most) return value;
  throw new UsageError(`--${flag} must be a whole number from 0 to ${most}, not ${JSON.stringify(text)}`);
}

function scenarioFrom(file: string): Scenario {
  try {
    const fields = new Fields(JSON.parse(readFileSync(file, "utf8")));
    const scenario = parseScenario(fields);
    fields.refuseIfWrong();
    return scenario;
  } catch (trouble) {
    const why = trouble instanceof Error ? trouble.message : String(trouble);
    throw new UsageError(`--seed takes a number or a readable JSON file; ${file}: ${why}`);
  }
}

function greeting(sandbox: Sandbox, options: SandboxOptions): string {
  const lines = [
    `The document-signing sandbox listens on ${sandbox.url}`,
    `  API key    ${sandbox.apiKey}`,
    `  log in as  ${sandbox.email} with the password ${sandbox.password}`,
    ...(options.file === undefined ? [] : [`  state in   ${options.file}`]),
    ...(options.control ? [`  control    ${sandbox.url}/_sandbox/state`] : []),
    `Try: curl -H 'x-api-key: ${sandbox.apiKey}' ${sandbox.url}/v1/documents`,
    "Ctrl-C stops it.",
  ];
  return `${lines.join("\n")}\n`;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise(resolve => signal.addEventListener("abort", () => resolve(), { once: true }));
}
