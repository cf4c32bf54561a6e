import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { z } from "zod";
import { CommandError } from "../cli/flags/errors.js";

const run = promisify(execFile);

/**
 * The Pulumi command line, as the Automation API finds it. Its own `exportStack` decrypts secrets; the command leaves
 * them as they are, and so needs no passphrase and no key.
 */
async function pulumi(args: readonly string[]): Promise<unknown> {
  const { PulumiCommand } = await import("@pulumi/pulumi/automation/index.js");
  const { command } = await PulumiCommand.get({ skipVersionCheck: true }).catch(() => {
    throw new CommandError("expected Pulumi on PATH, found none; or give an exported stack as a file or on stdin");
  });
  try {
    const { stdout } = await run(command, [...args, "--non-interactive"], { maxBuffer: 2 ** 30 });
    return JSON.parse(stdout);
  } catch (error) {
    const failure = z.object({ stderr: z.string() }).safeParse(error);
    const why = failure.success ? failure.data.stderr.trim() : String(error);
    throw new CommandError(`\`pulumi ${args.join(" ")}\` failed: ${why}`);
  }
}

/** The state of a stack, of whatever backend Pulumi is logged in to, with its secrets still encrypted. */
export const exportStack = (name: string): Promise<unknown> => pulumi(["stack", "export", "--stack", name]);

/** The names of all stacks of the backend. */
export async function allStacks(): Promise<string[]> {
  const stacks = z.array(z.object({ name: z.string() })).parse(await pulumi(["stack", "ls", "--all", "--json"]));
  return stacks.map(({ name }) => name).sort();
}
