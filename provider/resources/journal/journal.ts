import { existsSync } from "node:fs";
import { Entries } from "./entries.js";
import { makeNew, removeFile, removeLeftovers } from "./files.js";
import { IdClaims } from "./id-claims.js";
import { type Entry, type Intent, type Remembered, type Scope, without } from "./journal-entry.js";
import { onDisk } from "./journal-errors.js";
import { JournalPaths } from "./journal-paths.js";
import { ReleasedIds } from "./released-ids.js";
import { Sessions } from "./sessions.js";

export type { Intent, Scope } from "./journal-entry.js";

export interface Owned {
  readonly id: string;
  readonly fingerprint: string | undefined;
  readonly supersedes: readonly string[];
  /** False: it was created, and nothing shows yet that state got to know. */
  readonly settled: boolean;
  readonly givenUp: boolean;
}

/**
 * What was about to be created and what was, on disk, so that a crash at any point doesn't lead to a second document.
 * State is right and the journal only warns: it may refuse a create, and never causes anything.
 */
export class Journal {
  readonly #paths: JournalPaths;
  readonly #entries: Entries;
  readonly #sessions: Sessions;
  readonly #gone: ReleasedIds;
  readonly #holders: IdClaims;
  #claimed = false;
  /** On the side: no create waits for it. */
  #tidying: Promise<void> = Promise.resolve();
  readonly #ofThisRun = new Set<string>();

  constructor(folder: string, backend: string | undefined) {
    this.#paths = new JournalPaths(folder, backend);
    this.#entries = new Entries(this.#paths, backend);
    this.#sessions = new Sessions(this.#paths.sessions);
    this.#gone = new ReleasedIds(this.#paths);
    this.#holders = new IdClaims(this.#paths);
  }

  /** What is remembered of a resource: a create without an answer, and what earlier ones led to. */
  async of(scope: Scope): Promise<{ intent: Intent | undefined; owned: Owned[] }> {
    const { intent, things } = this.#entries.known(scope);
    const owned = things.map(thing => ({
      ...thing,
      fingerprint: thing.fingerprint,
      settled: this.#isSettled(thing),
    }));
    return { intent, owned };
  }

  /** What this resource holds at other services, as this machine remembers. */
  async elsewhere(scope: Scope): Promise<{ service: string; id: string; path: string }[]> {
    return this.#onDisk(() =>
      this.#paths.entriesElsewhere(scope).flatMap(path => {
        const there = this.#entries.at(path);
        return (there?.things ?? []).map(({ id }) => ({ service: there?.service ?? "", id, path }));
      }),
    );
  }

  /** Before the request: what is about to be created. On disk when this returns. */
  intend(scope: Scope, about: Intent): Promise<void> {
    return this.#entries.change(
      scope,
      entry => {
        this.#forgetIntent(scope, entry);
        makeNew(this.#paths.intent(scope, about.fingerprint), "");
        return { ...entry, intent: about };
      },
      { durable: true },
    );
  }

  /** The create didn't happen. */
  withdraw(scope: Scope): Promise<void> {
    return this.#entries.change(scope, entry => {
      this.#forgetIntent(scope, entry);
      return without(entry, "intent");
    });
  }

  /** How many creates of this content have no answer, this one included. */
  async unresolved(service: string, fingerprint: string): Promise<number> {
    const keys = this.#onDisk(() => this.#paths.waiting(service, fingerprint));
    // A file without its entry was left behind: a crash came between the two, or a person deleted the entry.
    return keys.filter(key => existsSync(this.#paths.entry(service, key))).length;
  }

  /**
   * The id a create led to. False where another resource has it already; with `answered`, the service's answer to this
   * very create, only where that resource's create is identical and has no other answer.
   */
  async claim(
    scope: Scope,
    id: string,
    fingerprint: string | undefined,
    supersedes: readonly string[],
    { answered = false } = {},
  ): Promise<boolean> {
    if (!this.#claimed) this.#tidying = this.#tidy().catch(() => undefined);
    this.#claimed = true;
    if (!this.#onDisk(() => this.#take(scope, id, fingerprint, answered))) return false;
    await this.#entries.change(scope, entry => {
      // Taking back what was to be replaced says nothing about the create that was to replace it.
      const answered = entry.intent?.fingerprint === fingerprint;
      if (answered) this.#forgetIntent(scope, entry);
      const others = entry.things.filter(thing => thing.id !== id && !thing.givenUp && !supersedes.includes(thing.id));
      const thing: Remembered = {
        id,
        supersedes: [...supersedes],
        session: this.#sessions.own,
        settled: false,
        givenUp: false,
      };
      if (fingerprint !== undefined) thing.fingerprint = fingerprint;
      return { ...(answered ? without(entry, "intent") : entry), things: [...others, thing] };
    });
    this.#ofThisRun.add(id);
    return true;
  }

  /** Whether a create of this process led to it. */
  isOfThisRun(id: string): boolean {
    return this.#ofThisRun.has(id);
  }

  /** Once nothing more is going on on the disk. */
  settled(): Promise<void> {
    return this.#tidying;
  }

  /** Whether another resource has this id. */
  async isTaken(scope: Scope, id: string): Promise<boolean> {
    const holder = this.#holders.of(scope.service, id);
    return holder !== undefined && holder !== this.#paths.key(scope);
  }

  /** The reply went out after a cancel: nothing will show that state got it. */
  unsettle(scope: Scope, id: string): Promise<void> {
    return this.#entries.change(scope, entry => ({
      ...entry,
      things: entry.things.map(thing => (thing.id === id ? { ...thing, session: null, settled: false } : thing)),
    }));
  }

  /**
   * The engine has shown that state holds this id under this URN; a rename moves what is remembered. `besides` are ids
   * it has shown in this deployment already: a refresh shows what is left of a replacement along with its successor.
   */
  async learn(
    scope: Scope,
    id: string,
    supersedes: readonly string[],
    { imported = false, besides = () => [] }: { imported?: boolean; besides?: () => readonly string[] } = {},
  ): Promise<void> {
    const known = this.#entries.read(scope);
    const [only] = known.things;
    const sameSupersedes = only?.supersedes.join() === supersedes.join();
    if (
      only?.id === id &&
      known.things.length === 1 &&
      only.settled &&
      !only.givenUp &&
      sameSupersedes &&
      !(imported && known.intent)
    )
      return;
    const before = this.#holders.of(scope.service, id);
    const key = this.#paths.key(scope);
    if (before !== key) {
      this.#gone.delete(scope.service, id);
      this.#holders.give(scope.service, id, key);
      if (before !== undefined) this.#entries.forget(this.#paths.entry(scope.service, before), id);
    }
    const shown = besides();
    await this.#entries.change(scope, entry => {
      if (imported) this.#forgetIntent(scope, entry);
      const isOpen = (thing: Remembered): boolean => !this.#isSettled(thing) && !thing.givenUp;
      const others = entry.things.filter(
        thing => thing.id !== id && !imported && (isOpen(thing) || shown.includes(thing.id)),
      );
      const thing: Remembered = { id, supersedes: [...supersedes], session: null, settled: true, givenUp: false };
      return { ...(imported ? without(entry, "intent") : entry), things: [...others, thing] };
    });
  }

  /** Its replacement is about to be created: it stays named until that exists. */
  giveUp(scope: Scope, id: string, supersedes: readonly string[]): Promise<void> {
    return this.#entries.change(scope, entry => ({
      ...entry,
      things: [
        ...entry.things.filter(thing => thing.id !== id),
        { id, supersedes: [...supersedes], session: null, settled: true, givenUp: true },
      ],
    }));
  }

  /** State lets go of it. */
  async drop(scope: Scope, id: string): Promise<void> {
    this.#holders.drop(scope.service, id, this.#paths.key(scope));
    this.#gone.add(scope.service, id);
    await this.#entries.change(scope, entry => ({ ...entry, things: entry.things.filter(thing => thing.id !== id) }));
  }

  /** Whether a stack let go of it: then it is somebody's past, and not what a create just led to. */
  isLetGo(service: string, id: string): boolean {
    return this.#gone.has(service, id);
  }

  /** The file that holds what is remembered of a resource. */
  pathOf(scope: Scope): string {
    return this.#paths.entryOf(scope);
  }

  /** The engine ended us in order: it has written what we answered. */
  endInOrder(): void {
    if (this.#claimed) this.#sessions.end();
  }

  #take({ service, urn }: Scope, id: string, fingerprint: string | undefined, answered: boolean): boolean {
    const key = this.#paths.key({ service, urn });
    if (!this.#holders.take(service, id, key)) {
      const holder = this.#holders.of(service, id);
      const another = holder !== undefined && holder !== key;
      if (another && !(answered && !this.#isTwin(service, holder, id, fingerprint))) return false;
      if (holder !== key) this.#holders.give(service, id, key);
    }
    this.#gone.delete(service, id);
    return true;
  }

  async #tidy(): Promise<void> {
    await this.#sessions.tidy(() => this.#paths.allEntries());
    for (const folder of this.#paths.draftFolders()) removeLeftovers(folder);
  }

  #isSettled(thing: Remembered): boolean {
    return thing.settled || (thing.session !== null && this.#sessions.ended(thing.session));
  }

  #forgetIntent(scope: Scope, { intent }: Entry): void {
    if (intent) removeFile(this.#paths.intent(scope, intent.fingerprint));
  }

  #isTwin(service: string, key: string, id: string, fingerprint: string | undefined): boolean {
    const there = this.#entries.at(this.#paths.entry(service, key));
    return there?.things.some(thing => thing.id === id && thing.fingerprint === fingerprint) ?? false;
  }

  #onDisk<T>(work: () => T): T {
    return onDisk(this.#paths.folder, work);
  }
}
