import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Environment } from "../../provider/config.js";
import { CommandError } from "../cli/flags/errors.js";
import type { PlannedStack } from "./plan.js";

const run = promisify(execFile);

/** A stack's state with its secrets still encrypted: no passphrase and no key is needed. */
export async function exportState(
  { name, env: own }: PlannedStack,
  program: string,
  env: Environment,
): Promise<unknown> {
  const options = { cwd: program, env: { ...env, ...own }, maxBuffer: 2 ** 30 };
  try {
    const { stdout } = await run("pulumi", ["stack", "export", "--stack", name, "--non-interactive"], options);
    return JSON.parse(stdout);
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    throw new CommandError(`\`pulumi stack export --stack ${name}\` failed: ${stderr?.trim() ?? String(error)}`);
  }
}
