import { randomUUID } from "node:crypto";
import type { LogRow, Piece, Position, Reading, Table } from "../../../provider/resources/journal/log.js";

type StoredRow = LogRow & Pick<Piece, "keys">;

/** What the statements for Postgres do, in memory. */
export class MemoryTable implements Table {
  rows: StoredRow[] = [];

  async exchange({ position, stacks, keys }: Reading, piece: Piece | undefined) {
    const last = this.rows.at(-1);
    const added = piece !== undefined && position !== undefined && last?.nonce === position.nonce;
    if (added) {
      const named = this.rows.filter(row => meet(row.keys, piece.ids)).flatMap(row => row.stacks);
      const own = [...new Set([...piece.stacks, ...named])];
      this.rows.push({ ...after(position.number), stacks: own, keys: piece.keys, text: piece.text });
    }
    const isRead = (row: StoredRow) => {
      const isOwn = meet(row.stacks, stacks);
      if (position === undefined) return isOwn || row === last || meet(row.keys, keys);
      return row.number >= position.number || (!isOwn && meet(row.keys, keys));
    };
    const rows = this.rows
      .filter(isRead)
      .map(row => (meet(row.stacks, stacks) ? { ...row, keys: undefined } : { ...row, text: undefined }));
    return { added, rows };
  }

  async replace(position: Position, stacks: readonly string[], pieces: readonly Piece[]): Promise<void> {
    if (this.rows.at(-1)?.nonce !== position.nonce) return;
    this.rows = this.rows.filter(row => !meet(row.stacks, stacks));
    for (const [nth, { stacks: own, keys, text }] of pieces.entries())
      this.rows.push({ ...after(position.number + BigInt(nth)), stacks: own, keys, text });
  }

  async stacks(): Promise<readonly string[]> {
    return [...new Set(this.rows.flatMap(({ stacks }) => stacks))];
  }

  async close(): Promise<void> {}
}

const after = (number: bigint): Position => ({ number: number + 1n, nonce: randomUUID() });

const meet = (some: readonly string[], others: readonly string[]): boolean => some.some(each => others.includes(each));
