import { codeOf } from "../../core/text.js";
import type { LogRow, Piece, Position, Reading, Table } from "./log.js";
import { Clients } from "./postgres-connection.js";

const TABLE = "docsign.journal";
const CREATE = `create schema if not exists docsign;
create table if not exists ${TABLE} (
  position bigint primary key,
  nonce uuid not null default gen_random_uuid(),
  stacks text[] not null,
  keys text[] not null,
  lines text not null,
  written_at timestamptz not null default now()
);
create index if not exists journal_stacks on ${TABLE} using gin (stacks) with (fastupdate = off);
create index if not exists journal_keys on ${TABLE} using gin (keys) with (fastupdate = off)`;

/** Each statement sees what was committed before it, whatever the data base's default is. */
const COMMITTED = "set transaction isolation level read committed";
/** For this transaction: a planner that guesses would rather go through a large table than look for a hundred keys in it. */
const BY_INDEX = "select set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)";
/** One writer at a time, until its transaction ends: the statements after this one see all that others have written. */
const ALONE = "select pg_advisory_xact_lock(hashtext('docsign.journal'))";

/** Codes of an object that isn't there, and of one that another process has just made. */
const MISSING = ["42P01", "3F000"];
const JUST_MADE = ["23505", "42P06", "42P07"];
const TAKEN = "23505";

/**
 * A row for each piece. A row's number is one more than the last one its writer has looked at, and numbers are unique:
 * of two who write at the same time one reads on and takes the next. No number is left out, so who has read up to one has
 * read all before it. Writers take turns, or a slow one could take a number that compaction has freed meanwhile.
 *
 * Each exchange is one round trip: statements in one text, which the server runs as one transaction. It needs no prepared
 * statements, so a connection pooler may stand in between.
 */
export class PostgresTable implements Table {
  readonly #clients: Clients;

  constructor(url: string) {
    this.#clients = new Clients(url, { max: 1, idle_timeout: 30, fetch_types: false, connect_timeout: 0 });
  }

  async exchange(reading: Reading, piece: Piece | undefined): Promise<{ added: boolean; rows: LogRow[] }> {
    const { position } = reading;
    const addition = piece && position !== undefined ? insertion(piece, position) : NOTHING_ADDED;
    try {
      const [, , , added, rows] = await this.#clients.sql.unsafe<
        [unknown, unknown, unknown, readonly unknown[], readonly Stored[]]
      >(
        `${COMMITTED}; ${BY_INDEX}; ${addition === NOTHING_ADDED ? "select" : ALONE}; ${addition}; ${selection(reading)}`,
      );
      return { added: added.length > 0, rows: rows.map(rowOf).sort((a, b) => Number(a.number - b.number)) };
    } catch (error) {
      if (!MISSING.includes(codeOf(error))) throw error;
    }
    if (addition === NOTHING_ADDED) return { added: false, rows: [] };
    await this.#clients.sql.unsafe(CREATE).catch((error: unknown) => {
      if (!JUST_MADE.includes(codeOf(error))) throw error;
    });
    return this.exchange(reading, piece);
  }

  async replace(position: Position, stacks: readonly string[], pieces: readonly Piece[]): Promise<void> {
    const first = position.number + 1n;
    const rows = pieces.map(
      (piece, nth) => `(${first + BigInt(nth)}, ${array(piece.stacks)}, ${array(piece.keys)}, ${text(piece)})`,
    );
    await this.#clients.sql
      .unsafe(
        `${COMMITTED}; ${ALONE}; with added as (
          insert into ${TABLE} (position, stacks, keys, lines) select * from (values ${rows.join(", ")}) as rows
            where ${isLast(position)} returning 1
        ) delete from ${TABLE}
          where position <= ${position.number} and stacks && ${array(stacks)} and exists (select from added)`,
      )
      .catch((error: unknown) => {
        if (codeOf(error) !== TAKEN) throw error;
      });
  }

  async stacks(): Promise<readonly string[]> {
    try {
      const rows = await this.#clients.sql.unsafe(`select distinct unnest(stacks) as stack from ${TABLE}`);
      return rows.map(({ stack }) => String(stack));
    } catch (error) {
      if (MISSING.includes(codeOf(error))) return [];
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#clients.end();
  }
}

interface Stored {
  readonly position: string;
  readonly nonce: string;
  readonly stacks: string;
  readonly keys: string | null;
  readonly lines: string | null;
}

const rowOf = ({ position, nonce, stacks, keys, lines }: Stored): LogRow => ({
  number: BigInt(position),
  nonce,
  stacks: namesIn(stacks),
  keys: keys === null ? undefined : namesIn(keys),
  text: lines ?? undefined,
});

type Standing = NonNullable<Reading["position"]>;

const insertion = (piece: Piece, position: Standing): string =>
  `insert into ${TABLE} (position, stacks, keys, lines)
    select ${position.number + 1n},
      array(select unnest(${array(piece.stacks)}) union select unnest(stacks) from ${TABLE} where keys && ${array(piece.ids)}),
      ${array(piece.keys)}, ${text(piece)}
    where ${isLast(position)} on conflict do nothing returning position`;

const isLast = ({ number, nonce }: Standing): string =>
  nonce === undefined
    ? `not exists (select from ${TABLE})`
    : `(select nonce from ${TABLE} where position = ${number}) = '${nonce}'
        and not exists (select from ${TABLE} where position > ${number})`;

const NOTHING_ADDED = "select where false";

/**
 * One statement, so that all its rows are of one moment; in no order, which a planner would walk the whole table for. Of
 * stacks that aren't read, a row's text stays where it is.
 */
function selection({ position, stacks, keys }: Reading): string {
  const own = `stacks && ${array(stacks)}`;
  const wanted = [
    position === undefined
      ? `${own} or position = (select max(position) from ${TABLE})`
      : `position >= ${position.number}`,
    ...(keys.length > 0 ? [`keys && ${array(keys)} and not ${own}`] : []),
  ];
  return `select position, nonce, array_to_string(stacks, ',') as stacks,
      case when ${own} then null else array_to_string(keys, ',') end as keys, case when ${own} then lines end as lines
    from ${TABLE} where ${wanted.join(" or ")}`;
}

/** What a person gave as a token may be anything, and no row has it then. */
const array = (names: readonly string[]): string =>
  `'{${names.filter(name => /^[a-z0-9-]+$/.test(name)).join(",")}}'::text[]`;

/** Lines travel as hexadecimal digits: nothing in them can end the statement. */
const text = (piece: Piece): string =>
  `convert_from(decode('${Buffer.from(piece.text).toString("hex")}', 'hex'), 'UTF8')`;

const namesIn = (list: string): string[] => list.split(",");
