import { existsSync } from "node:fs";
import { readJson, removeFile, writeDurably, writeWhole } from "./files.js";
import { blank, type Entry, entry, type Scope } from "./journal-entry.js";
import { onDisk, troubleOf, unreadable } from "./journal-errors.js";
import type { JournalPaths } from "./journal-paths.js";

/** The journal's entries, a file for each resource. */
export class Entries {
  /** They change one step at a time, however many calls are under way for one resource. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(
    private readonly paths: JournalPaths,
    private readonly backend: string | undefined,
  ) {}

  /** What can't be read counts as nothing. */
  read(scope: Scope): Entry {
    return this.at(this.paths.entryOf(scope)) ?? blank(scope, this.backend);
  }

  /** For a decision to create: what can't be read is not the same as nothing. */
  known(scope: Scope): Entry {
    const path = this.paths.entryOf(scope);
    const there = onDisk(this.paths.folder, () => this.at(path));
    if (there === undefined && existsSync(path)) throw unreadable(path);
    return there ?? blank(scope, this.backend);
  }

  at(path: string): Entry | undefined {
    return entry.safeParse(readJson(path)).data;
  }

  async change(scope: Scope, step: (entry: Entry) => Entry, { durable = false } = {}): Promise<void> {
    const path = this.paths.entryOf(scope);
    const turn = (this.#turns.get(path) ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => {
        const changed = step(this.read(scope));
        return durable ? writeDurably(path, textOf(changed)) : save(path, changed);
      });
    this.#turns.set(path, turn);
    try {
      await turn;
    } catch (error) {
      throw troubleOf(error, this.paths.folder);
    } finally {
      if (this.#turns.get(path) === turn) this.#turns.delete(path);
    }
  }

  /** Another resource has this id now. */
  forget(path: string, id: string): void {
    const there = this.at(path);
    if (there) save(path, { ...there, things: there.things.filter(thing => thing.id !== id) });
  }
}

const textOf = (changed: Entry): string => `${JSON.stringify(changed)}\n`;

function save(path: string, changed: Entry): void {
  if (changed.intent === undefined && changed.things.length === 0) removeFile(path);
  else writeWhole(path, textOf(changed));
}
