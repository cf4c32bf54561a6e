import { cpSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "../../support/scratch.js";

const MOST_TRIES = 200;

/** What a folder holds at one moment, to be put back after the process that uses it is gone. */
export function snapshot(folder: string): { restore(): void } {
  const copy = scratchFolder("docsign-disk-");
  for (let tries = 0; ; tries++) {
    try {
      const before = traits(folder);
      cpSync(folder, copy, { recursive: true });
      if (traits(folder) === before || tries > MOST_TRIES) break;
    } catch (error) {
      if (tries > MOST_TRIES) throw error;
    }
    // Somebody wrote meanwhile: half of an old state and half of a new one is no moment at all.
    rmSync(copy, { recursive: true, force: true });
  }
  return {
    restore() {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
      cpSync(copy, folder, { recursive: true });
      rmSync(copy, { recursive: true });
    },
  };
}

function traits(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .map(path => `${path} ${statSync(path).ino} ${statSync(path).size} ${statSync(path).mtimeMs}`)
    .sort()
    .join("\n");
}
