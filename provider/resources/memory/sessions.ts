import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Which provider processes were ended in order: a file for each, in one folder. */
export class Sessions {
  readonly own = randomUUID();

  constructor(private readonly folder: string) {}

  ended(session: string): boolean {
    return session !== this.own && existsSync(join(this.folder, session));
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
