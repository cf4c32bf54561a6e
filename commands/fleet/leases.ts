import { randomUUID } from "node:crypto";
import type { Clock } from "../../provider/core/clock.js";
import { CommandError } from "../cli/flags.js";
import type { EngineLock } from "../engine-words.js";
import { type Database, SCHEMA } from "./database.js";
import type { Hooks } from "./engine.js";

/** Who runs a stack. */
export interface Holder {
  readonly worker: string;
  readonly host: string;
  /** Processes of the engine that it has started for the stack, on its host. */
  readonly engines: readonly number[];
}

export interface Lease {
  readonly fleet: string;
  readonly stack: string;
  /** Nobody else's: a lease that was taken over has another one. */
  readonly token: string;
  /** Who held it before and was silent for longer than its lease; and those before them, whose locks may be there still. */
  readonly gone: readonly Holder[];
}

type LeaseResult = { readonly lease: Lease } | { readonly heldBy: Holder };

/** Leases of stacks, by the data base's clock alone. */
export class Leases {
  constructor(
    private readonly db: Pick<Database, "sql">,
    private readonly fleet: string,
  ) {}

  /** Takes a stack that nobody runs, or whose holder has been silent for longer than its lease. */
  async take(stack: string, by: Omit<Holder, "engines">, seconds: number): Promise<LeaseResult> {
    const token = randomUUID();
    return this.db.sql.begin(async sql => {
      const table = sql(`${SCHEMA}.lease`);
      const [row] = await sql`
        select worker, host, engines, gone, renewed_at + lease_seconds * interval '1 s' < now() as silent
        from ${table} where fleet = ${this.fleet} and stack = ${stack} for update`;
      const before = row as (Holder & { gone: Holder[]; silent: boolean }) | undefined;
      if (before && !before.silent) return { heldBy: holderIn(before) };
      const gone = before ? [...before.gone, holderIn(before)] : [];
      const added = await sql`
        insert into ${table} (fleet, stack, token, worker, host, lease_seconds, gone)
        values (${this.fleet}, ${stack}, ${token}, ${by.worker}, ${by.host}, ${seconds}, ${sql.json(gone as never)})
        on conflict (fleet, stack) do update set token = excluded.token, worker = excluded.worker, host = excluded.host,
          engines = '{}', note = '', cancelled = false, lease_seconds = excluded.lease_seconds, gone = excluded.gone,
          taken_at = now(), renewed_at = now()
        where ${before !== undefined}
        returning token`;
      // Another worker has made the row between the two statements.
      if (added.length === 0) return { heldBy: { worker: "another worker", host: "another host", engines: [] } };
      return { lease: { fleet: this.fleet, stack, token, gone } };
    });
  }

  /**
   * Says that its holder lives, and which engines it has started: `lost` where another has it by now, `cancelled` where
   * somebody wants it to stop. Renewals may arrive in another order than they were sent: none takes an engine away.
   */
  async renew(lease: Lease, note: string, engines: readonly number[]): Promise<"held" | "lost" | "cancelled"> {
    const [row] = await this.db.sql`
      update ${this.db.sql(`${SCHEMA}.lease`)} set renewed_at = now(), note = ${note},
        engines = array(select distinct unnest(engines || ${[...engines]}::int[]) order by 1)
      where fleet = ${lease.fleet} and stack = ${lease.stack} and token = ${lease.token} returning cancelled`;
    if (!row) return "lost";
    return row["cancelled"] ? "cancelled" : "held";
  }

  async release(lease: Lease): Promise<void> {
    await this.db.sql`delete from ${this.db.sql(`${SCHEMA}.lease`)}
      where fleet = ${lease.fleet} and stack = ${lease.stack} and token = ${lease.token}`;
  }

  /** Asks the workers of these stacks to stop. */
  async cancel(stacks: readonly string[]): Promise<void> {
    await this.db.sql`update ${this.db.sql(`${SCHEMA}.lease`)} set cancelled = true
      where fleet = ${this.fleet} and stack = any(${[...stacks]})`;
  }

  async all(): Promise<readonly RunningStack[]> {
    const rows = await this.db.sql`
      select stack, worker, note, extract(epoch from now() - taken_at)::float8 as age,
        renewed_at + lease_seconds * interval '1 s' < now() as silent
      from ${this.db.sql(`${SCHEMA}.lease`)} where fleet = ${this.fleet} order by stack`;
    return rows as unknown as RunningStack[];
  }
}

const holderIn = ({ worker, host, engines }: Holder): Holder => ({ worker, host, engines });

/** Whether each of the locks is an engine's whose worker's lease is over. What the leases don't name, they don't prove. */
export const areProvenGone = (locks: readonly EngineLock[], gone: readonly Holder[]): boolean =>
  locks.length > 0 &&
  locks.every(lock => gone.some(({ host, engines }) => host === lock.host && engines.includes(lock.pid)));

/** A stack that is run right now. */
export interface RunningStack {
  readonly stack: string;
  readonly worker: string;
  readonly note: string;
  /** Seconds. */
  readonly age: number;
  readonly silent: boolean;
}

// ---- Kept while an engine runs ----

/** A worker that can't renew stops its engine when this much of the lease is over: before anybody may take the stack. */
const OWN_END = 0.7;
/** Where the worker is stopped, its engine ends when this much of the lease is over. */
const ENGINE_END = 0.75;

/** Renews one lease while its stack is run, and stops the engine once it is lost. */
export class LeaseKeeper {
  readonly hooks: Hooks;
  #renewedAt: number;
  #note = "";
  isCancelled = false;
  #lost: string | undefined;
  #isEngineKilled = false;
  readonly #engines: number[] = [];
  readonly #stop = new AbortController();
  readonly #kill = new AbortController();
  readonly #ended = new AbortController();
  readonly #renewing: Promise<void>;
  readonly #onInterrupt = (): void => this.#stop.abort();

  constructor(
    private readonly leases: Leases,
    private readonly lease: Lease,
    private readonly seconds: number,
    /** When it was asked for. */
    takenAt: number,
    private readonly clock: Clock,
    private readonly interrupt: AbortSignal,
  ) {
    this.#renewedAt = takenAt;
    this.hooks = {
      heldMs: () => this.#renewedAt + seconds * 1000 * ENGINE_END - clock.now(),
      note: text => {
        this.#note = text;
      },
      started: pid => {
        this.#engines.push(pid);
        // Known to the others before the engine takes its lock.
        void this.#renew();
      },
      killed: () => {
        this.#isEngineKilled = true;
      },
      stop: this.#stop.signal,
      kill: this.#kill.signal,
    };
    // A signal made of several would be kept, with what listens to it, for as long as the worker lives.
    if (interrupt.aborted) this.#stop.abort();
    interrupt.addEventListener("abort", this.#onInterrupt);
    this.#renewing = this.#renewOn();
  }

  assertHeld(): void {
    if (this.#lost !== undefined) throw new CommandError(this.#lost);
  }

  async end(): Promise<void> {
    this.interrupt.removeEventListener("abort", this.#onInterrupt);
    this.#ended.abort();
    await this.#renewing;
    if (this.#lost !== undefined) return;
    // Left to be over by itself, it proves to the next run whose the lock is.
    const ending = this.#isEngineKilled
      ? this.leases.renew(this.lease, "its engine was killed", this.#engines)
      : this.leases.release(this.lease);
    await ending.catch(() => undefined);
  }

  async #renewOn(): Promise<void> {
    const interval = (this.seconds * 1000) / 4;
    while (!this.#ended.signal.aborted && this.#lost === undefined) {
      const isRenewed = await this.#renew();
      if (!isRenewed && this.clock.now() + interval - this.#renewedAt > this.seconds * 1000 * OWN_END)
        this.#lose(`the lease of ${this.lease.stack} couldn't be renewed`);
      await this.clock.wait(interval, this.#ended.signal).catch(() => undefined);
    }
  }

  async #renew(): Promise<boolean> {
    const interval = (this.seconds * 1000) / 4;
    const before = this.clock.now();
    if (before - this.#renewedAt > this.seconds * 1000 * OWN_END) {
      this.#lose(`the worker was stopped for longer than its lease of ${this.lease.stack} allows`);
      return false;
    }
    try {
      // A connection that hangs counts as none.
      const late = this.clock.wait(interval, this.#ended.signal).then(() => undefined);
      const answer = await Promise.race([this.leases.renew(this.lease, this.#note, this.#engines), late]);
      if (answer === undefined) return false;
      if (answer === "lost") this.#lose(`the lease of ${this.lease.stack} was taken over by another worker`);
      if (answer === "cancelled") {
        this.isCancelled = true;
        this.#stop.abort();
      }
      if (answer !== "lost") this.#renewedAt = Math.max(this.#renewedAt, before);
      return true;
    } catch {
      return false;
    }
  }

  #lose(why: string): void {
    this.#lost ??= why;
    this.#kill.abort();
  }
}
