import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { textIn } from "../../provider/core/private-folder.js";
import { parseFlags, UsageError } from "../cli/flags.js";
import { EXIT, failedIn, verdictOf } from "./verdict.js";

export interface Process {
  /** Runs a program with this terminal, and resolves with its exit code and the end of what it wrote to stderr. */
  run(
    command: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<{ readonly code: number; readonly output: string }>;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

const HELP = `Runs a Pulumi command, and ends with 10 where it failed only because people haven't signed yet.

Usage: docsign gate-status [--json] -- pulumi up --yes --stack NAME

Exit codes
  0    the command went well
  10   gates wait for signatures or certificates, and nothing else is wrong
  1    something else failed, a gate whose deadline has passed included
  2    this command was called the wrong way

Options
  --json   write what is waited for as JSON to stdout, after the command's own output
  --help   this page
`;

/** What `docsign gate-status` does; returns its exit code. */
export async function main(argv: readonly string[], io: Process): Promise<number> {
  const separator = argv.indexOf("--");
  const [command, ...args] = separator < 0 ? [] : argv.slice(separator + 1);
  try {
    const { values, positionals } = parseFlags(separator < 0 ? argv : argv.slice(0, separator), flags);
    if (!values.help && (command === undefined || positionals.length > 0))
      throw new UsageError(`expected a command after --, got ${positionals.join(" ") || "none"}`);
    if (!values.help && command !== undefined) return await statusOf(command, args, values.json ?? false, io);
    io.out(HELP);
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    io.err(`docsign gate-status: ${error.message}\n\n${HELP}`);
    return EXIT.usage;
  }
}

async function statusOf(command: string, args: readonly string[], json: boolean, { run, out, err }: Process) {
  const folder = mkdtempSync(join(tmpdir(), "docsign-gate-status-"));
  try {
    const log = join(folder, "events.json");
    // The CLI has this flag only for those who ask for its debugging commands.
    const { code, output } = await run(command, [...args, "--event-log", log], { PULUMI_DEBUG_COMMANDS: "true" });
    // A command that failed before anything happened has written none.
    const verdict = verdictOf(code, code === 0 ? [] : failedIn(textIn(log)), output);
    const { waiting, wrong } = verdict;
    const status = verdict.code === EXIT.ok ? "ok" : verdict.code === EXIT.waiting ? "waiting" : "failed";
    if (json) out(`${JSON.stringify({ status, waiting, wrong })}\n`);
    for (const line of waiting) err(`docsign gate-status: ${line}\n`);
    for (const line of wrong) err(`docsign gate-status: failed: ${line}\n`);
    return verdict.code;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const flags = { json: { type: "boolean" }, help: { type: "boolean", short: "h" } } as const;
