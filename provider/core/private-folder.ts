import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  type Stats,
  statSync,
} from "node:fs";
import { homedir, platform } from "node:os";
import { dirname, join } from "node:path";

/** A link isn't followed, and nobody waits for what is at a pipe's other end. Windows has no such flags. */
const PLAIN = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const WRITABLE_BY_ALL = 0o002;
const STICKY = 0o1000;

/** Opens a file of ours. What else may stand at its place isn't read, and isn't written to. */
export function openPlain(path: string, flags: number, mode?: number): number {
  const file = openSync(path, flags | PLAIN, mode);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new Error(`expected a file, got ${kindOf(stat)} at ${path}`);
    // A folder may have been exchanged since it was looked at.
    const own = process.geteuid?.();
    if (own !== undefined && stat.uid !== own && stat.uid !== 0)
      throw new SharedFolderError(
        `${path} belongs to another user (${stat.uid}), so what is in it may be somebody else's`,
      );
  } catch (error) {
    closeSync(file);
    throw error;
  }
  return file;
}

/** What stands at a path. */
function kindOf(stat: Stats): string {
  if (stat.isFile()) return "a file";
  if (stat.isDirectory()) return "a folder";
  if (stat.isFIFO()) return "a pipe";
  return stat.isSocket() ? "a socket" : "a device";
}

/** A folder that somebody else could have put something into. */
export class SharedFolderError extends Error {
  override readonly name = "SharedFolderError";
}

/** Makes a folder for its owner alone, or takes one that is. */
export function makePrivateFolder(path: string): void {
  makeFolder(path);
  assertPrivate(path);
}

/** With those above it. Node's own way to do that never ends where nothing can be made, such as below `/proc`. */
export function makeFolder(path: string, mode = 0o700): void {
  const parent = dirname(path);
  try {
    mkdirSync(path, { mode });
    return;
  } catch (error) {
    if (statOf(statSync, path)?.isDirectory()) return;
    if (!isMissing(error) || parent === path || statOf(statSync, parent) !== undefined) throw error;
  }
  makeFolder(parent, mode);
  makeFolder(path, mode);
}

const isMissing = (error: unknown): boolean => (error as { code?: unknown }).code === "ENOENT";

/**
 * Refuses a folder that is another user's or that everybody can write to, and one that another user could exchange. One
 * that isn't there is fine. Windows, which has no such owners, keeps its profile folders private by itself.
 */
export function assertPrivate(path: string): void {
  const own = process.geteuid?.();
  if (own === undefined) return;
  const wrong = wrongWith(path, own, false) ?? wrongWith(dirname(path), own, true);
  if (wrong !== undefined)
    throw new SharedFolderError(
      `${wrong}, so what is in it may be somebody else's; expected a folder of this user's alone`,
    );
}

function wrongWith(path: string, own: number, isParent: boolean): string | undefined {
  // A link counts as what it leads to, and is its owner's word.
  for (const look of [lstatSync, statSync]) {
    const stat = statOf(look, path);
    if (stat === undefined) return undefined;
    if (!isParent && !stat.isDirectory() && !stat.isSymbolicLink())
      throw new Error(`expected a folder, got ${kindOf(stat)} at ${path}`);
    if (stat.uid !== own && stat.uid !== 0) return `${path} belongs to another user (${stat.uid})`;
    const isOpen = !stat.isSymbolicLink() && (stat.mode & WRITABLE_BY_ALL) !== 0;
    if (isOpen && !(isParent && (stat.mode & STICKY) !== 0)) return `everybody can write to ${path}`;
  }
  return undefined;
}

function statOf(look: (path: string) => Stats, path: string): Stats | undefined {
  try {
    return look(path);
  } catch (error) {
    // Whatever else is wrong is said by those who use it.
    if (["ENOENT", "ENOTDIR", "EACCES"].includes(String((error as { code?: unknown }).code))) return undefined;
    throw error;
  }
}

/** A file's text; empty where it can't be read, as what a process says of itself once it has ended. */
export function textIn(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** `DOCSIGN_STATE_DIR`, or the platform's folder for a program's own state. */
export function stateFolder(env: Readonly<Record<string, string | undefined>>): string {
  if (env["DOCSIGN_STATE_DIR"]) return env["DOCSIGN_STATE_DIR"];
  if (platform() === "win32" && env["LOCALAPPDATA"]) return join(env["LOCALAPPDATA"], "pulumi-docsign");
  return join(env["XDG_STATE_HOME"] || join(homedir(), ".local", "state"), "pulumi-docsign");
}
