import { isUnreadable, readIfShown } from "../client/documents.js";
import { NotFoundError } from "../client/errors.js";
import { isUnsigned } from "../client/files.js";
import type { Absence, ListedRow, Snapshot } from "../client/lists.js";
import type { DocumentBody, Service } from "../client/service.js";
import type { Context } from "./context.js";
import { ABOUT_AS_OLD_MS, type Attempt, type Scope } from "./journal/contract.js";

/*
 * Whether an attempt led to nothing. Lists prove that (`AbsenceProof`), as far as clocks tell when it was sent
 * (`AttemptTime`): docs/decisions/proofs-of-absence.md says what each proof assumes.
 */

// ---- When it was sent ----

/** Two clocks may be so far apart: of two machines, or of one and the service. A service's may stand still. */
export const CLOCKS_APART_MS = 24 * 3_600_000;
/** Servers, and what stamps `created_at`, may disagree on the time. */
export const CLOCK_SLACK_MS = 10 * 60_000;

/** How long before an attempt its document may seem to have been made. */
const SLACK_MS = {
  /** Where nothing was listed before: one from a little earlier may be anybody's. */
  seconds: 2_000,
  minutes: CLOCK_SLACK_MS,
  /** For a proof: what stamps `created_at` may be slow at each document. */
  day: CLOCKS_APART_MS,
} as const;

/** Lists that show what is recent alone show the last hour, or more. */
const RECENT_MS = 50 * 60_000;

/** When an attempt was sent, as far as clocks tell: the service's, this machine's, and that of the machine that sent it. */
export class AttemptTime {
  constructor(
    private readonly attempt: Attempt,
    private readonly options: Pick<ProofOptions, "context" | "service">,
  ) {}

  /** By the service's clock: surely not later than it was sent, whichever machine sent it. */
  earliest(slack: keyof typeof SLACK_MS = "minutes"): number {
    return this.#moment(-SLACK_MS[slack]);
  }

  /** By the same clock: what was created until then is about as old as its document, or older. */
  aboutAsOldUntil(): number {
    return this.#moment(ABOUT_AS_OLD_MS);
  }

  #moment(after: number): number {
    const { startedAt, serviceTime } = this.attempt;
    const [now, here] = [this.options.service.now(), this.options.context.clock.now()];
    const isHereBehind = here < startedAt;
    const byDifference =
      now === undefined || isHereBehind
        ? Math.min(startedAt, here) - CLOCKS_APART_MS
        : startedAt + (now.getTime() - here) + after;
    // A Date may be days from what stamps `created_at`, and this machine's clock, too: of all the one counts that says less.
    return Math.min(byDifference, startedAt + after, (serviceTime ?? Number.POSITIVE_INFINITY) + after);
  }

  /** Where the service shows no time, this machine's says nothing of when a document was made. */
  isKnown(): boolean {
    return this.attempt.serviceTime !== undefined || this.options.service.now() !== undefined;
  }

  /** Whether a document was made before it, as far as that is known. */
  isBefore(document: Pick<DocumentBody, "createdAt">): boolean {
    return this.isKnown() && createdBefore(document, this.earliest());
  }

  /** By the service's clock as well: another machine's may be any time from this one's. */
  isRecent(): boolean {
    const { context, service } = this.options;
    const { startedAt, serviceTime } = this.attempt;
    const now = service.ticks();
    const isRecentThere =
      serviceTime === undefined || now === undefined
        ? context.journal.seenAt(this.attempt) === undefined
        : Math.abs(now - serviceTime) < RECENT_MS;
    return isRecentThere && Math.abs(context.clock.now() - startedAt) < RECENT_MS;
  }
}

export const createdBefore = ({ createdAt }: Pick<DocumentBody, "createdAt">, time: number): boolean =>
  Date.parse(createdAt ?? "") < time;

// ---- The proof ----

/**
 * How many documents are looked up in the journal to find one of the same kind, and how many of those are read; how many
 * that no list shows may have been removed, and how often each is asked for.
 */
const MOST_LOOKED_UP = 100;
const MOST_ASKED = 3;

interface ProofOptions {
  readonly context: Pick<Context, "clock" | "journal">;
  readonly service: Service;
  readonly scope: Scope;
  readonly signal: AbortSignal;
}

/** Whether lists prove that one attempt led to nothing. */
export class AbsenceProof {
  readonly #time: AttemptTime;

  constructor(
    private readonly attempt: Attempt,
    private readonly options: ProofOptions,
  ) {
    this.#time = new AttemptTime(attempt, options);
  }

  /** A key that was replaced looks the same as another account's. */
  isOfAnotherAccount(): boolean {
    const { account } = this.attempt;
    return account !== undefined && account !== this.options.service.account;
  }

  /**
   * Whether a document created since then, and in no row, doesn't exist. A complete list may still leave out a whole kind:
   * unsigned documents, say, or those in folders. So it proves that only if it shows one of the same kind.
   */
  async isProven(snapshot: Snapshot, since = this.#time.earliest("day")): Promise<boolean> {
    if (this.isOfAnotherAccount()) return false;
    for (const rows of await this.#completeLists(snapshot, await this.absence(since)))
      if (await this.#showSameKind(rows)) return true;
    return false;
  }

  /** What lists are asked about: a document that was created since then, by this attempt. */
  async absence(since: number): Promise<Absence> {
    const { context, scope } = this.options;
    const known = await context.journal.documents(scope.service);
    const { older, beside } = this.attempt;
    return this.#time.isRecent()
      ? { since, near: this.#time.aboutAsOldUntil(), older, beside, known }
      : { since, older, known };
  }

  /**
   * The complete lists. What the journal knows and the service says it hasn't got, as often as it is asked, was removed on
   * the platform: no list has to show it.
   */
  async #completeLists(snapshot: Snapshot, absence: Absence): Promise<ReturnType<Snapshot["completeSince"]>> {
    const complete = snapshot.completeSince(absence);
    if (complete.length > 0) return complete;
    const { known = [] } = absence;
    const isShown = (id: string) => snapshot.ids.has(id);
    const missing = known.filter(id => !isShown(id));
    if (missing.length === 0 || missing.length > MOST_ASKED) return [];
    if ((await this.#nextKnown()).some(id => missing.includes(id))) return [];
    const without = snapshot.completeSince({ ...absence, known: known.filter(isShown) });
    if (without.length === 0) return [];
    for (const id of missing) if (!(await this.#isRemoved(id))) return [];
    return without;
  }

  /**
   * What became known last before the attempt, and since: each of these has to be shown. What hides one of them may hide
   * the one that is sought.
   */
  async #nextKnown(): Promise<readonly string[]> {
    const { context, scope } = this.options;
    const { older = [] } = this.attempt;
    const since = (await context.journal.latest(scope.service)).filter(id => !older.includes(id));
    return [...older.slice(-1), ...since];
  }

  /** A 404 may come and go, and a proxy may say it. */
  async #isRemoved(id: string): Promise<boolean> {
    const { service, signal } = this.options;
    for (let count = 0; count < MOST_ASKED; count++) {
      const answer = await service.getDocument(id, { signal }).catch((error: unknown) => {
        if (isUnreadable(error)) return error;
        throw error;
      });
      if (!(answer instanceof NotFoundError && answer.json)) return false;
    }
    return true;
  }

  /**
   * Whether one of these is of the same kind: this provider created it with the same other parameters, nobody has signed
   * it, and it is in a folder if the attempt's was to be, whatever the program says by now. Where an older line doesn't
   * say that, it takes one of either kind.
   */
  async #showSameKind(rows: readonly ListedRow[]): Promise<boolean> {
    const { context, scope, service, signal } = this.options;
    const { extra, inFolder } = this.attempt;
    const missing = new Set(inFolder === undefined ? [true, false] : [inFolder]);
    let read = 0;
    for (const { id } of rows.filter(({ status }) => status === "unsigned").slice(0, MOST_LOOKED_UP)) {
      const owner = await context.journal.owner(scope.service, id);
      if (!owner || owner.extra !== extra) continue;
      const body = await readIfShown(service, id, signal);
      if (body && isUnsigned(body)) missing.delete(body.folderId !== null);
      if (missing.size === 0) return true;
      if (++read === MOST_ASKED) return false;
    }
    return false;
  }
}
