import type { Log } from "./log.js";

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
