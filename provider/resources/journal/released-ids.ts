import { existsSync } from "node:fs";
import { makeNew, olderThan, removeFile } from "./files.js";
import type { JournalPaths } from "./journal-paths.js";

const KEPT_MS = 30 * 24 * 3_600_000;

/** Ids that a stack let go of, for a month: what was destroyed isn't the outcome of a create that comes after it. */
export class ReleasedIds {
  #tidied = false;

  constructor(private readonly paths: JournalPaths) {}

  has(service: string, id: string): boolean {
    return existsSync(this.paths.gone(service, id));
  }

  add(service: string, id: string): void {
    this.#tidy(service);
    makeNew(this.paths.gone(service, id), "");
  }

  delete(service: string, id: string): void {
    removeFile(this.paths.gone(service, id));
  }

  /** Once a process is often enough. */
  #tidy(service: string): void {
    if (this.#tidied) return;
    this.#tidied = true;
    for (const path of olderThan(this.paths.allGone(service), KEPT_MS)) removeFile(path);
  }
}
