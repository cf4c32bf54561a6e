import { createHash } from "node:crypto";
import { identityOf } from "../../provider/core/same.js";

/**
 * The shard of a key, by jump consistent hash (Lamping and Veach, 2014): growing from n to m shards moves keys to new
 * shards only, and (m − n) / m of them.
 */
export function shardOf(key: string, count: number): number {
  let hash = createHash("sha256").update(identityOf(key.trim())).digest().readBigUInt64BE();
  let shard = -1n;
  let next = 0n;
  while (next < BigInt(count)) {
    shard = next;
    hash = (hash * 2_862_933_555_777_941_757n + 1n) & MASK;
    next = BigInt(Math.floor(Number(shard + 1n) * (2 ** 31 / (Number(hash >> 33n) + 1))));
  }
  return Number(shard);
}

const MASK = (1n << 64n) - 1n;

export interface Move {
  readonly key: string;
  readonly from: number;
  readonly to: number;
}

/** Which keys change their shard when the number of shards does. */
export const movesBetween = (keys: Iterable<string>, before: number, after: number): Move[] =>
  [...keys]
    .map(key => ({ key, from: shardOf(key, before), to: shardOf(key, after) }))
    .filter(({ from, to }) => from !== to);
