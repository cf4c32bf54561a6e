import type postgres from "postgres";
import { isIn, type Lines } from "./log.js";
import { connect } from "./postgres-connection.js";

const TABLE = "docsign.journal";
const CREATE = `create schema if not exists docsign;
create table if not exists ${TABLE} (
  position bigint primary key,
  lines text not null,
  written_at timestamptz not null default now()
)`;

/** Codes of an object that isn't there, and of one that another process has just made. */
const MISSING = ["42P01", "3F000"];
const JUST_MADE = ["23505", "42P06", "42P07"];

/**
 * A table with a row for each piece. A row's number is one more than the last one its writer has read, and numbers are
 * unique: of two who write at the same time one reads on and takes the next. No number is left out, so who has read up to
 * one has read all before it. A number that compaction has freed isn't taken again.
 *
 * Each exchange is one round trip: statements in one text, which the server runs as one transaction. It needs no prepared
 * statements, so a connection pooler may stand in between.
 */
export class PostgresLog implements Lines {
  readonly #sql: postgres.Sql;
  #position = 0;

  constructor(url: string) {
    this.#sql = connect(url, { max: 1, idle_timeout: 30, fetch_types: false, connect_timeout: 0 });
  }

  async exchange(lines: readonly string[]): Promise<readonly string[]> {
    const read: string[] = [];
    for (;;) {
      const [added, rows] = await this.#run(lines.length > 0 ? this.#insertion(lines.join("\n")) : NOTHING_ADDED);
      for (const row of rows) {
        this.#position = Number(row["position"]);
        read.push(...String(row["lines"]).split("\n"));
      }
      if (lines.length === 0 || added.count === 1 || isIn(read, lines)) return read;
    }
  }

  async compact(snapshot: string): Promise<void> {
    const next = this.#position + 1;
    await this.#sql.unsafe(
      `${this.#insertion(snapshot)}; delete from ${TABLE} where position < ${next}
        and exists (select from ${TABLE} where position = ${next} and starts_with(lines, '{"op":"snapshot"'))`,
    );
  }

  close(): Promise<void> {
    return this.#sql.end({ timeout: 0 });
  }

  async #run(addition: string): Promise<[postgres.RowList<postgres.Row[]>, postgres.RowList<postgres.Row[]>]> {
    const text = `${addition}; select position, lines from ${TABLE} where position > ${this.#position} order by position`;
    try {
      return (await this.#sql.unsafe(text)) as never;
    } catch (error) {
      if (!MISSING.includes(codeOf(error))) throw error;
    }
    if (addition === NOTHING_ADDED) return [[], []] as never;
    await this.#sql.unsafe(CREATE).catch((error: unknown) => {
      if (!JUST_MADE.includes(codeOf(error))) throw error;
    });
    return this.#run(addition);
  }

  /** The lines travel as hexadecimal digits: nothing in them can end the statement. */
  #insertion(lines: string): string {
    const digits = Buffer.from(lines).toString("hex");
    return `insert into ${TABLE} (position, lines)
      select ${this.#position + 1}, convert_from(decode('${digits}', 'hex'), 'UTF8')
      where not exists (select from ${TABLE} where position > ${this.#position}) on conflict do nothing`;
  }
}

const NOTHING_ADDED = "select";

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code);
