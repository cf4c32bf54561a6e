import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { namesIn, readJson, removeFile } from "./files.js";
import { entry } from "./journal-entry.js";

/** Looking through every entry for who is still spoken of is worth it now and then. */
const KEPT = 100;

/** Which provider processes were ended in order: a file for each, in one folder. */
export class Sessions {
  readonly own = randomUUID();

  constructor(private readonly folder: string) {}

  ended(session: string): boolean {
    return session !== this.own && existsSync(join(this.folder, session));
  }

  /** Forgets those that no entry speaks of any more. */
  async tidy(entries: () => string[]): Promise<void> {
    await turn();
    const names = namesIn(this.folder);
    if (names.length <= KEPT) return;
    const named = new Set<string | null>();
    for (const path of entries()) {
      for (const { session } of entry.safeParse(readJson(path)).data?.things ?? []) named.add(session);
      // There may be thousands, and creates go on meanwhile.
      await turn();
    }
    for (const name of names) if (!named.has(name)) removeFile(join(this.folder, name));
  }

  /** Synchronous, because the process may be killed at once. */
  end(): void {
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      writeFileSync(join(this.folder, this.own), "", { mode: 0o600 });
    } catch {
      // Then what was created here counts as unsettled until Diff or Read show otherwise, which sends nothing.
    }
  }
}
