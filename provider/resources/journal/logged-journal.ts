import { randomBytes, randomUUID } from "node:crypto";
import type { ZodError } from "zod";
import { isRecord } from "../../../kit/records.js";
import { quote } from "../../core/text.js";
import {
  isOf,
  JournalContents,
  type JournalScope,
  sameBackend,
  tokenOfMoved,
  tokenOfOther,
  tokenOfReminder,
} from "./contents.js";
import {
  type Attempt,
  type Content,
  type ContentHashes,
  type Contract,
  contentHashesOf,
  contractName,
  contractOf,
  type IdKind,
  invitationName,
  kindOf,
  type OpenAttempt,
  type Owned,
  type ReminderAttempt,
  type Scope,
  stackOf,
  tokenIn,
  tokenOf,
} from "./contract.js";
import { type AttemptRow, type Entry, entry, type OwnedRow, type RememberedReminder } from "./entry.js";
import { JournalUnavailableError, type Log } from "./log.js";

export interface JournalOptions {
  readonly run: string;
  /** Of this deployment's stack, without credentials. */
  readonly backend?: string | undefined;
  /** Tokens of what a person lets go of. */
  readonly forget?: readonly string[];
  /** To be said once, when the first line is written. */
  readonly notice?: string | undefined;
  /** To be said once, and asked for again after 1, 2, 4, 8 … lines until there is something to say. */
  readonly warning?: (() => string | undefined) | undefined;
  readonly now?: () => number;
  /** When this machine was started, by that clock. */
  readonly machineUp?: number;
  /** Compacted when it holds more lines than this and two for each row. */
  readonly keptLines?: number;
}

/**
 * What the journal remembers, and what each write guarantees. A call that changes something is a line of a log, and what all
 * lines come to is what is remembered. It holds hashes, ids and URNs; no content, no addresses, and no names of people but of
 * those who settled a create by their word.
 *
 * The journal may forbid a create and never permits one: a store that is lost, restored from a backup or empty makes the
 * provider ask the service, and nothing else.
 */
export class LoggedJournal {
  /** This deployment: the same in all provider processes of one engine. */
  readonly run: string;
  readonly #contents = new JournalContents();
  readonly #asked = new NamesRead();
  readonly #unsaid = new Set<string>();
  /** When attempts were first read, by their tokens. */
  readonly #seen = new Map<string, number>();
  #waiting: Entry[] = [];
  #next: Promise<unknown> | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #lines = 0;
  #written = 0;
  #hasWarned = false;
  #losses = 0;
  #isLoaded = false;
  #canWrite = false;
  /** Why nothing is read or written any more. */
  #unreadable: JournalUnavailableError | undefined;
  #hasFailed = false;
  /** What a person let go of, until it is in the log: with the next line that is written, because a preview writes nothing. */
  #forgetting: Entry | undefined;

  constructor(
    private readonly log: Log,
    private readonly options: JournalOptions,
  ) {
    this.run = options.run;
    this.#asked.add(options.forget ?? []);
  }

  /**
   * How often what was read before wasn't there any more, or nobody knows whether it was: the store was restored, or out
   * of reach. What was decided before is decided again.
   */
  losses(): number {
    return this.#losses;
  }

  /** Reads what others have added. The other readers answer from what was read last, and read only where nothing was. */
  async refresh(): Promise<void> {
    // What is asked for first is read then.
    if (this.#isLoaded || this.#asked.names.length > 0) await this.#sync();
  }

  /** What is remembered under this URN; released ids are left out. Throws where the store can't be read. */
  async resource(scope: Scope) {
    await this.#load(() => stackOf(scope.urn));
    const journalScope = this.#journalScope(scope);
    const attempt = this.#contents.attempt(journalScope);
    return {
      attempt: attempt && this.#attempt(attempt),
      owned: this.#contents.heldBy(journalScope).map(row => this.#owned(row)),
    };
  }

  /**
   * What it had as well, and the engine has shown under another URN since, or another one in its place, if only in a preview.
   * `isLikely`: where it has nothing, what its name has in another backend, from where its state may have been moved.
   */
  async shownElsewhere(scope: Scope): Promise<readonly (Owned & { readonly isLikely?: boolean })[]> {
    await this.#load(() => stackOf(scope.urn));
    const own = this.#journalScope(scope);
    const had = this.#contents.shownElsewhere(own);
    const isEmpty = had.length === 0 && this.#contents.heldBy(own).length === 0;
    const there = isEmpty ? this.#contents.ofUrn(scope.urn) : [];
    return [
      ...had.map(row => ({ ...this.#owned(row), token: tokenOfOther(row, scope) })),
      ...there.flatMap(row => {
        const token = tokenOfMoved(row, own);
        const isLikely = row.service === scope.service && row.released === undefined;
        return isLikely && !this.options.forget?.includes(token) ? [{ ...this.#owned(row), token, isLikely }] : [];
      }),
    ];
  }

  /** What is remembered of this contract at this service, under any URN; released ids are included. */
  async ofContract(service: string, about: Contract) {
    const contract = contractOf(about);
    await this.#load(() => contractName(service, contract));
    return {
      attempts: this.#contents.attemptsOfContract(service, contract).map(row => this.#attempt(row)),
      owned: this.#contents.ofContract(service, contract).map(row => this.#owned(row)),
    };
  }

  /** The documents of which state had inputs with one of these hashes, as far as nothing tells what was sent; by all that was read. */
  async ofInputs(service: string, stated: readonly string[]): Promise<readonly Owned[]> {
    return stated.flatMap(each => this.#contents.ofInputs(service, each)).map(row => this.#owned(row));
  }

  /** Whose document, or folder, it is or was; released ones are included. */
  async owner(service: string, id: string, kind: IdKind = "document"): Promise<Owned | undefined> {
    await this.#load(() => tokenOf(service, id, kind));
    const row = this.#contents.owner(service, id, kind);
    return row && this.#owned(row);
  }

  /** The documents at this service that resources hold, by all that was read. */
  async documents(service: string): Promise<readonly string[]> {
    return this.#contents.documents(service);
  }

  /** Those that became known last, the latest at the end, by all that was read. */
  async latest(service: string): Promise<readonly string[]> {
    return this.#contents.latest(service);
  }

  /** Whether the service has changed the PDF of a document that this journal's resources sent, by all that was read. */
  async rewrites(service: string): Promise<boolean> {
    return this.#contents.rewrites(service);
  }

  /** The creates at this service that have no confirmed outcome, by all that was read. */
  async unsettled(service: string): Promise<readonly Attempt[]> {
    return this.#contents.attempts(row => row.service === service).map(row => this.#attempt(row));
  }

  /** What this resource holds at other services. */
  async atOtherServices(scope: Scope) {
    await this.#load(() => stackOf(scope.urn));
    const journalScope = this.#journalScope(scope);
    const isElsewhere = (row: OwnedRow) =>
      row.service !== journalScope.service && row.released === undefined && sameBackend(row, journalScope);
    const rows = this.#contents.ofUrn(journalScope.urn).filter(isElsewhere);
    return rows.map(row => ({ service: row.service, id: row.id, token: tokenIn(row) }));
  }

  /**
   * Before the request is sent. Durable when it returns. It replaces the attempt whose token is `after`; undefined, and
   * nothing is begun, where the resource has another one, or an id that isn't among `owned`, which its caller has read:
   * another run is creating it, or has just done so. Undefined as well where another run has begun or claimed a document
   * of the same contract under any URN, in any backend, whose token isn't among `knows`; left out, these don't matter.
   * Attempts of other runs that are among them are overtaken.
   */
  async begin(
    scope: Scope,
    about: Content &
      Pick<Attempt, "startedAt" | "serviceTime" | "lasts" | "inFolder" | "account" | "supersedes"> & {
        readonly owned: readonly string[];
        readonly knows?: readonly string[] | undefined;
      },
    after: string | undefined,
  ): Promise<Attempt | undefined> {
    const token = newToken();
    const journalScope = this.#journalScope(scope);
    const older = this.#contents.latest(journalScope.service);
    const { machineUp } = this.options;
    const known = { token, run: this.run, after, hints: [], older, machineUp };
    await this.#write({ op: "begin", ...about, ...journalScope, ...known });
    const attempt = this.#contents.attempt(journalScope);
    return attempt?.token === token ? this.#attempt(attempt) : undefined;
  }

  /** Whether this create or reminder is the resource's still, and not overtaken, by what others have written until now. */
  async owns(scope: Scope, token: string): Promise<boolean> {
    await this.#sync();
    const attempt = this.#contents.attempt(this.#journalScope(scope));
    return (attempt?.token === token && attempt.overtaken !== true) || this.#isReminding(scope, token);
  }

  /**
   * When this process first read an attempt, by this machine's clock, where another run began it, and machines share the
   * journal, or it came from another machine, or the clock was set since: its `startedAt` may be any time from this clock's.
   */
  seenAt({ token, run, machineUp }: Attempt): number | undefined {
    const isByThisClock = run === this.run || (!this.log.isShared && isSameStart(machineUp, this.options.machineUp));
    return isByThisClock ? undefined : this.#seen.get(token);
  }

  /** The service answered that it was done: adds the unconfirmed id that the answer named, if it did. */
  async hint(scope: Scope, token: string, id: string | undefined): Promise<void> {
    await this.#write({ op: "hint", ...this.#journalScope(scope), token, id });
  }

  /** The attempt led to nothing, provably. One that another run has begun in its place stays. */
  async withdraw(scope: Scope, token: string): Promise<void> {
    await this.#write({ op: "withdraw", ...this.#journalScope(scope), token });
  }

  /**
   * Takes an id for a resource, atomically across processes and machines: false where another resource has it and didn't
   * release it. `from` is a URN that lets go of it in this run, and may not have released it yet. Ends the resource's
   * attempt if its fingerprint is the same, and releases what it replaced.
   */
  async claim(
    scope: Scope,
    id: string,
    about: ContentHashes & {
      readonly supersedes: readonly string[];
      readonly rewrittenAs?: string | undefined;
      readonly from?: string | undefined;
    },
  ): Promise<boolean> {
    const { supersedes, ...known } = about;
    await this.#write({ op: "claim", ...this.#about(scope, id, supersedes), ...known });
    return this.#contents.heldBy(this.#journalScope(scope)).some(row => row.id === id);
  }

  /**
   * The engine has shown that state holds the id under this URN (Diff, Read). Returns before it is written, but for a
   * process's first, and where an attempt is open: what a crash loses of it is shown again, and forbids more meanwhile.
   * Moves it from any other URN, which may have it all the same (`shownElsewhere`). Other ids of the URN that the engine had
   * shown before aren't its own any more, and as those, except those shown in this run (`besides`), those not shown yet and
   * those that replaced this one. What it replaced, by state, is let go of: another machine may have done that.
   * Of one that Diff may still refuse (`undecided`), no later line of the run tells that it isn't a preview's.
   * An import ends nothing: it may be a preview's. Once another run shows that state holds the id, the attempt that was open
   * at the import ends, and what wasn't shown by then isn't the URN's own any more. `fingerprint` is the attempt's where the
   * id may be what it led to. `stated` is kept as long as nothing tells what was sent.
   */
  async show(
    scope: Scope,
    id: string,
    about: Partial<ContentHashes> & {
      readonly supersedes: readonly string[];
      readonly imported?: boolean;
      readonly undecided?: true | undefined;
      readonly besides?: readonly string[];
    },
  ): Promise<void> {
    const { supersedes, imported = false, besides = [], stated, ...made } = about;
    await this.#load(() => stackOf(scope.urn));
    const attempt = this.#contents.attempt(this.#journalScope(scope));
    const own = attempt && attempt.fingerprint === made.fingerprint ? contentHashesOf(attempt) : {};
    const known = this.#contents.owner(scope.service, id, kindOf(scope.urn));
    const isSentKnown = [known, made].some(each => each?.fingerprint !== undefined);
    const line = { ...this.#about(scope, id, supersedes), imported, ...own, ...made, besides };
    const shown = { op: "show" as const, ...line, ...(stated !== undefined && !isSentKnown && { stated }) };
    if (!this.#contents.isNews(shown)) return;
    const written = this.#write(shown);
    // The first one tells whether the place can be written. Of an open attempt it says what the same run asks next.
    if (this.#canWrite && !attempt) void written.catch(() => undefined);
    else await written;
  }

  /** The engine deletes the id in the first half of a replacement: it stays known under the URN until a successor is claimed. */
  async replace(scope: Scope, id: string, supersedes: readonly string[]): Promise<void> {
    await this.#write({ op: "replace", ...this.#about(scope, id, supersedes) });
  }

  /**
   * State lets go of the id, where it is this resource's. What it was made of stays known: it may be wanted again. What
   * it replaced, by state, is let go of as well.
   */
  async release(scope: Scope, id: string, supersedes: readonly string[] = []): Promise<void> {
    await this.#write({ op: "release", ...this.#about(scope, id, supersedes) });
  }

  /** The reminders of these invitations, by whatever resource, in any backend. */
  async reminded(scope: Scope, invitationIds: readonly string[]): Promise<readonly ReminderAttempt[]> {
    await this.#load(...invitationIds.map(id => () => invitationName(scope.service, id)));
    const own = this.#journalScope(scope);
    return invitationIds.flatMap(id =>
      this.#contents.reminded(scope.service, id).map(({ scope: of, row }) => ({
        ...row,
        token: tokenOfReminder(row),
        urn: this.#nameOf(of.urn, of.backend),
        own: isOf(own, of),
      })),
    );
  }

  /**
   * Before a reminder is sent. Durable when it returns. Answers with its token; undefined, and nothing is begun, where the
   * invitation has another one, by whatever resource, whose token isn't among `knows`.
   */
  async remind(
    scope: Scope,
    about: Pick<RememberedReminder, "invitationId" | "round" | "at">,
    knows: readonly string[],
  ): Promise<string | undefined> {
    const row = { ...about, token: newToken(), outcome: "unknown" } as const;
    await this.#write({ op: "remind", ...this.#journalScope(scope), at: this.#now(), rows: [row], knows });
    return this.#isReminding(scope, row.token) ? row.token : undefined;
  }

  /** The service said that it was sent. */
  async confirmReminder(scope: Scope, token: string): Promise<void> {
    await this.#write({ op: "reminded", ...this.#journalScope(scope), token });
  }

  /** It wasn't sent after all. */
  async unremind(scope: Scope, token: string): Promise<void> {
    await this.#write({ op: "unremind", ...this.#journalScope(scope), token });
  }

  #isReminding(scope: Scope, token: string): boolean {
    return this.#contents.isReminding(this.#journalScope(scope), token);
  }

  /** All creates without a confirmed outcome, of whatever stack, backend and service. */
  async open(): Promise<readonly OpenAttempt[]> {
    try {
      this.#asked.add((await this.log.stacks?.()) ?? []);
    } catch (error) {
      throw this.#unavailable(error);
    }
    await this.#sync();
    return this.#contents.attempts(() => true).map(row => ({ ...this.#attempt(row), service: row.service }));
  }

  /** A person says what came of an attempt: what it is, or undefined for nothing. False where it isn't open. */
  async resolve(token: string, id: string | undefined, by: string): Promise<boolean> {
    await this.open();
    const [row] = this.#contents.attempts(attempt => attempt.token === token);
    if (!row) return false;
    const { service, urn, backend } = row;
    await this.#write({ op: "resolve", service, urn, backend, token, id, by, at: this.#now() });
    return true;
  }

  /** What a user must hear of the store, each once: that it can't be reached, say. */
  warnings(): string[] {
    const unsaid = [...this.#unsaid];
    this.#unsaid.clear();
    return unsaid;
  }

  async close(): Promise<void> {
    await this.#next?.catch(() => undefined);
    await this.#last.catch(() => undefined);
    await this.log.close();
  }

  async #write(line: Entry & JournalScope): Promise<void> {
    // What a person let go of is looked for before this, so that this isn't part of it.
    await this.#load(() => stackOf(line.urn));
    if (this.options.notice && this.#contents.size === 0 && this.#lines === 0) this.#unsaid.add(this.options.notice);
    this.#sayWhatIsLost();
    if (this.#forgetting) this.#waiting.push(this.#forgetting);
    this.#forgetting = undefined;
    this.#waiting.push(line);
    const refused = await this.#sync();
    if (refused) throw refused;
    this.#canWrite = true;
  }

  #sayWhatIsLost(): void {
    const isDue = Number.isInteger(Math.log2(++this.#written));
    const warning = isDue && !this.#hasWarned ? this.options.warning?.() : undefined;
    if (warning === undefined) return;
    this.#hasWarned = true;
    this.#unsaid.add(warning);
  }

  /** Reads what bears on these names, if it wasn't read yet. A log that was read whole needs none. */
  async #load(...wanted: readonly (() => string)[]): Promise<void> {
    if (this.log.isWhole && this.#isLoaded) return;
    const names = wanted.map(name => name());
    this.#asked.add(names);
    if (!this.#isLoaded || !names.every(name => this.#asked.isRead(name))) await this.#sync();
  }

  /** Brings what is known up to date. Calls that come while the log is busy travel together, as one exchange. */
  #sync(): Promise<unknown> {
    this.#next ??= this.#last
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        this.#last = this.#exchange(this.#waiting.splice(0));
        return this.#last;
      });
    return this.#next;
  }

  /** Answers why its lines were refused, where reading still works. */
  async #exchange(added: Entry[]): Promise<JournalUnavailableError | undefined> {
    const refused = this.#unreadable ?? (added.length > 0 ? await this.#attemptTo(added) : undefined);
    if (added.length > 0 && !refused) {
      await this.#compact();
      return undefined;
    }
    const failure = this.#unreadable ?? (await this.#attemptTo([]));
    if (failure) throw this.#warn(failure);
    return refused && this.#warn(refused);
  }

  async #attemptTo(added: readonly Entry[]): Promise<JournalUnavailableError | undefined> {
    const { names } = this.#asked;
    const { length } = names;
    try {
      const isDurable = added.some(({ op }) => op === "begin" || op === "remind");
      for (const line of await this.log.exchange(
        added.map(line => JSON.stringify({ ...line, key: randomUUID() })),
        isDurable,
        names,
      ))
        this.#apply(line);
    } catch (error) {
      return error instanceof JournalUnavailableError ? error : this.#unavailable(error);
    }
    this.#asked.read = length;
    if (!this.#isLoaded) this.#forget();
    this.#isLoaded = true;
    return undefined;
  }

  #apply(line: string): void {
    const given = parseLine(line);
    const parsed = entry.safeParse(given);
    if (parsed.success) {
      this.#lines = parsed.data.op === "snapshot" ? 0 : this.#lines + 1;
      this.#contents.apply(parsed.data);
      if (parsed.data.op === "snapshot" && parsed.data.lost) this.#losses++;
      if (this.#forgetting) this.#contents.apply(this.#forgetting);
    } else if (isRecord(given) && typeof given["op"] === "string") {
      // What stands behind it isn't known.
      this.#unreadable = this.#unavailable(new Error(unreadable(given["op"], parsed.error)));
      throw this.#unreadable;
    } else if (given !== undefined) {
      this.#unsaid.add(`${this.log.name} has a line that isn't the journal's, and it is left out: ${quote(line)}`);
    }
  }

  #forget(): void {
    const tokens = [...(this.options.forget ?? [])];
    if (!this.#contents.knows(tokens)) return;
    this.#forgetting = { op: "forget", tokens };
    this.#contents.apply(this.#forgetting);
  }

  async #compact(): Promise<void> {
    if (this.#lines <= (this.options.keptLines ?? 200) + 2 * this.#contents.size) return;
    // Where it fails, another process will.
    this.#lines = 0;
    await this.log.compact(JSON.stringify(this.#contents.snapshot(this.#now()))).catch(() => undefined);
  }

  #unavailable(cause: unknown): JournalUnavailableError {
    return new JournalUnavailableError(this.log.name, cause, this.log.advice);
  }

  #warn(error: JournalUnavailableError): JournalUnavailableError {
    if (!this.#hasFailed) this.#unsaid.add(error.message);
    this.#hasFailed = true;
    return error;
  }

  #now(): number {
    return (this.options.now ?? Date.now)();
  }

  #journalScope({ service, urn }: Scope): JournalScope {
    return { service, urn, backend: this.options.backend };
  }

  /** What a line says that changes something about an id. */
  #about(scope: Scope, id: string, supersedes: readonly string[]) {
    return { ...this.#journalScope(scope), run: this.run, at: this.#now(), id, supersedes };
  }

  #attempt({ service: _, backend, ...row }: AttemptRow): Attempt {
    if (!this.#seen.has(row.token)) this.#seen.set(row.token, this.#now());
    return { ...row, urn: this.#nameOf(row.urn, backend) };
  }

  #owned({ service, backend, released, fingerprint, unproven: _, others: __, unseen: ___, ...row }: OwnedRow): Owned {
    const urn = this.#nameOf(row.urn, backend);
    const token = tokenIn({ ...row, service });
    return { ...row, urn, elsewhere: urn !== row.urn, fingerprint, token, released: released !== undefined };
  }

  #nameOf(urn: string, backend: string | undefined): string {
    return sameBackend({ backend }, this.options) ? urn : `${urn} (${backend})`;
  }
}

/** The names a process has asked its journal about, in turn, and how many of them have been read. */
class NamesRead {
  readonly names: string[] = [];
  read = 0;
  readonly #nth = new Map<string, number>();

  add(names: readonly string[]): void {
    for (const name of names) if (!this.#nth.has(name)) this.#nth.set(name, this.names.push(name));
  }

  isRead(name: string): boolean {
    return (this.#nth.get(name) ?? Number.POSITIVE_INFINITY) <= this.read;
  }
}

/** As exactly as systems say it. */
const isSameStart = (one: number | undefined, other: number | undefined): boolean =>
  one === other || (one !== undefined && other !== undefined && Math.abs(one - other) < 10_000);

const newToken = (): string => randomBytes(4).toString("hex");

/** What was cut off on its way to the disk was never confirmed to anyone. */
function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function unreadable(op: string, { issues }: ZodError): string {
  if (issues.some(({ code }) => code === "invalid_union"))
    return `expected a line this version can read, got "${op}" of a newer version: upgrade the provider`;
  const members = [...new Set(issues.map(({ path }) => String(path[0])))].join(", ");
  return `expected a whole "${op}", got one that is damaged or of a newer version (${members}): upgrade the provider, or restore the journal from a backup`;
}
