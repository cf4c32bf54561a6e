import { trimmed } from "../../../kit/records.js";
import {
  ABOUT_AS_OLD_MS,
  contractOf,
  contractsIn,
  type IdKind,
  isMadeOf,
  kindOf,
  MOST_ROUNDS,
  type Scope,
  stackOf,
  tokenIn,
  tokenOf,
} from "./contract.js";
import type { AttemptRow, Entry, EntryOf, OwnedRow, RememberedReminder, RemindersRow } from "./entry.js";

/** Whose: the resource, and the backend of its stack where the environment shows one. */
export interface JournalScope extends Scope {
  readonly backend?: string | undefined;
}

/** What a Reminder sent, by invitation, oldest first. */
interface Reminders extends JournalScope {
  at: number;
  readonly rows: Map<string, RememberedReminder[]>;
  /** Invitations by the tokens of their rounds: each of thousands is confirmed by its own. */
  readonly byToken: Map<string, Set<string>>;
}

/** So many are enough for a page to show one. */
const MOST_LATEST = 8;

/** Of what was made beside an attempt, so many are kept. */
const MOST_BESIDE = 3;

/** Of imports beside an attempt, so many are kept: a deployment that isn't among the latest has long ended. */
const MOST_IMPORTS = 32;

const YEAR_MS = 365 * 24 * 3_600_000;

/** Rows, each found by any of its keys: there may be thousands, and thousands of creates ask for a few of them. */
class Rows<T> {
  readonly all = new Set<T>();
  readonly #byKey = new Map<string, Set<T>>();

  constructor(private readonly keysOf: (row: T) => readonly string[]) {}

  of(key: string): T[] {
    return [...(this.#byKey.get(key) ?? [])];
  }

  add(row: T, ...more: readonly string[]): void {
    this.all.add(row);
    for (const key of [...this.keysOf(row), ...more]) addTo(this.#byKey, key, row);
  }

  delete(row: T, ...more: readonly string[]): void {
    this.all.delete(row);
    for (const key of [...this.keysOf(row), ...more]) takeFrom(this.#byKey, key, row);
  }
}

/** What the journal's entries come to, one after another: the same everywhere, because every store keeps their order. */
export class JournalContents {
  /** In the order they were begun in, by URN and by contract. */
  readonly #attempts = new Rows<AttemptRow>(row => [row.urn, contractOf(row)]);
  /** By URN, and by service and invitation. */
  readonly #reminders = new Rows<Reminders>(row => [row.urn]);
  /** By id, by URN and by contract, and those that nothing but a preview may have shown under their URN. */
  readonly #owned = new Rows<OwnedRow>(row => [
    keyOf(row),
    ...(row.unseen ? [] : [row.urn, ...contractsIn(row), ...statedIn(row)]),
    ...othersOf(row).map(alsoKey),
    ...(row.unproven === undefined ? [] : [UNPROVEN]),
  ]);

  /** By service: the documents that became known last. */
  readonly #latest = new Map<string, string[]>();

  get size(): number {
    return this.#attempts.all.size + this.#owned.all.size + this.#reminders.all.size;
  }

  attempt(scope: JournalScope): AttemptRow | undefined {
    return this.#attemptsOf(scope)[0];
  }

  attempts(wanted: (row: AttemptRow) => boolean): AttemptRow[] {
    return [...this.#attempts.all].filter(wanted);
  }

  attemptsOfContract(service: string, contract: string): AttemptRow[] {
    return this.#attempts.of(contract).filter(row => row.service === service);
  }

  #attemptsOf(scope: JournalScope): AttemptRow[] {
    return this.#attempts.of(scope.urn).filter(row => isOf(scope, row));
  }

  owner(service: string, id: string, kind: IdKind): OwnedRow | undefined {
    const [row] = this.#owned.of(idKey(service, id, kind));
    return row?.unseen ? undefined : row;
  }

  /** Of what the line is about. */
  #ownerIn({ service, urn, id }: JournalScope & { readonly id: string }): OwnedRow | undefined {
    return this.owner(service, id, kindOf(urn));
  }

  latest(service: string): string[] {
    return this.#latest.get(service) ?? [];
  }

  documents(service: string): string[] {
    return [...this.#owned.all].flatMap(row =>
      row.service === service && row.released === undefined && !row.unseen && kindOf(row.urn) === "document"
        ? [row.id]
        : [],
    );
  }

  /** Whether a document is known whose PDF the service changed. */
  rewrites(service: string): boolean {
    return [...this.#owned.all].some(row => row.service === service && row.rewrittenAs !== undefined);
  }

  heldBy(scope: JournalScope): OwnedRow[] {
    return this.ofUrn(scope.urn).filter(row => isOf(scope, row) && row.released === undefined);
  }

  shownElsewhere(scope: JournalScope): OwnedRow[] {
    return this.#owned.of(alsoKey(scope)).filter(row => isAmong(othersOf(row), scope));
  }

  /** At any service. */
  ofUrn(urn: string): OwnedRow[] {
    return this.#owned.of(urn);
  }

  ofContract(service: string, contract: string): OwnedRow[] {
    return this.#owned.of(contract).filter(row => row.service === service);
  }

  ofInputs(service: string, stated: string): OwnedRow[] {
    return this.#owned.of(statedKey(stated)).filter(row => row.service === service);
  }

  /** Whether this is the latest round of an invitation. */
  isReminding(scope: JournalScope, token: string): boolean {
    const [known] = this.#remindersOf(scope);
    const ids = [...(known?.byToken.get(token) ?? [])];
    return ids.some(id => known?.rows.get(id)?.at(-1)?.token === token);
  }

  #remindersOf(scope: JournalScope): Reminders[] {
    return this.#reminders.of(scope.urn).filter(row => isOf(scope, row));
  }

  /** By whatever resource. */
  reminded(service: string, invitationId: string): { scope: JournalScope; row: RememberedReminder }[] {
    const here = this.#reminders.of(invitationKey(service, invitationId));
    return here.flatMap(scope => (scope.rows.get(invitationId) ?? []).map(row => ({ scope, row })));
  }

  apply(entry: Entry): void {
    // A preview may claim what an earlier run has sent.
    if (entry.op === "begin" || entry.op === "replace" || entry.op === "release") this.#prove(entry.run);
    switch (entry.op) {
      case "begin":
        this.#begin(entry);
        break;
      case "hint":
        for (const row of this.#attemptsOf(entry)) {
          if (row.token !== entry.token) continue;
          row.answered = true;
          row.hints = [...new Set([...row.hints, ...(entry.id === undefined ? [] : [entry.id])])];
        }
        break;
      case "resolve":
        this.#resolve(entry);
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
        this.#replace(entry);
        break;
      case "release":
        this.#release(entry);
        break;
      case "forget":
        for (const row of this.#attempts.all) if (entry.tokens.includes(row.token)) this.#attempts.delete(row);
        for (const row of [...this.#owned.all]) {
          const others = othersOf(row).filter(each => !entry.tokens.includes(tokenOfOther(row, each)));
          if (entry.tokens.includes(tokenIn(row))) this.#owned.delete(row);
          else if (others.length < othersOf(row).length) this.#put({ ...row, ...listed(others) });
        }
        break;
      case "remind":
        if (this.#mayRemind(entry)) this.#remind(entry);
        break;
      case "reminded":
        this.#changeReminder(entry, row => [{ ...row, outcome: "sent" }]);
        break;
      case "unremind":
        this.#changeReminder(entry, () => []);
        break;
      case "snapshot":
        this.#clear(entry.stacks);
        for (const row of entry.attempts) this.#attempts.add(row);
        for (const row of entry.reminders) this.#remind(row);
        for (const row of entry.owned) this.#put(row);
    }
  }

  /** Whether there is something that these tokens name. */
  knows(tokens: readonly string[]): boolean {
    const isNamed = (row: OwnedRow) =>
      tokens.includes(tokenIn(row)) || othersOf(row).some(each => tokens.includes(tokenOfOther(row, each)));
    return this.attempts(row => tokens.includes(row.token)).length > 0 || [...this.#owned.all].some(isNamed);
  }

  /** All of it, but for what was let go of or reminded more than a year ago. */
  snapshot(now: number): EntryOf<"snapshot"> {
    const isRecent = (at: number) => now - at < YEAR_MS;
    return {
      op: "snapshot",
      version: 1,
      attempts: [...this.#attempts.all],
      owned: [...this.#owned.all].filter(({ released }) => released === undefined || isRecent(released)),
      reminders: [...this.#reminders.all].flatMap(({ byToken: _, rows, ...row }) =>
        isRecent(row.at) ? [{ ...row, rows: [...rows.values()].flat() }] : [],
      ),
    };
  }

  /** Whether the engine's showing says anything new. */
  isNews(entry: EntryOf<"show">): boolean {
    const row = this.#ownerIn(entry);
    return (
      !row?.shown ||
      !isOf(entry, row) ||
      row.replaced ||
      // What it followed before may be over: people change it back there, too.
      (entry.followed !== undefined && entry.followed.fingerprint !== (row.followed ?? row).fingerprint) ||
      (entry.stated !== undefined && row.fingerprint === undefined && entry.stated !== row.stated) ||
      row.released !== undefined ||
      row.supersedes.join() !== entry.supersedes.join() ||
      (row.unproven !== undefined && (row.run !== entry.run || (row.unproven === "read" && isDecided(entry)))) ||
      this.#stale(entry).length > 0 ||
      this.#superseded(entry).length > 0 ||
      (entry.imported
        ? this.#beside(entry).some(row => !isNoted(row, entry))
        : this.#attemptsOf(entry).some(row => this.#holdsImport(row, entry)))
    );
  }

  /** What an import doesn't end: nothing tells it from a preview's. */
  #beside(entry: EntryOf<"show">): (AttemptRow | OwnedRow)[] {
    return [...this.#attemptsOf(entry), ...this.#unshownBeside(entry)];
  }

  #unshownBeside(entry: EntryOf<"show" | "replace" | "release">): OwnedRow[] {
    return this.heldBy(entry).filter(row => row.id !== entry.id && !row.shown && !row.replaced);
  }

  /** Of two lines that want the same, the one that was written first counts, unless the other one's writer knew of it. */
  #begin({ op: _, after, owned, knows, ...row }: EntryOf<"begin">): void {
    const before = this.attempt(row);
    if (before?.token !== after || this.heldBy(row).some(({ id }) => !owned.includes(id))) return;
    if (knows) {
      const isElsewhere = (other: AttemptRow | OwnedRow) => other.run !== row.run && !isOf(row, other);
      const contract = contractOf(row);
      const attempts = this.attemptsOfContract(row.service, contract).filter(isElsewhere);
      const made = this.ofContract(row.service, contract).filter(isElsewhere);
      const known = new Set(knows);
      if ([...attempts.map(({ token }) => token), ...made.map(tokenIn)].some(token => !known.has(token))) return;
      for (const other of attempts) other.overtaken = true;
    }
    if (before) this.#attempts.delete(before);
    this.#attempts.add(row);
  }

  #resolve({ token, id, by, ...scope }: EntryOf<"resolve">): void {
    for (const row of this.#attemptsOf(scope)) {
      if (row.token !== token) continue;
      if (id === undefined) this.#attempts.delete(row);
      else {
        const hints = [id, ...row.hints.filter(hint => hint !== id)];
        Object.assign(row, { said: id, saidBy: by, answered: true, hints });
      }
    }
  }

  #claim(entry: EntryOf<"claim">): void {
    const { fingerprint, supersedes, from, at } = entry;
    const before = this.#ownerIn(entry);
    const isHeld = before !== undefined && before.released === undefined;
    const isOwn = isHeld && isOf(entry, before);
    const isBack = before?.unproven !== undefined && isAmong(othersOf(before), entry);
    if (isHeld && !isOwn && !isBack && before.urn !== from) return;
    this.#endAttempt(entry, row => row.fingerprint === fingerprint);
    for (const row of this.heldBy(entry))
      if (row.id !== entry.id && (row.replaced || supersedes.includes(row.id))) this.#supersede(row, at);
    const moved = isHeld && (!isOwn || before.moved === true);
    const { followed, ...about } = this.#about(entry);
    // Taken as something else, it is no longer what was followed.
    const isStill = fingerprint === undefined || isMadeOf({ ...about, followed }, { fingerprint });
    this.#put({
      ...about,
      ...(followed && isStill && { followed }),
      ...contentHashesIn(entry),
      supersedes,
      shown: isOwn && before.shown,
      ...(moved && { moved }),
      ...inOtherStacks(entry, this.#knownOf(entry)),
    });
    this.#letGoOfOthers(entry);
    if (kindOf(entry.urn) === "document") this.#noteBeside(entry);
  }

  /** One clock has to have seen both: that which a deployment runs by. Between two, it may have been set. */
  #noteBeside({ service, run, at, id }: EntryOf<"claim">): void {
    for (const row of this.#attempts.all) {
      if (row.service !== service || row.run !== run || at - row.startedAt > ABOUT_AS_OLD_MS) continue;
      row.beside = [...new Set([...(row.beside ?? []), id])].slice(0, MOST_BESIDE);
    }
  }

  #show(entry: EntryOf<"show">): void {
    if (entry.imported) for (const row of this.#beside(entry)) row.imports = importsWith(row, entry);
    this.#endBeside(entry);
    for (const row of this.#superseded(entry)) this.#supersede(row, entry.at);
    for (const row of this.#stale(entry)) this.#unsee(row);
    const before = this.#ownerIn(entry);
    const moved = before?.moved === true || (entry.imported && !(before && isOf(entry, before)));
    const about = this.#about(entry);
    const made = contentHashesIn({ ...entry, fingerprint: entry.fingerprint ?? about.fingerprint });
    this.#put({
      ...about,
      ...made,
      ...{ supersedes: entry.supersedes, shown: true },
      ...(moved && { moved }),
      ...this.#sharedAs(entry, this.#knownOf(entry)),
    });
  }

  /** It is no longer its resource's own. */
  #unsee({ imports: _, ...row }: OwnedRow): void {
    const last = othersOf(row).at(-1);
    const others = holdersOf(row);
    if (last) {
      // One whose backend isn't known has no such member once it was read from a snapshot.
      const scope = { ...row, urn: last.urn, backend: last.backend };
      this.#put({ ...scope, ...othersBut(scope, others) });
    } else this.#put({ ...row, ...listed(others), unproven: undefined, unseen: true });
  }

  /** State holds what was imported beside these: a person has decided on it. */
  #endBeside(entry: EntryOf<"show" | "replace" | "release">): void {
    this.#endAttempt(entry, row => this.#holdsImport(row, entry));
    for (const row of this.#unshownBeside(entry)) if (this.#holdsImport(row, entry)) this.#unsee(row);
  }

  /**
   * Whether state is known to hold what was imported beside this: no preview deletes, or shows what it didn't import itself.
   * One that renames shows what another resource has.
   */
  #holdsImport({ imports = [] }: WithImports, entry: EntryOf<"show" | "replace" | "release">): boolean {
    const runs = imports.flatMap(({ id, run }) => (id === entry.id ? [run] : []));
    if (runs.length === 0 || entry.op !== "show") return runs.length > 0;
    const held = this.#ownerIn(entry);
    const isOwn = held !== undefined && isOf(entry, held) && held.unproven === undefined;
    return isOwn && !entry.imported && !runs.includes(entry.run);
  }

  /** Who else may have it by now. A preview shows as well what never comes, so whoever had it has it until it lets go of it. */
  #sharedAs(entry: EntryOf<"show">, before: OwnedRow | undefined): Pick<OwnedRow, "unproven" | "others"> {
    if (!before || before.released !== undefined) return inOtherStacks(entry, before);
    if (isOf(entry, before) && before.unproven === undefined) return othersBut(entry, othersOf(before));
    const shared = othersBut(entry, holdersOf(before));
    return { ...shared, ...(shared.others && { unproven: isDecided(entry) ? "compared" : "read" }) };
  }

  /** A deployment that changes something is no preview: what it was shown before has moved from its stack's other names. */
  #prove(run: string): void {
    for (const { unproven, ...row } of this.#owned.of(UNPROVEN))
      if (unproven === "compared" && row.run === run) this.#put({ ...row, ...inOtherStacks(row, row) });
  }

  #replace(entry: EntryOf<"replace">): void {
    this.#endBeside(entry);
    for (const row of this.#superseded(entry)) this.#supersede(row, entry.at);
    const others = inOtherStacks(entry, this.#ownerIn(entry));
    this.#put({ ...this.#about(entry), supersedes: entry.supersedes, shown: true, replaced: true, ...others });
  }

  #release(entry: EntryOf<"release">): void {
    this.#endBeside(entry);
    const before = this.#ownerIn(entry);
    if (before && !isOf(entry, before) && before.released === undefined) {
      if (isAmong(othersOf(before), entry)) this.#put({ ...before, ...othersBut(entry, othersOf(before)) });
      return;
    }
    for (const row of this.#superseded(entry)) this.#supersede(row, entry.at);
    const supersedes = [...new Set([...(before?.supersedes ?? []), ...entry.supersedes])];
    const others = inOtherStacks(entry, before);
    this.#put({ ...this.#about(entry), supersedes, shown: true, released: entry.at, ...others });
    this.#letGoOfOthers(entry);
  }

  /** What is done under a name, and isn't only shown, tells what it has: nothing of what was shown elsewhere since. */
  #letGoOfOthers(scope: JournalScope): void {
    for (const row of this.shownElsewhere(scope)) this.#put({ ...row, ...othersBut(scope, othersOf(row)) });
  }

  /** What state says this one replaced, on whatever machine, and the journal still has as the resource's. */
  #superseded(entry: EntryOf<"show" | "replace" | "release">): OwnedRow[] {
    const before = this.#ownerIn(entry)?.urn ?? entry.urn;
    return entry.supersedes.flatMap(id => {
      const row = this.#ownerIn({ ...entry, id });
      const isOwn = row && (isOf(entry, row) || isOf({ ...entry, urn: before }, row));
      return isOwn && id !== entry.id && row.released === undefined ? [row] : [];
    });
  }

  #supersede(row: OwnedRow, released: number): void {
    this.#put({ ...row, replaced: false, released, superseded: true });
  }

  /**
   * What the engine had shown before it showed this instead. What replaced this stays: state was restored from a backup,
   * or another machine's state is older.
   */
  #stale(entry: EntryOf<"show">): OwnedRow[] {
    return this.heldBy(entry).filter(
      row =>
        row.id !== entry.id &&
        !row.supersedes.includes(entry.id) &&
        !entry.besides.includes(row.id) &&
        (row.shown || row.replaced || this.#holdsImport(row, entry)),
    );
  }

  #mayRemind({ service, rows, knows }: EntryOf<"remind">): boolean {
    const isKnown = (row: RememberedReminder) => knows?.includes(tokenOfReminder(row)) !== false;
    return rows.every(({ invitationId }) => this.reminded(service, invitationId).every(({ row }) => isKnown(row)));
  }

  /** In place: a reminder of thousands of people is an entry for each of them. */
  #remind({ service, urn, backend, at, rows }: RemindersRow): void {
    let [known] = this.#remindersOf({ service, urn, backend });
    if (!known) {
      known = { service, urn, backend, at, rows: new Map(), byToken: new Map() };
      this.#reminders.add(known);
    }
    known.at = at;
    for (const row of rows)
      this.#setRounds(known, row.invitationId, [...(known.rows.get(row.invitationId) ?? []), row].slice(-MOST_ROUNDS));
  }

  #changeReminder(
    { token, ...scope }: EntryOf<"reminded" | "unremind">,
    changed: (row: RememberedReminder) => RememberedReminder[],
  ): void {
    for (const known of this.#remindersOf(scope))
      for (const id of [...(known.byToken.get(token) ?? [])]) {
        const rounds = known.rows.get(id) ?? [];
        this.#setRounds(
          known,
          id,
          rounds.flatMap(row => (row.token === token ? changed(row) : [row])),
        );
      }
  }

  #setRounds(known: Reminders, id: string, rounds: RememberedReminder[]): void {
    for (const { token } of known.rows.get(id) ?? []) if (token !== undefined) takeFrom(known.byToken, token, id);
    for (const { token } of rounds) if (token !== undefined) addTo(known.byToken, token, id);
    known.rows.set(id, rounds);
    this.#reminders.add(known, invitationKey(known.service, id));
  }

  #endAttempt(scope: JournalScope, wanted = (_: AttemptRow) => true): void {
    for (const row of this.#attemptsOf(scope)) if (wanted(row)) this.#attempts.delete(row);
  }

  #about({ service, urn, backend, id, run }: EntryOf<"claim" | "show" | "replace" | "release">): OwnedRow {
    const known = this.#knownOf({ service, urn, id });
    return {
      ...{ service, urn, backend, id, run },
      ...contentHashesIn(known ?? {}),
      ...{ supersedes: [], shown: false, replaced: false },
    };
  }

  /** Whoever has it, and where state was shown without it. */
  #knownOf(of: JournalScope & { readonly id: string }): OwnedRow | undefined {
    return this.#owned.of(keyOf(of))[0];
  }

  /** All, or what these stacks have. */
  #clear(stacks: readonly string[] | undefined): void {
    const stays = ({ urn }: { readonly urn: string }) => stacks !== undefined && !stacks.includes(stackOf(urn));
    for (const row of this.#attempts.all) if (!stays(row)) this.#attempts.delete(row);
    for (const row of this.#reminders.all) {
      const invitations = [...row.rows.keys()].map(id => invitationKey(row.service, id));
      if (!stays(row)) this.#reminders.delete(row, ...invitations);
    }
    for (const row of this.#owned.all) if (!stays(row)) this.#owned.delete(row);
  }

  #put(row: OwnedRow): void {
    const before = this.#knownOf(row);
    if (before) this.#owned.delete(before);
    else if (kindOf(row.urn) === "document") {
      const others = this.latest(row.service).filter(id => id !== row.id);
      this.#latest.set(row.service, [...others, row.id].slice(-MOST_LATEST));
    }
    this.#owned.add(row);
  }
}

type WithImports = Pick<AttemptRow, "imports">;
type Holder = Pick<JournalScope, "urn" | "backend">;

const othersOf = (row: OwnedRow | undefined): readonly Holder[] => row?.others ?? [];
const holdersOf = (row: OwnedRow): readonly Holder[] =>
  row.released === undefined && !row.unseen
    ? [...othersOf(row), { urn: row.urn, backend: row.backend }]
    : othersOf(row);
/** By which a person names what one of these had. */
export const tokenOfOther = ({ service, id }: OwnedRow, { urn }: Holder): string => tokenOf(service, `${urn}\n${id}`);
/** By which a person says that it wasn't moved to this backend: whoever has it in its own keeps it. */
export const tokenOfMoved = ({ service, urn, id }: OwnedRow, { backend = "" }: JournalScope): string =>
  tokenOf(service, `${urn}\n${id}\nto ${backend}`);
const isAmong = (holders: readonly Holder[], scope: JournalScope): boolean =>
  holders.some(each => each.urn === scope.urn && sameBackend(each, scope));
const othersBut = (scope: JournalScope, holders: readonly Holder[]) =>
  listed(holders.filter(each => !isAmong([each], scope)));
/** A stack's state has an id once: what is really done under one of its names is done for all. */
const inOtherStacks = (scope: JournalScope, row: OwnedRow | undefined) =>
  listed(
    (row ? holdersOf(row) : []).filter(each => stackOf(each.urn) !== stackOf(scope.urn) || !sameBackend(each, scope)),
  );
/** Diff has let it pass, or didn't ask. */
const isDecided = ({ imported, undecided }: EntryOf<"show">): boolean => !imported && !undecided;
const isNoted = ({ imports = [] }: WithImports, { id, run }: EntryOf<"show">): boolean =>
  imports.some(each => each.id === id && each.run === run);
const importsWith = (row: WithImports, entry: EntryOf<"show">) =>
  isNoted(row, entry) ? row.imports : [...(row.imports ?? []), { id: entry.id, run: entry.run }].slice(-MOST_IMPORTS);
/** None is the same as no list. */
const listed = (others: readonly Holder[]) => ({ others: others.length > 0 ? [...others] : undefined });
const alsoKey = ({ urn }: Holder): string => `also ${urn}`;
const UNPROVEN = "unproven";

/** What it was made of, as far as the line says. */
const contentHashesIn = ({ fingerprint, contract, name, extra, rewrittenAs, followed, stated }: Partial<OwnedRow>) => ({
  fingerprint,
  ...trimmed({ contract, name, extra, rewrittenAs, followed, stated }),
});

const statedKey = (stated: string): string => `stated ${stated}`;
/** Once it is known what was sent, that counts. */
const statedIn = ({ fingerprint, stated }: OwnedRow): string[] =>
  fingerprint === undefined && stated !== undefined ? [statedKey(stated)] : [];

function addTo<T>(rows: Map<string, Set<T>>, key: string, row: T): void {
  const same = rows.get(key);
  if (same) same.add(row);
  else rows.set(key, new Set([row]));
}

function takeFrom<T>(rows: Map<string, Set<T>>, key: string, row: T): void {
  const same = rows.get(key);
  same?.delete(row);
  if (same?.size === 0) rows.delete(key);
}

export const tokenOfReminder = ({ token, at }: RememberedReminder): string => token ?? at;

/** The same URN in two backends is two resources; where one of the two isn't known, they may be one. */
export const isOf = (scope: JournalScope, row: JournalScope): boolean =>
  row.service === scope.service && row.urn === scope.urn && sameBackend(scope, row);

export const sameBackend = (a: Pick<JournalScope, "backend">, b: Pick<JournalScope, "backend">): boolean =>
  a.backend === undefined || b.backend === undefined || a.backend === b.backend;

const invitationKey = (service: string, id: string): string => `${service}\n${id}`;
const idKey = (service: string, id: string, kind: IdKind): string => `${service}\n${kind}\n${id}`;
const keyOf = ({ service, urn, id }: JournalScope & { readonly id: string }): string => idKey(service, id, kindOf(urn));
