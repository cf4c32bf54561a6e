import { createHash } from "node:crypto";
import { watch } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { CommandError, messageOf } from "../flags/errors.js";

/**
 * Does the work, and does it again whenever a file's content is another. Folders are watched, as editors write a new file
 * in place of the old; what else changes in them isn't news.
 */
export async function eachChange(
  paths: readonly string[],
  stop: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  let news = true;
  let tell = () => {};
  let failure: Error | undefined;
  const wake = () => {
    news = true;
    tell();
  };
  const watchers = [...new Set(paths.map(path => dirname(path)))].map(folder => {
    try {
      return watch(folder, wake).on("error", error => {
        failure = error;
        wake();
      });
    } catch (error) {
      throw new CommandError(`${folder}: can't be watched: ${messageOf(error)}`);
    }
  });
  stop.addEventListener("abort", wake, { once: true });
  try {
    let known: string | undefined;
    while (!stop.aborted && failure === undefined) {
      news = false;
      const now = await contentOf(paths);
      if (now !== known) {
        known = now;
        await work();
      }
      if (!news)
        await new Promise<void>(resolve => {
          tell = resolve;
        });
    }
    if (failure !== undefined) throw new CommandError(`the files can't be watched any more: ${failure.message}`);
  } finally {
    for (const watcher of watchers) watcher.close();
  }
}

async function contentOf(paths: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const path of paths) {
    const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => String(error.code));
    hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest("hex");
}
