import { PgBoss } from "pg-boss";
import type postgres from "postgres";
import { CommandError, messageOf } from "../board/errors.js";
import { connect } from "../provider/resources/journal/postgres-connection.js";

export type Sql = postgres.Sql;

/** Schemas of our own tables, and of the job engine's. */
export const SCHEMA = "docsign_fleet";
export const QUEUE_SCHEMA = "docsign_queue";

export const TABLES = `create table if not exists ${SCHEMA}.fleet (
  name text primary key,
  shards int,
  planned_at timestamptz not null default now()
);
create table if not exists ${SCHEMA}.worker (
  id text primary key,
  fleet text not null,
  host text not null,
  pid int not null,
  version text not null,
  digest text not null,
  lease_seconds int not null,
  seen_at timestamptz not null default now()
);
create table if not exists ${SCHEMA}.lease (
  fleet text not null,
  stack text not null,
  token uuid not null,
  worker text not null,
  host text not null,
  engines int[] not null default '{}',
  gone jsonb not null default '[]',
  note text not null default '',
  cancelled boolean not null default false,
  lease_seconds int not null,
  taken_at timestamptz not null default now(),
  renewed_at timestamptz not null default now(),
  primary key (fleet, stack)
);
create table if not exists ${SCHEMA}.run (
  id uuid primary key,
  fleet text not null,
  command text not null,
  stacks text[] not null,
  version text not null,
  started_at timestamptz not null default now()
);
create table if not exists ${SCHEMA}.account (
  name text primary key,
  closed_until timestamptz not null default now()
)`;

/** The fleet's Postgres: our tables, and the job engine on its own. */
export interface Database extends AsyncDisposable {
  readonly sql: Sql;
  readonly boss: PgBoss;
}

export interface DatabaseOptions {
  readonly url: string;
  /** Whether this process runs schedules and looks for jobs whose worker is silent. */
  readonly supervises: boolean;
  readonly onError: (error: Error) => void;
}

/** Codes of what another process has just made. */
const JUST_MADE = ["23505", "42P06", "42P07"];

export async function openDatabase({ url, supervises, onError }: DatabaseOptions): Promise<Database> {
  const sql = connect(url, { max: 4 });
  // A connection of its own: the job engine writes `begin` and `commit` into its statements.
  const queue = connect(url, {
    max: 1,
    transform: { undefined: null },
    // It gives JSON as text.
    types: { json: { to: 114, from: [114, 3802], serialize: asJson, parse: (text: string) => JSON.parse(text) } },
  });
  const end = async (timeout: number) => {
    await Promise.all([sql.end({ timeout }), queue.end({ timeout })]);
  };
  try {
    // A role that may make no schema has them made for it: then they aren't even asked for.
    const [there] =
      await sql`select to_regnamespace(${SCHEMA}) is null as own, to_regnamespace(${QUEUE_SCHEMA}) is null as queue`;
    await sql
      .unsafe(`${there?.["own"] ? `create schema ${SCHEMA};` : ""} ${TABLES}`)
      .catch((error: { code?: string }) => {
        if (!JUST_MADE.includes(error.code ?? "")) throw error;
      });
    const boss = new PgBoss({
      schema: QUEUE_SCHEMA,
      createSchema: there?.["queue"] === true,
      db: { executeSql: async (text, values) => ({ rows: rowsOf(await queue.unsafe(text, values as never)) }) },
      supervise: supervises,
      schedule: supervises,
      superviseIntervalSeconds: 5,
      monitorIntervalSeconds: 5,
      cronMonitorIntervalSeconds: 30,
    });
    boss.on("error", onError);
    await boss.start();
    return {
      sql,
      boss,
      async [Symbol.asyncDispose]() {
        await boss.stop({ graceful: false, close: false }).catch(() => undefined);
        await end(1);
      },
    };
  } catch (error) {
    await end(0);
    throw new CommandError(`expected a Postgres that answers, got: ${describe(error)}`);
  }
}

const asJson = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** Several statements in one text have an answer each. */
function rowsOf(result: readonly unknown[]): unknown[] {
  return result.length > 0 && result.every(Array.isArray) ? result.flat() : [...result];
}

function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describe).join("; ");
  return messageOf(error);
}
