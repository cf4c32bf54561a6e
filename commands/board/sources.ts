import { type ExecFileOptions, execFile } from "node:child_process";
import { promisify } from "node:util";
import { z } from "zod";
import { CommandError } from "../cli/flags/errors.js";

const run = promisify(execFile);

/** Where Pulumi runs, and with what: here, unless it is said. */
type Where = Pick<ExecFileOptions, "cwd" | "env">;

async function pulumi(args: readonly string[], where: Where = {}): Promise<unknown> {
  try {
    const { stdout } = await run("pulumi", [...args, "--non-interactive"], { ...where, maxBuffer: 2 ** 30 });
    return JSON.parse(stdout);
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: string };
    if (code === "ENOENT")
      throw new CommandError("expected Pulumi on PATH, found none; or give an exported stack as a file or on stdin");
    throw new CommandError(`\`pulumi ${args.join(" ")}\` failed: ${stderr?.trim() ?? String(error)}`);
  }
}

/** The state of a stack, of whatever backend Pulumi is logged in to, with its secrets still encrypted: no passphrase and no key is needed. */
export const exportStack = (name: string, where?: Where): Promise<unknown> =>
  pulumi(["stack", "export", "--stack", name], where);

/** The names of all stacks of the backend. */
export async function allStacks(): Promise<string[]> {
  const stacks = z.array(z.object({ name: z.string() })).parse(await pulumi(["stack", "ls", "--all", "--json"]));
  return stacks.map(({ name }) => name).sort();
}
