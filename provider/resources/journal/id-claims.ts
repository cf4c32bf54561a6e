import { readFileSync } from "node:fs";
import { makeNew, removeFile, writeWhole } from "./files.js";
import type { JournalPaths } from "./journal-paths.js";

/** Which entry each id belongs to: a file for each, made exclusively, so that two resources never share one. */
export class IdClaims {
  constructor(private readonly paths: JournalPaths) {}

  /** A file that was cut off while it was written names nobody. */
  of(service: string, id: string): string | undefined {
    const key = readOrBlank(this.paths.id(service, id));
    return /^[0-9a-f]{32}$/.test(key) ? key : undefined;
  }

  /** False where some entry has it. */
  take(service: string, id: string, key: string): boolean {
    return makeNew(this.paths.id(service, id), key);
  }

  give(service: string, id: string, key: string): void {
    writeWhole(this.paths.id(service, id), key);
  }

  drop(service: string, id: string, key: string): void {
    if (this.of(service, id) === key) removeFile(this.paths.id(service, id));
  }
}

function readOrBlank(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
