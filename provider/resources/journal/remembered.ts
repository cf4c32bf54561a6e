import type { AttemptRow, Entry, EntryOf, OwnedRow, RememberedReminder, RemindersRow } from "./entry.js";
import { stackOf, tokenOf } from "./names.js";

/** Whose: the resource, and the backend of its stack where the environment shows one. */
export interface Place {
  readonly service: string;
  readonly urn: string;
  readonly backend?: string | undefined;
}

/** What a reminder sent, by invitation. */
interface Reminders extends Place {
  at: number;
  readonly rows: Map<string, RememberedReminder>;
}

const YEAR_MS = 365 * 24 * 3_600_000;

/** What the journal's entries come to, one after another: the same everywhere, because every store keeps their order. */
export class Remembered {
  #attempts: AttemptRow[] = [];
  #reminders: Reminders[] = [];
  readonly #owned = new Map<string, OwnedRow>();
  /** The same rows by URN, and by what they were made of: thousands of creates ask for a few of thousands of rows. */
  readonly #byUrn = new Map<string, Set<OwnedRow>>();
  readonly #byContent = new Map<string, Set<OwnedRow>>();

  get size(): number {
    return this.#attempts.length + this.#owned.size + this.#reminders.length;
  }

  attempt(place: Place): AttemptRow | undefined {
    return this.#attempts.find(row => isOf(place, row));
  }

  attempts(wanted: (row: AttemptRow) => boolean): AttemptRow[] {
    return this.#attempts.filter(wanted);
  }

  owner(service: string, id: string): OwnedRow | undefined {
    return this.#owned.get(idKey(service, id));
  }

  held(place: Place): OwnedRow[] {
    return this.ofUrn(place.urn).filter(row => isOf(place, row) && row.released === undefined);
  }

  /** At any service. */
  ofUrn(urn: string): OwnedRow[] {
    return [...(this.#byUrn.get(urn) ?? [])];
  }

  ofContent(fingerprint: string): OwnedRow[] {
    return [...(this.#byContent.get(fingerprint) ?? [])];
  }

  reminders(place: Place): RememberedReminder[] {
    return [...(this.#reminders.find(row => isOf(place, row))?.rows.values() ?? [])];
  }

  apply(entry: Entry): void {
    switch (entry.op) {
      case "begin":
        this.#begin(entry);
        break;
      case "hint":
        this.#attempts = this.#attempts.map(row =>
          isOf(entry, row) && row.token === entry.token
            ? {
                ...row,
                answered: true,
                hints: [...new Set([...row.hints, ...(entry.id === undefined ? [] : [entry.id])])],
              }
            : row,
        );
        break;
      case "withdraw":
        this.#endAttempt(entry, row => row.token === entry.token);
        break;
      case "claim":
        this.#claim(entry);
        break;
      case "show":
        this.#show(entry);
        break;
      case "replace":
        this.#put({ ...this.#about(entry), supersedes: entry.supersedes, shown: true, replaced: true });
        break;
      case "release":
        this.#release(entry);
        break;
      case "forget":
        this.#attempts = this.#attempts.filter(row => !entry.tokens.includes(row.token));
        for (const row of this.#owned.values())
          if (entry.tokens.includes(tokenOf(row.service, row.id))) this.#drop(row);
        break;
      case "remind": {
        this.#remind(entry, entry.without);
        break;
      }
      case "snapshot":
        this.#clear(entry.stacks);
        this.#attempts.push(...entry.attempts);
        for (const row of entry.reminders) this.#remind(row);
        for (const row of entry.owned) this.#put(row);
    }
  }

  /** All of it, but for what was let go of or reminded more than a year ago. */
  snapshot(now: number): EntryOf<"snapshot"> {
    const isRecent = (at: number) => now - at < YEAR_MS;
    return {
      op: "snapshot",
      version: 1,
      attempts: this.#attempts,
      owned: [...this.#owned.values()].filter(({ released }) => released === undefined || isRecent(released)),
      reminders: this.#reminders.flatMap(row => (isRecent(row.at) ? [{ ...row, rows: [...row.rows.values()] }] : [])),
    };
  }

  /** Whether the engine's showing says anything new. */
  isNews(entry: EntryOf<"show">): boolean {
    const row = this.owner(entry.service, entry.id);
    return (
      !row?.shown ||
      !isOf(entry, row) ||
      row.replaced ||
      row.released !== undefined ||
      row.supersedes.join() !== entry.supersedes.join() ||
      this.#stale(entry).length > 0 ||
      (entry.imported && this.attempt(entry) !== undefined)
    );
  }

  #begin({ op: _, after, owned, ...row }: EntryOf<"begin">): void {
    const before = this.attempt(row);
    if (before?.token !== after || this.held(row).some(({ id }) => !owned.includes(id))) return;
    this.#attempts = [...this.#attempts.filter(other => other !== before), row];
  }

  #claim(entry: EntryOf<"claim">): void {
    const before = this.owner(entry.service, entry.id);
    if (before && !isOf(entry, before) && before.released === undefined) return;
    this.#endAttempt(entry, row => row.fingerprint === entry.fingerprint);
    for (const row of this.held(entry)) if (row.replaced || entry.supersedes.includes(row.id)) this.#drop(row);
    const shown = before?.shown === true && isOf(entry, before);
    this.#put({ ...this.#about(entry), fingerprint: entry.fingerprint, supersedes: entry.supersedes, shown });
  }

  #show(entry: EntryOf<"show">): void {
    if (entry.imported) this.#endAttempt(entry);
    for (const row of this.#stale(entry)) this.#drop(row);
    const about = this.#about(entry);
    const fingerprint = entry.fingerprint ?? about.fingerprint;
    this.#put({ ...about, fingerprint, supersedes: entry.supersedes, shown: true });
  }

  #release(entry: EntryOf<"release">): void {
    const before = this.owner(entry.service, entry.id);
    if (before && !isOf(entry, before) && before.released === undefined) return;
    this.#put({ ...this.#about(entry), supersedes: [], shown: true, released: entry.at });
  }

  /**
   * What the engine had shown before it showed this instead. What replaced this stays: state was restored from a backup,
   * or another machine's state is older.
   */
  #stale(entry: EntryOf<"show">): OwnedRow[] {
    return this.held(entry).filter(
      row =>
        row.id !== entry.id &&
        !row.supersedes.includes(entry.id) &&
        !entry.besides.includes(row.id) &&
        (entry.imported || row.shown || row.replaced),
    );
  }

  /** In place: a reminder of thousands of people is an entry for each of them. */
  #remind({ service, urn, backend, at, rows }: RemindersRow, without: readonly string[] = []): void {
    let known = this.#reminders.find(row => isOf({ service, urn, backend }, row));
    if (!known) {
      known = { service, urn, ...(backend === undefined ? {} : { backend }), at, rows: new Map() };
      this.#reminders.push(known);
    }
    known.at = at;
    for (const id of without) known.rows.delete(id);
    for (const row of rows) known.rows.set(row.invitationId, row);
  }

  #endAttempt(place: Place, wanted = (_: AttemptRow) => true): void {
    this.#attempts = this.#attempts.filter(row => !(isOf(place, row) && wanted(row)));
  }

  #about({ service, urn, backend, id, run }: EntryOf<"claim" | "show" | "replace" | "release">): OwnedRow {
    const known = this.owner(service, id);
    return {
      service,
      urn,
      ...(backend === undefined ? {} : { backend }),
      id,
      run,
      fingerprint: known?.fingerprint,
      supersedes: [],
      shown: false,
      replaced: false,
    };
  }

  /** All, or what these stacks have. */
  #clear(stacks: readonly string[] | undefined): void {
    const stays = ({ urn }: { readonly urn: string }) => stacks !== undefined && !stacks.includes(stackOf(urn));
    this.#attempts = this.#attempts.filter(stays);
    this.#reminders = this.#reminders.filter(stays);
    for (const row of this.#owned.values()) if (!stays(row)) this.#drop(row);
  }

  #put(row: OwnedRow): void {
    const before = this.owner(row.service, row.id);
    if (before) this.#drop(before);
    this.#owned.set(idKey(row.service, row.id), row);
    addTo(this.#byUrn, row.urn, row);
    if (row.fingerprint !== undefined) addTo(this.#byContent, row.fingerprint, row);
  }

  #drop(row: OwnedRow): void {
    this.#owned.delete(idKey(row.service, row.id));
    takeFrom(this.#byUrn, row.urn, row);
    if (row.fingerprint !== undefined) takeFrom(this.#byContent, row.fingerprint, row);
  }
}

function addTo(rows: Map<string, Set<OwnedRow>>, key: string, row: OwnedRow): void {
  const same = rows.get(key);
  if (same) same.add(row);
  else rows.set(key, new Set([row]));
}

function takeFrom(rows: Map<string, Set<OwnedRow>>, key: string, row: OwnedRow): void {
  const same = rows.get(key);
  same?.delete(row);
  if (same?.size === 0) rows.delete(key);
}

/** The same URN in two backends is two resources; where one of the two isn't known, they may be one. */
export const isOf = (place: Place, row: Place): boolean =>
  row.service === place.service && row.urn === place.urn && sameBackend(place, row);

export const sameBackend = (a: Pick<Place, "backend">, b: Pick<Place, "backend">): boolean =>
  a.backend === undefined || b.backend === undefined || a.backend === b.backend;

const idKey = (service: string, id: string): string => `${service}\n${id}`;
