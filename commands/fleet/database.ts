import { PgBoss } from "pg-boss";
import { Clients, connect } from "../../provider/resources/journal/postgres-connection.js";
import { CommandError, messageOf } from "../cli/flags.js";

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
export type Database = Awaited<ReturnType<typeof openDatabase>>;

interface DatabaseOptions {
  readonly url: string;
  /** Whether this process runs schedules and looks for jobs whose worker is silent. */
  readonly supervises: boolean;
  readonly onError: (error: Error) => void;
}

/** One process at a time, until its transaction ends: of two that make the same tables at once, one would fail. */
const ALONE = "select pg_advisory_xact_lock(hashtext('docsign.fleet'))";

export async function openDatabase({ url, supervises, onError }: DatabaseOptions) {
  const clients = new Clients(url, { max: 4 });
  // A connection of its own: the job engine writes `begin` and `commit` into its statements.
  const queue = new Clients(url, {
    max: 1,
    transform: { undefined: null },
    // It gives JSON as text.
    types: { json: { to: 114, from: [114, 3802], serialize: asJson, parse: (text: string) => JSON.parse(text) } },
  });
  const listener = connect(url, { max: 1 });
  /** Calls `heard` at each notification of a channel, and once it listens again after it couldn't. */
  const listen = async (channel: string, heard: (payload: string) => void, onListening = () => heard("")) => {
    await listener.listen(channel, heard, onListening);
  };
  const end = async (timeout: number) => {
    await Promise.all([clients.end(timeout), queue.end(timeout), listener.end({ timeout })]);
  };
  try {
    const boss = await clients.sql.begin(async making => {
      await making.unsafe(ALONE);
      // A role that may make no schema has them made for it: then they aren't even asked for.
      const [there] = await making.unsafe(
        `select to_regnamespace('${SCHEMA}') is null as own, to_regnamespace('${QUEUE_SCHEMA}') is null as queue`,
      );
      await making.unsafe(`${there?.["own"] ? `create schema ${SCHEMA};` : ""} ${TABLES}`);
      const made = new PgBoss({
        schema: QUEUE_SCHEMA,
        createSchema: there?.["queue"] === true,
        // What listens ends with its connection.
        db: {
          executeSql: inTurn(queue),
          listen: (...wanted) => listen(...wanted).then(() => ({ close: async () => undefined })),
        },
        useListenNotify: true,
        supervise: supervises,
        schedule: supervises,
        superviseIntervalSeconds: 5,
        monitorIntervalSeconds: 5,
        cronMonitorIntervalSeconds: 30,
      });
      made.on("error", onError);
      await made.start();
      return made;
    });
    return {
      /** Asked for at each use: after a connection was lost it is another client. */
      get sql() {
        return clients.sql;
      },
      boss,
      listen,
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

/**
 * One text after the other over the one connection. A text with a transaction of its own that fails in the middle leaves the
 * connection in it, for the next text to fail in.
 */
function inTurn(clients: Clients): (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }> {
  let last: Promise<unknown> = Promise.resolve();
  return (text, values) => {
    const answer = last.then(async () => {
      try {
        return { rows: rowsOf(await clients.sql.unsafe(text, values as never)) };
      } catch (error) {
        await clients.sql.unsafe("rollback").catch(() => undefined);
        throw error;
      }
    });
    last = answer.catch(() => undefined);
    return answer;
  };
}

const asJson = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** Several statements in one text have an answer each. */
const rowsOf = (result: readonly unknown[]): unknown[] =>
  result.length > 0 && result.every(Array.isArray) ? result.flat() : [...result];

const describe = (error: unknown): string =>
  error instanceof AggregateError ? error.errors.map(describe).join("; ") : messageOf(error);
