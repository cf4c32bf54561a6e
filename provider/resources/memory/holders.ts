import { readFile } from "node:fs/promises";
import { makeNew, removeFile, writeWhole } from "./files.js";
import type { JournalPaths } from "./journal-paths.js";

/** Which entry each id belongs to: a file for each, made exclusively, so that two resources never share one. */
export class Holders {
  constructor(private readonly paths: JournalPaths) {}

  /** A file that was cut off while it was written names nobody. */
  async of(service: string, id: string): Promise<string | undefined> {
    const key = await readFile(this.paths.id(service, id), "utf8").catch(() => "");
    return /^[0-9a-f]{32}$/.test(key) ? key : undefined;
  }

  /** False where some entry has it. */
  take(service: string, id: string, key: string): Promise<boolean> {
    return makeNew(this.paths.id(service, id), key);
  }

  give(service: string, id: string, key: string): Promise<void> {
    return writeWhole(this.paths.id(service, id), key);
  }

  async drop(service: string, id: string, key: string): Promise<void> {
    if ((await this.of(service, id)) === key) await removeFile(this.paths.id(service, id));
  }
}
