import type { Clock } from "../../core/clock.js";
import { UserError } from "../resource.js";
import { contractName, contractOf, contractsIn, invitationName, isStack, stackOf, tokenIn } from "./contract.js";
import { type AttemptRow, type Entry, type EntryOf, entry, type OwnedRow, type RemindersRow } from "./entry.js";

// ---- A log ----

/** Where lines are kept in one order, the same for everybody who reads them. */
export interface Lines {
  /** Whether it answers with all lines, and not only with those that matter to what is asked. */
  readonly isWhole: boolean;
  /**
   * Adds lines, in one piece and after all others, and answers with all that were added since the last call, these
   * included. They have reached the disk, if `durable`. No two lines are the same: what is found to be there already, after
   * an answer that was lost, isn't added again. `asked`: the names of all that was ever asked for, in turn; after new ones,
   * what matters to them may be read anew, behind `NOTHING`; what was lost is, behind `LOST`.
   */
  exchange(lines: readonly string[], durable: boolean, asked: readonly string[]): Promise<readonly string[]>;
  /** The names of all stacks that have lines, where it doesn't answer with all of them. */
  stacks?(): Promise<readonly string[]>;
  /** Puts one line in the place of all that were answered so far, unless others were added since. */
  compact(snapshot: string): Promise<void>;
  close(): Promise<void>;
}

/** A journal's lines, and what a person has to know of the place. */
export interface Log extends Lines {
  /** How a person calls the place, without credentials: "the journal in /home/…". */
  readonly name: string;
  /** What to do where it can't be used. */
  readonly advice: string;
  /** Whether other machines write to it: their clocks may be any time from this one's. */
  readonly isShared: boolean;
}

/** How a snapshot's line begins. */
export const SNAPSHOT = '{"op":"snapshot"';

/** Before all lines, where they are read anew. */
export const NOTHING = '{"op":"snapshot","version":1,"attempts":[],"owned":[],"reminders":[]}';

/** The same, where what was read before isn't there any more, or nobody knows: the place was restored, say. */
export const LOST = '{"op":"snapshot","version":1,"attempts":[],"owned":[],"reminders":[],"lost":true}';

/** Whether lines that are added in one piece are among those that were read. */
export const isIn = (read: readonly string[], [first = ""]: readonly string[]): boolean => read.includes(first);

/** The journal can't be read or written. Without it nothing is created; everything else goes on. */
export class JournalUnavailableError extends UserError {
  constructor(place: string, cause: unknown, advice: string) {
    super(
      `${place} can't be used (${reasonOf(cause)}), and without it nothing is created: a crash would mail people twice. ${advice}`,
    );
    this.cause = cause;
  }
}

function reasonOf(cause: unknown): string {
  const { code, message } = cause as { code?: unknown; message?: unknown };
  return /^E[A-Z]+$/.test(String(code)) ? String(code) : String(message);
}

// ---- Tags ----

/** What a line is about, for a log that isn't read whole. */
interface Tags {
  /** Whose lines it comes after. */
  readonly stacks: readonly string[];
  /**
   * Ids it changes, what a person lets go of with it, and the contract it begins: it comes after all lines that named them,
   * of any stack.
   */
  readonly ids: readonly string[];
  /** What another stack may ask for: these, and contracts. */
  readonly keys: readonly string[];
}

export function tagsOf(line: Entry): Tags {
  switch (line.op) {
    case "begin":
      return tags([line.urn], line.knows ? sentBy(line) : [], [line.token, ...(line.knows ? [] : sentBy(line))]);
    case "hint":
    case "resolve":
    case "withdraw":
    case "reminded":
    case "unremind":
      return tags([line.urn], []);
    case "remind":
      return tags([line.urn], invitationsOf(line));
    case "claim":
    case "show":
      return tags([line.urn], [tokenIn(line)], contractsOf(line));
    case "replace":
    case "release":
      return tags([line.urn], [tokenIn(line)]);
    case "forget":
      return tags([], line.tokens);
    case "snapshot":
      return allOf([
        ...line.attempts.map(row => tags([row.urn], [], [row.token, ...sentBy(row)])),
        ...line.owned.map(row => tags(urnsIn(row), [tokenIn(row)], contractsOf(row))),
        ...line.reminders.map(row => tags([row.urn], [], invitationsOf(row))),
      ]);
  }
}

const allOf = (all: readonly Tags[]): Tags => ({
  stacks: distinct(all.flatMap(({ stacks }) => stacks)),
  ids: distinct(all.flatMap(({ ids }) => ids)),
  keys: distinct(all.flatMap(({ keys }) => keys)),
});

/** What each of these stacks holds, as a snapshot of its own. */
export function snapshotsOf(all: EntryOf<"snapshot">, stacks: readonly string[]): EntryOf<"snapshot">[] {
  const attempts = byStack(all.attempts);
  const owned = byStack(all.owned);
  const reminders = byStack(all.reminders);
  return stacks.map(stack => ({
    ...all,
    stacks: [stack],
    attempts: attempts.get(stack) ?? [],
    owned: owned.get(stack) ?? [],
    reminders: reminders.get(stack) ?? [],
  }));
}

interface Held {
  readonly urn: string;
  readonly others?: readonly { readonly urn: string }[] | undefined;
}

const tags = (urns: readonly string[], ids: readonly string[], more: readonly string[] = []): Tags => ({
  stacks: distinct(urns.map(stackOf)),
  ids,
  keys: [...ids, ...more],
});

const contractsOf = ({ service, ...made }: Pick<OwnedRow, "service" | "contract" | "followed">): string[] =>
  contractsIn(made).map(contract => contractName(service, contract));

const sentBy = (row: AttemptRow): string[] => [contractName(row.service, contractOf(row))];

const invitationsOf = ({ service, rows }: RemindersRow): string[] =>
  rows.map(({ invitationId }) => invitationName(service, invitationId));

/** Also of those that have let go of it. */
const urnsIn = ({ urn, others = [] }: Held): string[] => [urn, ...others.map(each => each.urn)];

/** A row is each stack's that may have what it is about. */
function byStack<Row extends Held>(rows: readonly Row[]): Map<string, Row[]> {
  const stacks = rows.flatMap(row => distinct(urnsIn(row).map(stackOf)).map(stack => ({ stack, row })));
  return new Map(
    [...Map.groupBy(stacks, ({ stack }) => stack)].map(([stack, each]) => [stack, each.map(({ row }) => row)]),
  );
}

const distinct = (names: readonly string[]): string[] => [...new Set(names)];

// ---- A log read in parts ----

/** Lines that are written in one piece, and what they are about. */
export interface Piece extends Tags {
  readonly text: string;
}

/** A row's number, and what no other row ever has: a table that was restored has other rows with the same numbers. */
export interface Position {
  readonly number: bigint;
  readonly nonce: string;
}

export interface LogRow extends Position {
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
const BEGINNING = { number: 0n, nonce: undefined } as const;

/** Pieces with a position each, none left out when they are added. */
export interface Table {
  /**
   * In one step: adds the piece behind `position`, if that is there and the last, for its stacks and those of all rows
   * that named its ids; then answers with the row at `position`, those behind it, and other stacks' that have the keys.
   * Where nothing was read yet, it adds nothing, and answers with the stacks' rows, with others' that have the keys, and
   * the last.
   */
  exchange(reading: Reading, piece: Piece | undefined): Promise<{ readonly added: boolean; readonly rows: LogRow[] }>;
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
    // What another stack may have as well still links the two: a later line of either may give it to the other.
    const pieces = snapshotsOf(parse(snapshot) as EntryOf<"snapshot">, stacks).map(own => {
      const piece = pieceOf([own], [JSON.stringify(own)]);
      return { ...piece, stacks: distinct([...(own.stacks ?? []), ...piece.stacks]) };
    });
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

  #matters({ stacks, keys = [] }: LogRow): boolean {
    return stacks.some(stack => this.#stacks.has(stack)) || keys.some(key => this.#keys.has(key));
  }
}

/** Whether the rows, in order, include the one that was read last. */
const isThere = (position: Reading["position"], rows: readonly LogRow[]): boolean =>
  position?.nonce === undefined ||
  rows.some(({ number, nonce }) => number === position.number && nonce === position.nonce);

/** Whether what was read last is in a snapshot behind it. Other stacks' rows come without a text. */
const isCompacted = (position: Reading["position"], rows: readonly LogRow[]): boolean =>
  rows.some(({ number, text }) => number > (position?.number ?? 0n) && text?.startsWith(SNAPSHOT));

const parse = (line: string) => entry.parse(JSON.parse(line));

const pieceOf = (entries: readonly ReturnType<typeof parse>[], lines: readonly string[]): Piece => ({
  ...allOf(entries.map(tagsOf)),
  text: lines.join("\n"),
});

// ---- A log elsewhere ----

export const ANSWER_MS = 10_000;
/** After a read that failed nothing is asked for so long, and fails at once: a place across a network takes its time to fail. */
const PAUSE_MS = 30_000;

/** A log that is loaded and connected when it is first used, and left where it doesn't answer in time. */
export class RemoteLog implements Log {
  readonly isShared = true;
  /** Known once it has answered. */
  isWhole = true;
  #lines: Promise<Lines> | undefined;
  #wasLeft = false;
  #down: { readonly error: unknown; readonly until: number } | undefined;

  constructor(
    readonly name: string,
    readonly advice: string,
    private readonly open: () => Promise<Lines>,
    private readonly clock: Pick<Clock, "now" | "wait">,
  ) {}

  async exchange(lines: readonly string[], durable: boolean, asked: readonly string[]): Promise<readonly string[]> {
    if (this.#down && this.clock.now() < this.#down.until) throw this.#down.error;
    const isFresh = this.#lines === undefined;
    const exchange = (log: Lines) => {
      this.isWhole = log.isWhole;
      return log.exchange(lines, durable, asked);
    };
    const added = await this.#inTime(exchange)
      .catch((error: unknown) => {
        // A connection that was good may be dead by now.
        if (isFresh || error instanceof LateError) throw error;
        return this.#inTime(exchange);
      })
      .catch((error: unknown) => {
        if (lines.length === 0) this.#down = { error, until: this.clock.now() + PAUSE_MS };
        throw error;
      });
    if (!this.#wasLeft) return added;
    this.#wasLeft = false;
    return [LOST, ...added];
  }

  stacks(): Promise<readonly string[]> {
    return this.#inTime(async log => (await log.stacks?.()) ?? []);
  }

  compact(snapshot: string): Promise<void> {
    return this.#inTime(log => log.compact(snapshot));
  }

  async close(): Promise<void> {
    const lines = this.#lines;
    this.#lines = undefined;
    await lines?.then(log => log.close()).catch(() => undefined);
  }

  /** After a failure of any kind it isn't known what was read: it is opened anew. */
  async #inTime<T>(work: (log: Lines) => Promise<T>): Promise<T> {
    this.#lines ??= this.open();
    const ended = new AbortController();
    const late = this.clock.wait(ANSWER_MS, ended.signal).then(() => {
      throw new LateError(`expected an answer within ${ANSWER_MS / 1000} s, got none`);
    });
    try {
      return await Promise.race([this.#lines.then(work), late]);
    } catch (error) {
      this.#wasLeft = true;
      void this.close();
      throw error;
    } finally {
      // With a reason of ours: the usual one is an error with a stack, a fiftieth of the time that a create takes.
      ended.abort("it is over");
    }
  }
}

class LateError extends Error {}
