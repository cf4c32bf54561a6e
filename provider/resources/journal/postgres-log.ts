import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import postgres from "postgres";
import type { Lines } from "./log.js";

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
 * one has read all before it.
 *
 * Each exchange is one round trip: statements in one text, which the server runs as one transaction. It needs no prepared
 * statements, so a connection pooler may stand in between.
 */
export class PostgresLog implements Lines {
  readonly #sql: postgres.Sql;
  #position = 0;

  constructor(url: string) {
    this.#sql = postgres(plain(url), {
      ssl: encryptionOf(new URL(url).searchParams),
      max: 1,
      connect_timeout: 5,
      idle_timeout: 30,
      fetch_types: false,
      onnotice: () => undefined,
      connection: { application_name: "pulumi-docsign" },
    });
  }

  async exchange(lines: readonly string[]): Promise<readonly string[]> {
    const read: string[] = [];
    for (;;) {
      const [added, rows] = await this.#run(lines.length > 0 ? this.#insertion(lines.join("\n")) : NOTHING_ADDED);
      for (const row of rows) {
        this.#position = Number(row["position"]);
        read.push(...String(row["lines"]).split("\n"));
      }
      if (lines.length === 0 || added.count === 1) return read;
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
      values (${this.#position + 1}, convert_from(decode('${digits}', 'hex'), 'UTF8')) on conflict do nothing`;
  }
}

const NOTHING_ADDED = "select";

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code);

/** The client would send parameters it doesn't know to the server. */
function plain(url: string): string {
  const parsed = new URL(url);
  parsed.search = "";
  return parsed.href;
}

/** `sslmode` and `sslrootcert` as libpq reads them, which is how they are written in a backend's URL. */
function encryptionOf(query: URLSearchParams): boolean | "require" | "prefer" | ConnectionOptions {
  const mode = query.get("sslmode") ?? "prefer";
  const path = query.get("sslrootcert");
  if (mode === "disable") return false;
  if (mode === "require" && path === null) return "require";
  if (!["require", "verify-ca", "verify-full"].includes(mode)) return "prefer";
  return {
    ...(path === null || path === "system" ? {} : { ca: readFileSync(path) }),
    ...(mode === "verify-full" ? {} : { checkServerIdentity: () => undefined }),
  };
}
