import { readdirSync } from "node:fs";
import { textIn } from "./core/private-folder.js";

/** Whether a process of this machine still runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as { code?: unknown }).code === "EPERM";
  }
  return !hasEnded(pid);
}

/** When a process began, by Linux alone: another one may have its number later, in another container always. Empty elsewhere. */
export function startOf(pid: number): string {
  const [, rest = ""] = /\) (.*)$/.exec(textIn(`/proc/${pid}/stat`)) ?? [];
  return rest.split(" ")[19] ?? "";
}

/** One that has ended, and whose parent, stopped perhaps, hasn't asked what came of it, is still in the list. */
const hasEnded = (pid: number): boolean => /\) [ZX] [^)]*$/.test(textIn(`/proc/${pid}/stat`));

/** Plugins that the engine has started, by name: Linux alone tells. Ours, and the host of dynamic providers, are left out. */
export function otherProviders(engine = process.ppid): string[] {
  try {
    const tasks = `/proc/${engine}/task`;
    const children = readdirSync(tasks).flatMap(task => textIn(`${tasks}/${task}/children`).split(" ").filter(Boolean));
    return [...new Set(children.flatMap(child => providerIn(textIn(`/proc/${child}/cmdline`))))].sort();
  } catch {
    return [];
  }
}

/** Of `pulumi-resource-random`, or a path to it, in a command line: `random`. */
export function providerIn(commandLine: string): string[] {
  const [, name = ""] = /(?:^|[/\0])pulumi-resource-([a-z0-9-]+)/.exec(commandLine) ?? [];
  return ["", "docsign", "pulumi-nodejs"].includes(name) ? [] : [name];
}
