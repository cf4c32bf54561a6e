import { randomBytes } from "node:crypto";
import type { Log } from "./log.js";
import { LoggedJournal } from "./logged-journal.js";

export { tokenOf } from "./remembered.js";

/** A log that lasts as long as its process. */
export class MemoryLog implements Log {
  readonly name = "the journal in memory";
  readonly advice = "";
  readonly pauseMs = 0;
  #read = 0;

  /** Who share the lines share the log. */
  constructor(private readonly lines: string[] = []) {}

  async exchange(lines: readonly string[]): Promise<readonly string[]> {
    this.lines.push(...lines);
    const added = this.lines.slice(this.#read);
    this.#read = this.lines.length;
    return added;
  }

  async compact(): Promise<void> {}

  async close(): Promise<void> {}
}

/** For tests, and for a front end that has no disk: what is remembered ends with the process. */
export class MemoryJournal extends LoggedJournal {
  constructor(run: string = randomBytes(4).toString("hex")) {
    super(new MemoryLog(), { run });
  }
}
