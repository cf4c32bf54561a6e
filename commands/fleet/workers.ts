import { CommandError } from "../cli/flags.js";
import { type Database, SCHEMA } from "./database.js";

/** A worker, as the others see it. */
export interface Identity {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  /** Of its fleet file. */
  readonly digest: string;
}

/** Who works for a fleet: all with one version and one fleet file. */
export class Workers {
  constructor(
    private readonly db: Pick<Database, "sql">,
    private readonly fleet: string,
  ) {}

  /** Joins, or is refused. */
  async join(identity: Identity, leaseSeconds: number): Promise<void> {
    await this.db.sql.begin(async sql => {
      // Two that join at the same moment see one another.
      await sql.unsafe(`lock table ${SCHEMA}.worker in share row exclusive mode`);
      await sql`delete from ${sql(`${SCHEMA}.worker`)} where seen_at + lease_seconds * interval '1 s' < now()`;
      const others = await sql`select id, host, pid, version, digest from ${sql(`${SCHEMA}.worker`)}
        where fleet = ${this.fleet} and id <> ${identity.id}`;
      refuseOthers(others as unknown as Identity[], identity);
      const { id, host, pid, version, digest } = identity;
      await sql`insert into ${sql(`${SCHEMA}.worker`)} (id, fleet, host, pid, version, digest, lease_seconds)
        values (${id}, ${this.fleet}, ${host}, ${pid}, ${version}, ${digest}, ${leaseSeconds})
        on conflict (id) do update set seen_at = now()`;
    });
  }

  async heartbeat(id: string): Promise<void> {
    await this.db.sql`update ${this.db.sql(`${SCHEMA}.worker`)} set seen_at = now() where id = ${id}`;
  }

  async leave(id: string): Promise<void> {
    await this.db.sql`delete from ${this.db.sql(`${SCHEMA}.worker`)} where id = ${id}`;
  }

  /** Those that were heard of within their lease. */
  async alive(): Promise<readonly Identity[]> {
    const rows = await this.db.sql`select id, host, pid, version, digest from ${this.db.sql(`${SCHEMA}.worker`)}
      where fleet = ${this.fleet} and seen_at + lease_seconds * interval '1 s' >= now() order by id`;
    return rows as unknown as Identity[];
  }
}

/** Refuses who differs from the workers that run. */
export function refuseOthers(
  workers: readonly Identity[],
  { version, digest }: Pick<Identity, "version" | "digest">,
): void {
  const older = workers.find(worker => worker.version !== version);
  if (older)
    throw new CommandError(
      `expected version ${older.version}, as the worker ${older.id} has, got ${version}: stop the workers, then start all with one version`,
    );
  const other = workers.find(worker => worker.digest !== digest);
  if (other)
    throw new CommandError(
      `expected the fleet file that the worker ${other.id} has (${other.digest}), got another (${digest}): stop the workers, then start all with one file`,
    );
}
