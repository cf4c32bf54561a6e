import { randomUUID } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

// These files are small and as a rule local: a call that blocks takes microseconds, where one that doesn't takes several
// trips to another thread. Waiting for the disk itself is another matter.
const flush = promisify(fsync);

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;
const isMissing = (error: unknown): boolean => codeOf(error) === "ENOENT";

/** A JSON file's content; undefined when it isn't there or can't be read as JSON (it was cut off by a crash). */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Writes a whole file or none of it, for its owner's eyes only. */
export function writeWhole(path: string, content: string): void {
  const temporary = temporaryFor(path);
  inFolder(path, () => writeFileSync(temporary, content, { flag: "wx", mode: 0o600 }));
  renameSync(temporary, path);
}

/** The same, and the disk has it when this is done. */
export async function writeDurably(path: string, content: string): Promise<void> {
  const temporary = temporaryFor(path);
  const file = inFolder(path, () => openSync(temporary, "wx", 0o600));
  try {
    writeFileSync(file, content);
    await flush(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
  await flushFolder(dirname(path));
}

/** Makes a file that nobody else has made, its content in it from the start; false where somebody has. */
export function makeNew(path: string, content: string): boolean {
  try {
    if (content === "") inFolder(path, () => writeFileSync(path, "", { flag: "wx", mode: 0o600 }));
    else publish(path, content);
    return true;
  } catch (error) {
    // A folder can be in the way, too.
    if (codeOf(error) === "EEXIST" && existsSync(path)) return false;
    throw error;
  }
}

/** A link appears with the whole file behind it, or fails because something is there. */
function publish(path: string, content: string): void {
  const temporary = temporaryFor(path);
  inFolder(path, () => writeFileSync(temporary, content, { flag: "wx", mode: 0o600 }));
  try {
    linkSync(temporary, path);
  } catch (error) {
    if (!NO_LINKS.has(String(codeOf(error)))) throw error;
    writeFileSync(path, content, { flag: "wx", mode: 0o600 });
  } finally {
    removeFile(temporary);
  }
}

/** Some file systems have no links; there the moment between a file and its content remains. */
const NO_LINKS = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EMLINK"]);

const temporaryFor = (path: string): string => `${path}.${randomUUID()}.tmp`;

/** The folder is made where it is missing, which is rarely. */
function inFolder<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isMissing(error)) throw error;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return work();
  }
}

export function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

const DAY_MS = 24 * 3_600_000;

/** Removes what was left half written when its writer was killed. What is younger may be on its way. */
export function removeLeftovers(folder: string): void {
  for (const path of olderThan(folder, DAY_MS, name => name.endsWith(".tmp"))) removeFile(path);
}

/** Files of a folder that nobody has written for so long. */
export function olderThan(folder: string, milliseconds: number, wanted = (_name: string) => true): string[] {
  const before = Date.now() - milliseconds;
  return namesIn(folder)
    .filter(wanted)
    .map(name => join(folder, name))
    .filter(path => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? before) < before);
}

export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** A rename lasts through a power cut only once its folder is on disk too. Not every system lets a folder be opened. */
async function flushFolder(path: string): Promise<void> {
  try {
    const folder = openSync(path, "r");
    await flush(folder).finally(() => closeSync(folder));
  } catch (error) {
    if (!["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP"].includes(String(codeOf(error)))) throw error;
  }
}
