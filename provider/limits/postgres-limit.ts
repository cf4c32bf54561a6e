import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import type { SharedLimit } from "../client/requests.js";
import { Clients } from "../resources/journal/postgres-connection.js";

const LOOK_MS = 40;
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
  readonly #held = new Set<number>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    url: string,
    private readonly account: string,
    private readonly places: number,
    { silentMs = SILENT_MS, beatMs = silentMs / 3 }: { silentMs?: number; beatMs?: number } = {},
  ) {
    this.#silentMs = silentMs;
    this.#beatMs = beatMs;
    this.#clients = new Clients(url, { max: 1, fetch_types: false });
    this.#key = Number.parseInt(account.slice(0, 8), 16) | 0;
  }

  async enter(signal?: AbortSignal | undefined): Promise<{ leave: () => void; closedMs: number }> {
    for (;;) {
      signal?.throwIfAborted();
      const { place, closedMs } = await this.#inTurn(() => this.#take());
      if (place !== undefined) return { leave: () => this.#leave(place), closedMs };
      await sleep(LOOK_MS * (0.5 + Math.random()), undefined, signal ? { signal } : {});
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

  async #take(): Promise<{ place: number | undefined; closedMs: number }> {
    try {
      const row = await this.#look(this.#wasReached ? TRIES : 1);
      this.#wasReached = true;
      const place = row?.["place"] as number | null | undefined;
      if (place === null || place === undefined) return { place: undefined, closedMs: 0 };
      this.#held.add(place);
      this.#beat ??= setInterval(
        () => void this.#clients.sql.unsafe("select").catch(() => undefined),
        this.#beatMs,
      ).unref();
      return { place, closedMs: Math.max(0, Number(row?.["closed_ms"] ?? 0)) };
    } catch {
      // Out of reach: this process keeps to its own limits.
      this.#held.clear();
      return { place: 0, closedMs: 0 };
    }
  }

  /** A session's locks stack: one try at a time, and none for a place that it has. */
  async #look(tries: number): Promise<postgres.Row | undefined> {
    const looking = this.#clients.sql.unsafe(`select
      (select n from generate_series(1, ${this.places}) n
        where case when n = any('{${[...this.#held].join(",")}}'::int[]) then false
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
      this.#held.clear();
      return this.#look(tries - 1);
    }
  }

  #leave(place: number): void {
    if (!this.#held.delete(place)) return;
    if (this.#held.size === 0) {
      clearInterval(this.#beat);
      this.#beat = undefined;
    }
    this.#clients.sql.unsafe(`select pg_advisory_unlock(${this.#key}, ${place})`).catch(() => undefined);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#turn.then(work);
    this.#turn = next.catch(() => undefined);
    return next;
  }
}
