import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import type { Scope } from "./contract.js";
import { olderThan, readJson, removeFile, writeDurably } from "./files.js";

const KEPT_MS = 365 * 24 * 3_600_000;

const row = z.object({
  invitationId: z.string(),
  /** Which triggers it went out for. */
  round: z.string(),
  /** By the service's clock. */
  at: z.string(),
  /** `unknown` from before the request until its answer. */
  outcome: z.enum(["sent", "unknown"]),
});
export type RememberedReminder = z.infer<typeof row>;

const tidied = new WeakSet<object>();

const page = z.object({ version: z.literal(1), urn: z.string(), rows: z.array(row) });

/**
 * What a Reminder has sent, on disk before it is sent, so that a crash at any point reminds nobody twice: the latest
 * reminder of each invitation, in a folder `reminders` beside the journal's entries, under the entry's own name.
 */
export class SentReminders {
  readonly #path: string;

  constructor(
    private readonly journal: { pathOf(scope: Scope): string },
    private readonly scope: Scope,
  ) {
    const entry = journal.pathOf(scope);
    this.#path = join(dirname(dirname(entry)), "reminders", basename(entry));
  }

  /** What nobody has been reminded by for a year is history, and state has it. Once a process is often enough. */
  tidy(): void {
    if (tidied.has(this.journal)) return;
    tidied.add(this.journal);
    try {
      for (const path of olderThan(dirname(this.#path), KEPT_MS)) if (path !== this.#path) removeFile(path);
    } catch {
      // Another process will.
    }
  }

  rows(): RememberedReminder[] {
    const parsed = page.safeParse(readJson(this.#path));
    if (parsed.success) return parsed.data.rows;
    if (!existsSync(this.#path)) return [];
    throw new Error(`it was cut off. If nobody was reminded lately: rm '${this.#path}'`);
  }

  /** On disk when this is done. */
  write(rows: readonly RememberedReminder[]): Promise<void> {
    return writeDurably(this.#path, `${JSON.stringify({ version: 1, urn: this.scope.urn, rows })}\n`);
  }
}
