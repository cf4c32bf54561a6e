import { type EntryOf, entry } from "./entry.js";
import { isIn, type Lines, LOST, NOTHING } from "./log.js";
import { isStack } from "./names.js";
import { allOf, snapshotsOf, type Tags, tagsOf } from "./tags.js";

/** Lines that are written in one piece, and what they are about. */
export interface Piece extends Tags {
  readonly text: string;
}

/** A row's number, and what no other row ever has: a table that was restored has other rows with the same numbers. */
export interface Position {
  readonly number: bigint;
  readonly nonce: string;
}

export interface Row extends Position {
  readonly stacks: readonly string[];
  /** Undefined where the stacks are among those that are read: then there is a text. */
  readonly keys: readonly string[] | undefined;
  readonly text: string | undefined;
}

/** What was read last, and what is to be read. */
export interface Reading {
  /** All rows up to this one were looked at, or up to the beginning of a table that was empty; undefined: none were. */
  readonly position: Position | typeof BEGINNING | undefined;
  /** Whose rows are read. */
  readonly stacks: readonly string[];
  /** Other stacks' rows with these are read as well, wherever they are. */
  readonly keys: readonly string[];
}

/** Where an empty table is added to. */
export const BEGINNING = { number: 0n, nonce: undefined } as const;

/** Pieces with a position each, none left out when they are added. */
export interface Table {
  /**
   * In one step: adds the piece behind `position`, if that is there and the last, for its stacks and those of all rows
   * that named its ids; then answers with the row at `position`, those behind it, and other stacks' that have the keys.
   * Where nothing was read yet, it adds nothing, and answers with the stacks' rows, with others' that have the keys, and
   * the last.
   */
  exchange(reading: Reading, piece: Piece | undefined): Promise<{ readonly added: boolean; readonly rows: Row[] }>;
  /** In one step: puts pieces in the place of all rows of these stacks, if `position` is there and the last. */
  replace(position: Position, stacks: readonly string[], pieces: readonly Piece[]): Promise<void>;
  /** Of all rows. */
  stacks(): Promise<readonly string[]>;
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
  #position: Reading["position"];
  /** The last row's number ever read. Numbers only grow, where nothing is lost. */
  #last = 0n;
  /** How many of the names asked for it has looked for. */
  #looked = 0;

  constructor(private readonly table: Table) {}

  async exchange(lines: readonly string[], _durable: boolean, asked: readonly string[]): Promise<readonly string[]> {
    const piece = lines.length > 0 ? pieceOf(lines.map(parse), lines) : undefined;
    const read: string[] = [];
    let isAdded = piece === undefined;
    for (let before = NOTHING; ; ) {
      const keys = this.#lookFor(asked);
      if (this.#position === undefined) read.splice(0, Number.POSITIVE_INFINITY, before);
      const reading = { position: this.#position, stacks: [...this.#stacks], keys };
      const answer = await this.table.exchange(reading, isAdded ? undefined : piece);
      const { rows } = answer;
      isAdded ||= answer.added;
      const { number, nonce } = rows.at(-1) ?? BEGINNING;
      const hasLost = number < this.#last || !(isThere(reading.position, rows) || isCompacted(reading.position, rows));
      this.#last = number;
      // The table has lost rows that were read, as it was restored or a replica has taken over; or they were compacted.
      if (hasLost || !isThere(reading.position, rows)) {
        if (hasLost) before = LOST;
        this.#position = undefined;
        continue;
      }
      this.#position = nonce === undefined ? BEGINNING : { number, nonce };
      const own = rows.filter(row => this.#matters(row));
      if (this.#widen(own.flatMap(({ stacks }) => stacks))) continue;
      const added = own.filter(row => row.number !== reading.position?.number);
      read.push(...added.flatMap(({ text = "" }) => text.split("\n")));
      if (isAdded || isIn(read, lines)) return read;
    }
  }

  async compact(snapshot: string): Promise<void> {
    if (this.#position?.nonce === undefined) return;
    const stacks = [...this.#stacks];
    const pieces = snapshotsOf(parse(snapshot) as EntryOf<"snapshot">, stacks).map(own => ({
      ...pieceOf([own], [JSON.stringify(own)]),
      stacks: own.stacks ?? [],
    }));
    await this.table.replace(this.#position, stacks, pieces);
  }

  stacks(): Promise<readonly string[]> {
    return this.table.stacks();
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

/** Whether the rows, in order, include the one that was read last. */
const isThere = (position: Reading["position"], rows: readonly Row[]): boolean =>
  position?.nonce === undefined ||
  rows.some(({ number, nonce }) => number === position.number && nonce === position.nonce);

/** Whether what was read last is in a snapshot behind it. Other stacks' rows come without a text. */
const isCompacted = (position: Reading["position"], rows: readonly Row[]): boolean =>
  rows.some(({ number, text }) => number > (position?.number ?? 0n) && text?.startsWith(SNAPSHOT));

const SNAPSHOT = '{"op":"snapshot"';

const parse = (line: string) => entry.parse(JSON.parse(line));

const pieceOf = (entries: readonly ReturnType<typeof parse>[], lines: readonly string[]): Piece => ({
  ...allOf(entries.map(tagsOf)),
  text: lines.join("\n"),
});
