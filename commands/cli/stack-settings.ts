import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { isRecord, type Values } from "../../kit/values.js";
import { oneLine } from "../../provider/core/text.js";
import type { CommandIo } from "./command.js";
import { CommandError } from "./flags.js";

const run = promisify(execFile);

/** What says which journal and which service a stack has. */
const READ = ["journal", "baseUrl", "apiKey", "email", "password"];

/**
 * The settings of a stack of the project in this folder, as its provider gets them. Without a project, or where they can't
 * be read, there are none: what isn't set comes from the environment.
 */
export async function settingsOf(
  stack: string | undefined,
  { cwd, env, err }: Pick<CommandIo, "cwd" | "env" | "err">,
): Promise<Values> {
  if (stack === undefined && !isInProject(cwd)) return {};
  const args = ["config", "--json", "--show-secrets", "--non-interactive"];
  try {
    const { stdout } = await run("pulumi", [...args, ...(stack === undefined ? [] : ["--stack", stack])], { cwd, env });
    const config: unknown = JSON.parse(stdout);
    const settings = READ.flatMap((name): [string, string][] => {
      const set = isRecord(config) ? config[`docsign:${name}`] : undefined;
      return isRecord(set) && typeof set["value"] === "string" ? [[name, set["value"]]] : [];
    });
    return Object.fromEntries(settings);
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    const why = `the stack's settings can't be read: ${oneLine(stderr?.trim() || message)}`;
    if (stack !== undefined) throw new CommandError(why);
    err(`docsign: ${why}. The environment's are used\n`);
    return {};
  }
}

function isInProject(folder: string): boolean {
  if (["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"].some(name => existsSync(join(folder, name)))) return true;
  const parent = dirname(folder);
  return parent !== folder && isInProject(parent);
}
