import { createHash, randomBytes } from "node:crypto";
import type { Attempt, Journal, Owned, Scope } from "./contract.js";

type Row = Owned & { readonly service: string };
type Open = Attempt & { readonly service: string };

/** A journal that lasts as long as its process: the contract in its shortest form, and the reference for the stores. */
export class MemoryJournal implements Journal {
  #owned: Row[] = [];
  #attempts: Open[] = [];

  constructor(readonly run: string = randomBytes(4).toString("hex")) {}

  async resource({ service, urn }: Scope) {
    const mine = <T extends { service: string; urn: string }>(row: T) => row.service === service && row.urn === urn;
    return { attempt: this.#attempts.find(mine), owned: this.#owned.filter(row => mine(row) && !row.released) };
  }

  async content(service: string, fingerprint: string) {
    const same = (row: { service: string; fingerprint: string | undefined }) =>
      row.service === service && row.fingerprint === fingerprint;
    return { attempts: this.#attempts.filter(same), owned: this.#owned.filter(same) };
  }

  async owner(service: string, id: string) {
    return this.#owned.find(row => row.service === service && row.id === id);
  }

  async elsewhere({ service, urn }: Scope) {
    return this.#owned.filter(row => row.urn === urn && row.service !== service && !row.released);
  }

  async begin(scope: Scope, about: Parameters<Journal["begin"]>[1], after: string | undefined) {
    if (this.#attempts.find(open => isOf(scope, open))?.token !== after) return undefined;
    const attempt = { ...about, ...scope, token: randomBytes(4).toString("hex"), run: this.run, hints: [] };
    await this.withdraw(scope);
    this.#attempts.push(attempt);
    return attempt;
  }

  async hint(scope: Scope, id: string): Promise<void> {
    this.#attempts = this.#attempts.map(open =>
      isOf(scope, open) ? { ...open, hints: [...new Set([...open.hints, id])] } : open,
    );
  }

  async withdraw(scope: Scope): Promise<void> {
    this.#attempts = this.#attempts.filter(open => !isOf(scope, open));
  }

  async claim(scope: Scope, id: string, { fingerprint, supersedes }: Parameters<Journal["claim"]>[2]) {
    const owner = await this.owner(scope.service, id);
    if (owner && owner.urn !== scope.urn && !owner.released) return false;
    this.#attempts = this.#attempts.filter(open => !(isOf(scope, open) && open.fingerprint === fingerprint));
    const over = (row: Row) => isOf(scope, row) && (row.replaced || supersedes.includes(row.id));
    this.#owned = this.#owned.filter(row => !over(row));
    this.#put(scope, id, { fingerprint, supersedes, shown: owner?.shown === true && owner.urn === scope.urn });
    return true;
  }

  async show(scope: Scope, id: string, { supersedes, imported = false, besides = [] }: Parameters<Journal["show"]>[2]) {
    const known = await this.owner(scope.service, id);
    if (imported) await this.withdraw(scope);
    const stale = (row: Row) =>
      isOf(scope, row) && row.id !== id && !besides.includes(row.id) && (imported || row.shown || row.replaced);
    this.#owned = this.#owned.filter(row => !stale(row) || row.released);
    this.#put(scope, id, { fingerprint: known?.fingerprint, supersedes, shown: true });
  }

  async replace(scope: Scope, id: string, supersedes: readonly string[]): Promise<void> {
    const known = await this.owner(scope.service, id);
    this.#put(scope, id, { fingerprint: known?.fingerprint, supersedes, shown: true, replaced: true });
  }

  async release(scope: Scope, id: string): Promise<void> {
    const known = await this.owner(scope.service, id);
    if (known && known.urn !== scope.urn && !known.released) return;
    this.#put(scope, id, { fingerprint: known?.fingerprint, supersedes: [], shown: true, released: true });
  }

  async close(): Promise<void> {}

  load(data: { owned: Row[]; attempts: Open[] }): void {
    this.#owned = data.owned;
    this.#attempts = data.attempts;
  }

  dump() {
    return { owned: this.#owned, attempts: this.#attempts };
  }

  #put({ service, urn }: Scope, id: string, about: Partial<Row> & Pick<Row, "fingerprint" | "supersedes" | "shown">) {
    const token = tokenOf(service, id);
    const row: Row = { replaced: false, released: false, ...about, service, urn, id, token, run: this.run };
    this.#owned = [...this.#owned.filter(other => !(other.service === service && other.id === id)), row];
  }
}

const isOf = (scope: Scope, row: Scope): boolean => row.service === scope.service && row.urn === scope.urn;

/** How a person names an id of the journal. */
export const tokenOf = (service: string, id: string): string =>
  createHash("sha256").update(`${service}\n${id}`).digest("hex").slice(0, 8);
