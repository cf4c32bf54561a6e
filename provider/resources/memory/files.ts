import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { link, mkdir, open, readdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const isMissing = (error: unknown): boolean => (error as { code?: unknown }).code === "ENOENT";

/** A JSON file's content; undefined when it isn't there or can't be read as JSON (it was cut off by a crash). */
export async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Writes a whole file or none of it, for its owner's eyes only. `durable` waits until the disk has it. */
export async function writeWhole(path: string, content: string, { durable = false } = {}): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomUUID()}.tmp`;
  const handle = await open(temporary, "wx", 0o600);
  try {
    await handle.writeFile(content);
    if (durable) await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, path);
  if (durable) await syncFolder(dirname(path));
}

/** Makes a file that nobody else has made, its content in it from the start; false where somebody has. */
export async function makeNew(path: string, content: string): Promise<boolean> {
  for (;;) {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    try {
      await publish(path, content);
      return true;
    } catch (error) {
      if ((error as { code?: unknown }).code === "EEXIST") return false;
      // Another process has tidied the folder away between the two steps.
      if (!isMissing(error)) throw error;
    }
  }
}

/** A link appears with the whole file behind it, or fails because something is there. */
async function publish(path: string, content: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  await writeFile(temporary, content, { flag: "wx", mode: 0o600 });
  try {
    await link(temporary, path);
  } catch (error) {
    if (!NO_LINKS.has(String((error as { code?: unknown }).code))) throw error;
    await writeFile(path, content, { flag: "wx", mode: 0o600 });
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Some file systems have no links; there the moment between a file and its content remains. */
const NO_LINKS = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EMLINK"]);

export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true });
}

/** Where another process has put something in meanwhile, the folder stays. */
export async function removeEmptyFolder(path: string): Promise<void> {
  await rmdir(path).catch(() => undefined);
}

/** Files of a folder that nobody has written for so long. */
export async function olderThan(folder: string, milliseconds: number): Promise<string[]> {
  const before = Date.now() - milliseconds;
  return (await namesIn(folder))
    .map(name => join(folder, name))
    .filter(path => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? before) < before);
}

export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** A rename lasts through a power cut only once its folder is on disk too. Not every system lets a folder be opened. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    const code = String((error as { code?: unknown }).code);
    if (!["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP"].includes(code)) throw error;
  }
}
