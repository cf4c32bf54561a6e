import { randomUUID } from "node:crypto";
import type { EngineLock } from "../engine-words.js";
import { type Database, SCHEMA } from "./database.js";

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

export type LeaseResult = { readonly lease: Lease } | { readonly heldBy: Holder };

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

  /** Says that its holder lives: `lost` where another has it by now, `cancelled` where somebody wants it to stop. */
  async renew(lease: Lease, note: string, engines: readonly number[]): Promise<"held" | "lost" | "cancelled"> {
    const [row] = await this.db.sql`
      update ${this.db.sql(`${SCHEMA}.lease`)} set renewed_at = now(), note = ${note}, engines = ${[...engines]}
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
