import { readFileSync } from "node:fs";

/** Whether a process of this machine still runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as { code?: unknown }).code === "EPERM";
  }
  return !hasEnded(pid);
}

/** One that has ended, and whose parent, stopped perhaps, hasn't asked what came of it, is still in the list. */
function hasEnded(pid: number): boolean {
  try {
    return /\) [ZX] [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
