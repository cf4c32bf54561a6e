import { type EntryOf, entry } from "./entry.js";
import { isIn, type Lines, NOTHING } from "./log.js";
import { isStack } from "./names.js";
import { allOf, snapshotsOf, type Tags, tagsOf } from "./tags.js";

/** Lines that are written in one piece, and what they are about. */
export interface Piece extends Tags {
  readonly text: string;
}

export interface Row {
  readonly position: number;
  readonly stacks: readonly string[];
  /** Undefined where the stacks are among those that are read: then there is a text. */
  readonly keys: readonly string[] | undefined;
  readonly text: string | undefined;
}

/** What was read last, and what is to be read. */
export interface Reading {
  /** All rows up to here were looked at; undefined: none. */
  readonly position: number | undefined;
  /** Whose rows are read. */
  readonly stacks: readonly string[];
  /** Other stacks' rows with these are read as well, wherever they are. */
  readonly keys: readonly string[];
}

/** Pieces with a position each, none left out when they are added. */
export interface Table {
  /**
   * In one step: adds the piece behind `position`, unless another is there already, for its stacks and those of all rows
   * that named its ids; then answers with the rows behind `position`, and with other stacks' that have the keys. Where
   * nothing was read yet, it adds nothing, and answers with the stacks' rows, with others' that have the keys, and the last.
   */
  exchange(reading: Reading, piece: Piece | undefined): Promise<{ readonly added: boolean; readonly rows: Row[] }>;
  /** In one step: puts pieces in the place of all rows of these stacks, unless another is behind `position`. */
  replace(position: number, stacks: readonly string[], pieces: readonly Piece[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Reads the lines of the stacks that matter to a process, out of a table with those of all. What it has answered is
 * what a whole reader knows of these stacks, because no line of theirs is left out, and none depends on another stack's:
 *
 * - A row is for each stack that it reads or changes something of. Which these are, the table says when it is added.
 * - Who reads a row reads all rows of all its stacks.
 * - Who has asked for a key reads all rows of the stacks that have a row with it.
 *
 * Where that adds a stack, all is read anew.
 */
export class PartialLog implements Lines {
  readonly isWhole = false;
  readonly #stacks = new Set<string>();
  readonly #keys = new Set<string>();
  #position: number | undefined;
  /** How many of the names asked for it has looked for. */
  #looked = 0;

  constructor(private readonly table: Table) {}

  async exchange(lines: readonly string[], _durable: boolean, asked: readonly string[]): Promise<readonly string[]> {
    const piece = lines.length > 0 ? pieceOf(lines.map(parse), lines) : undefined;
    const read: string[] = [];
    let isAdded = piece === undefined;
    for (;;) {
      const keys = this.#lookFor(asked);
      if (this.#position === undefined) read.splice(0, Number.POSITIVE_INFINITY, NOTHING);
      const reading = { position: this.#position, stacks: [...this.#stacks], keys };
      const { added, rows } = await this.table.exchange(reading, isAdded ? undefined : piece);
      isAdded ||= added;
      // The table has lost rows that were read: it was restored, or a replica has taken over.
      if (!isAdded && reading.position !== undefined && rows.every(row => row.position <= (reading.position ?? 0))) {
        this.#position = undefined;
        continue;
      }
      this.#position = Math.max(this.#position ?? 0, rows.at(-1)?.position ?? 0);
      const own = rows.filter(row => this.#matters(row));
      if (this.#widen(own.flatMap(({ stacks }) => stacks))) continue;
      read.push(...own.flatMap(({ text = "" }) => text.split("\n")));
      if (isAdded || isIn(read, lines)) return read;
    }
  }

  async compact(snapshot: string): Promise<void> {
    if (this.#position === undefined) return;
    const stacks = [...this.#stacks];
    const pieces = snapshotsOf(parse(snapshot) as EntryOf<"snapshot">, stacks).map(own => ({
      ...pieceOf([own], [JSON.stringify(own)]),
      stacks: own.stacks ?? [],
    }));
    await this.table.replace(this.#position, stacks, pieces);
  }

  close(): Promise<void> {
    return this.table.close();
  }

  /** The keys to look for among all rows: those that are new, or all where all is read anew. */
  #lookFor(asked: readonly string[]): string[] {
    const names = asked.slice(this.#looked);
    this.#looked = asked.length;
    const keys = names.filter(name => !isStack(name));
    for (const key of keys) this.#keys.add(key);
    this.#widen(names.filter(isStack));
    return this.#position === undefined ? [...this.#keys] : keys;
  }

  #widen(stacks: readonly string[]): boolean {
    const before = this.#stacks.size;
    for (const stack of stacks) this.#stacks.add(stack);
    if (this.#stacks.size === before) return false;
    this.#position = undefined;
    return true;
  }

  #matters({ stacks, keys = [] }: Row): boolean {
    return stacks.some(stack => this.#stacks.has(stack)) || keys.some(key => this.#keys.has(key));
  }
}

const parse = (line: string) => entry.parse(JSON.parse(line));

const pieceOf = (entries: readonly ReturnType<typeof parse>[], lines: readonly string[]): Piece => ({
  ...allOf(entries.map(tagsOf)),
  text: lines.join("\n"),
});
