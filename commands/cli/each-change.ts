import { createHash } from "node:crypto";
import { existsSync, type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";
import { readRegularFile } from "../../sdk/templates/parts.js";
import { CommandError, messageOf } from "./flags.js";

const LARGEST = 64 * 1024 * 1024;

/**
 * Does the work, and does it again whenever a file's content is another. Folders are watched, as editors write a new file
 * in place of the old; what else changes in them isn't news. `paths` is asked each time: a template may name other files.
 */
export async function eachChange(
  paths: () => readonly string[],
  stop: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  let news = Promise.withResolvers<void>();
  let failure: Error | undefined;
  const wake = () => news.resolve();
  const watchers = new Map<string, FSWatcher>();
  const watchFolder = (folder: string) => {
    if (watchers.has(folder) || !existsSync(folder)) return;
    try {
      const watcher = watch(folder, wake).on("error", error => {
        failure = error;
        wake();
      });
      watchers.set(folder, watcher);
    } catch (error) {
      throw new CommandError(`${folder}: can't be watched: ${messageOf(error)}`);
    }
  };
  stop.addEventListener("abort", wake, { once: true });
  try {
    let known: string | undefined;
    while (!stop.aborted && failure === undefined) {
      news = Promise.withResolvers();
      const all = paths();
      for (const path of all) watchFolder(dirname(path));
      const now = contentOf(all);
      if (now !== known) {
        known = now;
        await work();
      }
      await news.promise;
    }
    if (failure !== undefined) throw new CommandError(`the files can't be watched any more: ${failure.message}`);
  } finally {
    for (const watcher of watchers.values()) watcher.close();
  }
}

function contentOf(paths: readonly string[]): string {
  const hash = createHash("sha256");
  for (const path of paths) {
    const read = readRegularFile(path, LARGEST);
    const bytes = "wrong" in read ? read.wrong : read.bytes;
    hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest("hex");
}
