import { CommandError } from "../cli/flags.js";
import { SCHEMA } from "./database.js";
import type { Engine } from "./engine.js";
import type { Lease } from "./leases.js";
import { movesBetween, type PlannedStack, shardOf } from "./plan.js";
import type { Session } from "./session.js";
import { movedStates, type State } from "./state-rows.js";

/** Leases of a move aren't renewed. */
const MOVE_SECONDS = 3600;

type ShardChange = NonNullable<Awaited<ReturnType<typeof shardChangeOf>>>;

/** Whether the number of shards is another one than at the last up, and how many rows of the table move then. */
export async function shardChangeOf({ db, plan }: Session) {
  const after = plan.file.stacks.shards?.count;
  if (after === undefined) return undefined;
  const [row] = await db.sql`select shards from ${db.sql(`${SCHEMA}.fleet`)} where name = ${plan.file.name}`;
  const before = row?.["shards"] as number | null | undefined;
  if (!before || before === after) return undefined;
  return { before, after, moves: movesBetween(plan.keys, before, after).length };
}

export async function rememberShards({ db, plan }: Session): Promise<void> {
  const count = plan.file.stacks.shards?.count;
  if (count === undefined) return;
  await db.sql`insert into ${db.sql(`${SCHEMA}.fleet`)} (name, shards) values (${plan.file.name}, ${count})
    on conflict (name) do update set shards = excluded.shards, planned_at = now()`;
}

export const refusalOf = ({ before, after, moves }: ShardChange): CommandError =>
  new CommandError(
    `expected ${before} shards, as at the last up, got ${after}: ${moves} contracts belong into another stack now. \`docsign fleet up --move\` moves them between the states first; nobody is mailed.`,
  );

/**
 * Moves every row into the state of its own shard. Stacks are leased meanwhile. States that gain rows are written before
 * those that lose them: cut short anywhere, every document is in a state, and the same command goes on.
 */
export async function moveRows(session: Session, { before, after }: ShardChange, engine: Engine): Promise<void> {
  const { queue, plan, leases, identity } = session;
  if ((await queue.busy()).length > 0)
    throw new CommandError("expected no job while contracts move, got some; `docsign fleet status` shows them");
  const { name } = plan.file;
  const all = Array.from({ length: Math.max(before, after) }, (_, shard) => `${name}-${shard}`);
  const taken: Lease[] = [];
  try {
    for (const stack of all) {
      const one = await leases.take(stack, { worker: identity.id, host: identity.host }, MOVE_SECONDS);
      if ("heldBy" in one) throw new CommandError(`expected ${stack} to be free, got it run by ${one.heldBy.worker}`);
      taken.push(one.lease);
    }
    const states = new Map<string, State>();
    // Also those that a move which was cut short has written.
    for (const stack of all) {
      const state = await engine.exportState(stackNamed(session, stack), plan.program);
      if (state) states.set(stack, state);
    }
    const moved = movedStates(states, key => `${name}-${shardOf(key, after)}`);
    const growths = [...moved].map(([stack, state]) => ({
      stack,
      state,
      by: sizeOf(state) - sizeOf(states.get(stack)),
    }));
    for (const { stack, state } of growths.sort((a, b) => b.by - a.by))
      if (JSON.stringify(state) !== JSON.stringify(states.get(stack)))
        await engine.importState(stackNamed(session, stack), plan.program, state);
    await rememberShards(session);
  } finally {
    for (const lease of taken) await leases.release(lease);
  }
}

const sizeOf = (state: State | undefined): number => JSON.stringify(state?.deployment.resources ?? []).length;

/** A stack of a shard that is no longer in the file has no settings but the common ones. */
function stackNamed({ plan }: Session, name: string): PlannedStack {
  return plan.stacks.find(stack => stack.name === name) ?? { name, config: {}, env: plan.file.env };
}
