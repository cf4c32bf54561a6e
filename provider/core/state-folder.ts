import { homedir, platform } from "node:os";
import { join } from "node:path";

/** `DOCSIGN_STATE_DIR`, or the platform's folder for a program's own state. */
export function stateFolder(env: Readonly<Record<string, string | undefined>>): string {
  if (env["DOCSIGN_STATE_DIR"]) return env["DOCSIGN_STATE_DIR"];
  if (platform() === "win32" && env["LOCALAPPDATA"]) return join(env["LOCALAPPDATA"], "pulumi-docsign");
  return join(env["XDG_STATE_HOME"] || join(homedir(), ".local", "state"), "pulumi-docsign");
}
