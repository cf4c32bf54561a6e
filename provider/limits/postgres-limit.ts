import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { Limiter, type SharedLimit } from "../client/requests.js";
import { Clients } from "../resources/journal/postgres-connection.js";

const POLL_MS = 10;
const SILENT_MS = 30_000;
/** Where the data base has ended the session, as it was idle: the client may take a moment to notice. */
const TRIES = 3;

/**
 * Places are advisory locks of a session: one that dies, in whatever way, gives its places back, and so does one that is
 * stopped: it says nothing, and the data base ends it. It needs a connection of its own, so no pooler that shares sessions
 * may stand in between.
 */
export class PostgresLimit implements SharedLimit {
  readonly #clients: Clients;
  readonly #key: number;
  readonly #silentMs: number;
  readonly #beatMs: number;
  #beat: NodeJS.Timeout | undefined;
  #wasReached = false;
  readonly #taken = new Set<number>();
  /** A session's locks stack: one try at a time, and one that waits asks for all that do. */
  readonly #trying = new Limiter(1);

  constructor(
    url: string,
    private readonly account: string,
    private readonly slots: number,
    { silentMs = SILENT_MS, beatMs = silentMs / 3 }: { silentMs?: number; beatMs?: number } = {},
  ) {
    this.#silentMs = silentMs;
    this.#beatMs = beatMs;
    this.#clients = new Clients(url, { max: 1, fetch_types: false });
    this.#key = Number.parseInt(account.slice(0, 8), 16) | 0;
  }

  async enter(signal?: AbortSignal | undefined): Promise<{ leave: () => void; closedMs: number }> {
    const next = await this.#trying.enter(signal);
    try {
      for (;;) {
        signal?.throwIfAborted();
        const { slot, closedMs } = await this.#take();
        if (slot !== undefined) return { leave: () => this.#leave(slot), closedMs };
        await sleep(POLL_MS * (0.5 + Math.random()), undefined, signal ? { signal } : {});
      }
    } finally {
      next();
    }
  }

  close(forMs: number): void {
    const ms = Math.max(0, Math.round(forMs));
    this.#clients.sql
      .unsafe(
        `insert into docsign_fleet.account (name, closed_until)
          values ('${this.account}', now() + interval '${ms} milliseconds')
          on conflict (name) do update set closed_until = greatest(account.closed_until, excluded.closed_until)`,
      )
      .catch(() => undefined);
  }

  end(): Promise<void> {
    clearInterval(this.#beat);
    return this.#clients.end();
  }

  async #take(): Promise<{ slot: number | undefined; closedMs: number }> {
    try {
      const row = await this.#query(this.#wasReached ? TRIES : 1);
      this.#wasReached = true;
      const slot = row?.["place"] as number | null | undefined;
      if (slot === null || slot === undefined) return { slot: undefined, closedMs: 0 };
      this.#taken.add(slot);
      this.#beat ??= setInterval(
        () => void this.#clients.sql.unsafe("select").catch(() => undefined),
        this.#beatMs,
      ).unref();
      return { slot, closedMs: Math.max(0, Number(row?.["closed_ms"] ?? 0)) };
    } catch {
      // Out of reach: this process keeps to its own limits.
      this.#taken.clear();
      return { slot: 0, closedMs: 0 };
    }
  }

  /** None for a place that it has. */
  async #query(tries: number): Promise<postgres.Row | undefined> {
    const looking = this.#clients.sql.unsafe(`select
      (select n from generate_series(1, ${this.slots}) n
        where case when n = any('{${[...this.#taken].join(",")}}'::int[]) then false
          else pg_try_advisory_lock(${this.#key}, n) end limit 1) as place,
      (select extract(epoch from closed_until - now()) * 1000 from docsign_fleet.account
        where name = '${this.account}') as closed_ms,
      case when current_setting('server_version_num')::int >= 140000
        then set_config('idle_session_timeout', '${Math.ceil(this.#silentMs)}', false) end`);
    try {
      return (await looking)[0];
    } catch (error) {
      this.#wasReached = false;
      if (tries === 1) throw error;
      this.#taken.clear();
      return this.#query(tries - 1);
    }
  }

  #leave(slot: number): void {
    if (!this.#taken.delete(slot)) return;
    if (this.#taken.size === 0) {
      clearInterval(this.#beat);
      this.#beat = undefined;
    }
    this.#clients.sql.unsafe(`select pg_advisory_unlock(${this.#key}, ${slot})`).catch(() => undefined);
  }
}
