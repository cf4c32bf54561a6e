import { once } from "node:events";
import { styleText } from "node:util";
import { messageOf, UsageError } from "../commands/cli/flags.js";
import { dialectText } from "./dialect/dialect.js";
import { readFlags } from "./flags.js";
import { help, usage } from "./help.js";
import type { SandboxOptions } from "./options.js";
import { Refusal } from "./refusal.js";
import { type Sandbox, startSandbox } from "./sandbox.js";

interface CommandIo {
  out: (text: string) => void;
  err: (text: string) => void;
  /** Aborted when the sandbox is to stop. */
  stop: AbortSignal;
  version?: string;
  paintOut?: Paint;
  paintErr?: Paint;
}

/** How long a sandbox that runs already may take to answer. */
const PROBE_MS = 2_000;

/** Runs the sandbox until it is stopped; returns the exit code. */
export async function main(argv: readonly string[], io: CommandIo): Promise<number> {
  const { paintOut = plainly, paintErr = plainly } = io;
  try {
    const { wants, options, seedFile } = readFlags(argv);
    if (wants === "reset") {
      const url = addressOf(options);
      if (!(await runsAt(url))) throw new Error(`no sandbox with --control answers at ${url}`);
      await fetch(`${url}/_sandbox/reset`, { method: "POST" });
      io.out(`The sandbox at ${url} is as it was at its start.\n`);
      return 0;
    }
    if (wants !== "sandbox") {
      io.out(wants === "help" ? help(paintOut) : `docsign sandbox ${io.version ?? "(not built)"}\n`);
      return 0;
    }
    await using sandbox = await start(options, seedFile);
    io.out(greeting(sandbox, options, paintOut));
    if (!io.stop.aborted) await once(io.stop, "abort");
    return 0;
  } catch (error) {
    const misused = error instanceof UsageError;
    io.err(`${paintErr("red", `docsign sandbox: ${messageOf(error)}`)}\n${misused ? `${usage}\n` : ""}`);
    return misused ? 2 : 1;
  }
}

async function start(options: SandboxOptions, seedFile: string | undefined): Promise<Sandbox> {
  try {
    return await startSandbox(options);
  } catch (error) {
    // The service refuses nothing else before it listens.
    if (error instanceof Refusal) throw new UsageError(`--seed ${seedFile}: ${error.message}`);
    throw new Error(await reason(error, options));
  }
}

const addressOf = ({ host = "127.0.0.1", port = 4010 }: SandboxOptions): string => `http://${host}:${port}`;

/** Whether a sandbox with --control answers there. */
async function runsAt(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/_sandbox/mails`, { signal: AbortSignal.timeout(PROBE_MS) });
    return answer.ok && (answer.headers.get("content-type") ?? "").includes("json");
  } catch {
    return false;
  }
}

async function reason(error: unknown, options: SandboxOptions): Promise<string> {
  const { host = "127.0.0.1", port } = options;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE" && (await runsAt(addressOf(options))))
    return `a sandbox runs at ${addressOf(options)} already: go on with that one, put it back to its start with \`docsign sandbox --port ${port} --reset\`, or choose another port with --port`;
  if (code === "EADDRINUSE")
    return `port ${port} on ${host} is already in use; choose another with --port, or --port 0`;
  if (code === "EACCES" && port !== undefined && port < 1024)
    return `this user may not listen on port ${port}; choose one from 1024 on with --port`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") return `--host ${host} is no address of this machine`;
  return messageOf(error);
}

function greeting(sandbox: Sandbox, options: SandboxOptions, paint: Paint): string {
  const row = (name: string, value: string) => `  ${paint("dim", name.padEnd(10))} ${value}`;
  const lines = [
    `The document-signing sandbox listens on ${paint("bold", sandbox.url)}`,
    row("API key", paint("bold", sandbox.apiKey)),
    row("log in as", `${sandbox.email} with the password ${sandbox.password}`),
    ...(options.file === undefined ? [] : [row("state in", options.file)]),
    ...(options.dialect ? [row("dialect", dialectText(options.dialect))] : []),
    ...(options.control
      ? [row("open", paint("bold", `${sandbox.url}/`)), row("control", `${sandbox.url}/_sandbox/state`)]
      : []),
    `Try: curl -H 'x-api-key: ${sandbox.apiKey}' ${sandbox.url}/v1/documents`,
    "Ctrl-C stops it.",
  ];
  return `${lines.join("\n")}\n`;
}

type Style = Parameters<typeof styleText>[0];
export type Paint = (style: Style, text: string) => string;

/** Colours on a terminal, unless NO_COLOR is set; FORCE_COLOR brings them everywhere, and FORCE_COLOR=0 nowhere. */
export function paintFor(stream: { isTTY?: boolean }, env: Readonly<Record<string, string | undefined>>): Paint {
  const forced = env["FORCE_COLOR"];
  const wanted =
    forced === undefined
      ? stream.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb"
      : !["0", "false"].includes(forced);
  return (style, text) => (wanted ? styleText(style, text, { validateStream: false }) : text);
}

export const plainly: Paint = (_, text) => text;
