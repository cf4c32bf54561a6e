import { byId } from "../../client/bodies.js";
import { isUnreadable } from "../../client/documents.js";
import { NotFoundError } from "../../client/errors.js";
import { digestOf, firstFile, firstHash, hashOfFile, isUnsigned, latestFile } from "../../client/files.js";
import { type Absence, type ListedRow, type Snapshot, takeSnapshot } from "../../client/lists.js";
import type { DocumentBody, Service } from "../../client/service.js";
import { addressOf, isWhole, sameText, unescaped } from "../../core/same.js";
import type { Context } from "../context.js";
import { ABOUT_AS_OLD_MS, type Attempt, type Content, type Owned, type Scope } from "../journal/contract.js";
import { JournalUnavailableError } from "../journal/log.js";
import { agreeInAll, personIn } from "../people.js";
import type { Call } from "../resource.js";
import { markerIn, withoutMarker } from "./declaration.js";
import { type DocumentSpec, descriptionHash, inviteesHash, nameHash, UNREAD } from "./state.js";

/*
 * What the service shows of a document that was sent, and what that proves. `Lookup` looks for what a create led to: by
 * the ids that its answer named, in lists, then in each candidate's content; and it compares what stands under the same
 * name. Below it: when two documents are the same, what lists show and prove, what was there before, and reading one.
 */

// ---- Lookup ----

/** What became of a create whose answer didn't settle it. */
export type LookupResult =
  | { readonly kind: "found"; readonly documents: readonly DocumentBody[] }
  /** Several fit, or one that may be stored differently than it was sent. */
  | { readonly kind: "ambiguous"; readonly documents: readonly DocumentBody[] }
  | {
      readonly kind: "absent";
      readonly proven: boolean;
      /** When the oldest document was created that the lists show, as the service writes it. */
      readonly oldest?: string | undefined;
      /** How many documents the list of all shows, where only that they may be a page of it leaves a doubt. */
      readonly page?: number | undefined;
      /** None of the documents that lists show is known to the journal as a resource's. */
      readonly strangers?: boolean | undefined;
      /** When the lists were asked for, by this machine's clock. */
      readonly askedAt?: number | undefined;
      readonly failed?: string | undefined;
      /** Documents that are listed and can't be read, one of which may be it. */
      readonly hidden?: readonly string[] | undefined;
    };

interface LookupOptions {
  readonly context: Context;
  readonly service: Service;
  readonly scope: Scope;
  readonly signal: AbortSignal;
  /** Ids that can't be what this create led to: what it replaces, and what was listed before it was sent. */
  readonly known: (id: string) => boolean;
  /** Whether nothing was listed before the create was sent: then a document made a little earlier may be anybody's. */
  readonly unlisted: boolean;
}

/** What lists show for an attempt. */
interface Listed {
  /** What was sent. */
  readonly found: DocumentBody[];
  /** May be it. */
  readonly similar: DocumentBody[];
  /** Can't be read. */
  readonly hidden: ListedRow[];
  /** What was sent, by their content, though another resource had them and let go. */
  readonly letGo: string[];
}

/** Lists that show what is recent alone show the last hour, or more. */
const RECENT_MS = 50 * 60_000;

/**
 * How many documents are looked up in the journal to find one of the same kind, and how many of those are read; how many
 * that no list shows may have been removed, and how often each is asked for.
 */
const MOST_LOOKED_UP = 100;
const MOST_ASKED = 3;

/** Looks for what a create led to: by the ids its answer named, then in lists, then each candidate's content. */
export class Lookup {
  constructor(private readonly options: LookupOptions) {}

  /** One look. `anyName`: also at documents whose name the service may have changed; a request for each. */
  async once(attempt: Attempt, sent: SentContent, { anyName }: { anyName: boolean }): Promise<LookupResult> {
    await this.options.context.journal.refresh();
    const confirmed: DocumentBody[] = [];
    for (const id of attempt.hints) {
      const body = await this.readIfSent(id, sent, attempt);
      if (body) confirmed.push(body);
    }
    if (confirmed.length > 0) return { kind: "found", documents: confirmed };
    const { snapshot, askedAt, from } = await this.#list(attempt);
    const { found, similar, hidden, letGo } = await this.#listedFor(snapshot, attempt, sent, anyName);
    if (found.length > 0) return this.#noMoreThanSent(attempt, found);
    if (similar.length > 0) return { kind: "ambiguous", documents: similar };
    const absent = { kind: "absent", proven: false } as const;
    if (hidden.length > 0) {
      const listed = anyName ? await this.#onlyListed(hidden, attempt, sent) : undefined;
      if (listed) return { kind: "found", documents: [listed] };
      const ids = hidden.map(({ id }) => id);
      return { ...absent, failed: `${documentsAre(ids)} listed and can't be read`, hidden: ids };
    }
    if (letGo.length > 0) return { ...absent, failed: `${documentsAre(letGo)} exactly alike and no longer held` };
    if (this.#isAnotherAccounts(attempt))
      return {
        ...absent,
        failed: "it was sent with other credentials than are configured now, and lists may be another account's",
      };
    const proven = anyName && (await this.provesAbsence(snapshot, attempt, from));
    const absence = await this.#absence(attempt, from);
    const page = anyName && !proven ? snapshot.pageOf(absence) : undefined;
    const strangers = absence.known?.every(id => !snapshot.ids.has(id));
    return { kind: "absent", proven, oldest: snapshot.oldest(), page, strangers, askedAt };
  }

  /** `from`: by a Date of whole seconds it may be another one a moment later, and what is asked for is what is proven. */
  async #list(attempt: Attempt): Promise<{ snapshot: Snapshot; askedAt: number; from: number }> {
    const { context, service, signal } = this.options;
    for (;;) {
      const isClockKnown = service.now() !== undefined;
      const askedAt = context.clock.now();
      const from = this.#startOf(attempt, CLOCKS_APART_MS);
      const until = Math.max(this.#startOf(attempt), service.now()?.getTime() ?? askedAt);
      const snapshot = await takeSnapshot(service, [from, until], signal, { lenient: true });
      // As the first request, by this machine's clock: the service's may be days from it.
      if (isClockKnown || service.now() === undefined) return { snapshot, askedAt, from };
    }
  }

  /** Reads what is listed under the name that was sent, or with its marker; with `anyName`, whatever is new. */
  async #listedFor(snapshot: Snapshot, attempt: Attempt, sent: SentContent, anyName: boolean): Promise<Listed> {
    const { unlisted } = this.options;
    const { marker } = sent.content;
    const listed: Listed = { found: [], similar: [], hidden: [], letGo: [] };
    const since = this.#startOf(attempt);
    for (const row of snapshot.rows.toSorted((a, b) => byId(a.id, b.id))) {
      const isOlder = createdBefore(row.createdAt, since);
      // Older by the journal as well; otherwise clocks may be wrong: of two servers one may be slow.
      if (isOlder && this.#isTimed(attempt) && attempt.older?.includes(row.id)) continue;
      const isMarked = marker !== undefined && markerIn(row.description) === marker;
      if (!sameName(row, sent) && !isMarked && (!anyName || isOlder)) continue;
      const isTaken = await this.isTaken(row.id);
      // A service may give an id a second time.
      if (isTaken && (isOlder || !(await this.#isLetGo(row.id)))) continue;
      const body = await this.#body(row.id);
      if (!body) {
        listed.hidden.push(row);
        continue;
      }
      const match = await matchOf(body, sent, () => this.firstHash(body));
      const isCertain = !unlisted || !createdBefore(row.createdAt, this.#startOf(attempt, 2_000));
      const isSame = match === "same" || (match === "similar" && (await this.#isRewritten(body, sent, attempt)));
      // A service that changes names and PDFs leaves the people.
      const mayBeIt = match !== "other" || (samePeople(body, sent) === true && (await this.#changesPdfs()));
      if (isTaken) {
        if (isSame) listed.letGo.push(body.id);
      } else if (isOlder && this.#isTimed(attempt)) {
        // But for a clock that is wrong.
        if (isSame) listed.similar.push(body);
      } else if (isSame && isCertain) listed.found.push(body);
      else if (mayBeIt && !isOlder) listed.similar.push(body);
    }
    return listed;
  }

  /** Several are fine where as many creates of this content have no outcome: each takes one. */
  async #noMoreThanSent(attempt: Attempt, documents: readonly DocumentBody[]): Promise<LookupResult> {
    const { context, scope } = this.options;
    const attempts = async () => {
      await context.journal.refresh();
      const { attempts } = await context.journal.ofContract(scope.service, attempt);
      return attempts.filter(({ fingerprint }) => fingerprint === attempt.fingerprint);
    };
    const count = async () => Math.max(1, (await attempts()).length);
    for (let before = await count(); ; ) {
      const free = await those(documents, async ({ id }) => !(await this.isTaken(id)));
      // Left to creates of the same content that the service said were done; this one may never have arrived.
      const promised = (await attempts()).filter(({ answered, urn }) => answered && urn !== scope.urn).length;
      if (!attempt.answered && free.length <= promised) return { kind: "absent", proven: false };
      const open = await count();
      if (free.length <= open) return { kind: "found", documents: free };
      // Others claim theirs meanwhile: count until the number holds still.
      if (open === before) return { kind: "ambiguous", documents: free };
      before = open;
    }
  }

  /**
   * Of rows whose documents can't be read, the one that this create led to: it has its marker; or the answer, or a person,
   * names it, it has its name and description, and no other create without an outcome may have made it. Taking it
   * mails nobody, and a replacement of it is refused for as long as it can't be read.
   */
  async #onlyListed(
    hidden: readonly ListedRow[],
    attempt: Attempt,
    sent: SentContent,
  ): Promise<DocumentBody | undefined> {
    const { content, spec } = sent;
    // Where nothing was listed before, one from a little earlier may be anybody's.
    const since = this.options.unlisted ? this.#startOf(attempt, 2_000) : this.#startOf(attempt);
    const isOwn = async (row: ListedRow) =>
      sameName(row, sent) &&
      sameDescription(row, sent) &&
      Date.parse(row.createdAt ?? "") >= since &&
      !(await this.isTaken(row.id));
    const [first, ...more] = hidden.filter(
      row => content.marker !== undefined && markerIn(row.description) === content.marker,
    );
    if (first) return more.length === 0 && (await isOwn(first)) ? rowAsDocument(first) : undefined;
    const row = hidden.find(({ id }) => attempt.hints.includes(id));
    if (!row || markerIn(row.description) !== undefined || !(await isOwn(row))) return undefined;
    const isWholeName = spec ? isWhole(spec.name, row.name) : true;
    const mayBeAnothers = (await this.#othersUnsettled(attempt)).some(
      ({ name }) => !isWholeName || name === attempt.name,
    );
    return mayBeAnothers ? undefined : rowAsDocument(row);
  }

  /** Creates of other content without an outcome. */
  async #othersUnsettled({ token, fingerprint }: Attempt) {
    const { context, scope } = this.options;
    await context.journal.refresh();
    const unsettled = await context.journal.unsettled(scope.service);
    return unsettled.filter(each => each.token !== token && each.fingerprint !== fingerprint);
  }

  // What proves that it isn't there:

  /**
   * Whether a document created since then, and in no row, doesn't exist. A complete list may still leave out a whole kind:
   * unsigned documents, say, or those in folders. So it proves that only if it shows one of the same kind: that this
   * provider created with the same other parameters, that nobody has signed, and that is in a folder if the attempt's was
   * to be, whatever the program says by now. Where an older line doesn't say that, it takes one of either kind.
   */
  async provesAbsence(
    snapshot: Snapshot,
    attempt: Attempt,
    // What stamps `created_at` may be slow at every document: by their times alone, a day tells which are older.
    since = this.#startOf(attempt, CLOCKS_APART_MS),
  ): Promise<boolean> {
    if (this.#isAnotherAccounts(attempt)) return false;
    for (const rows of await this.#completeSince(snapshot, await this.#absence(attempt, since), attempt)) {
      const missing = new Set(attempt.inFolder === undefined ? [true, false] : [attempt.inFolder]);
      let read = 0;
      for (const { id } of rows.filter(({ status }) => status === "unsigned").slice(0, MOST_LOOKED_UP)) {
        const owner = await this.#owner(id);
        if (!owner || owner.extra !== attempt.extra) continue;
        const body = await this.#body(id);
        if (body && isUnsigned(body)) missing.delete(body.folderId !== null);
        if (missing.size === 0) return true;
        if (++read === MOST_ASKED) break;
      }
    }
    return false;
  }

  /**
   * The complete lists. What the journal knows and the service says it hasn't got, as often as it is asked, was removed on
   * the platform: no list has to show it. What became known next before the attempt, or since, has to be shown: what
   * hides one of these may hide the one that is sought.
   */
  async #completeSince(
    snapshot: Snapshot,
    absence: Absence,
    { older = [] }: Attempt,
  ): Promise<ReturnType<Snapshot["completeSince"]>> {
    const { context, scope } = this.options;
    const lists = snapshot.completeSince(absence);
    const { known = [] } = absence;
    const missing = known.filter(id => !snapshot.ids.has(id));
    if (lists.length > 0 || missing.length === 0 || missing.length > MOST_ASKED) return lists;
    const since = (await context.journal.latest(scope.service)).filter(id => !older.includes(id));
    if ([...older.slice(-1), ...since].some(id => missing.includes(id))) return lists;
    const without = snapshot.completeSince({ ...absence, known: known.filter(id => snapshot.ids.has(id)) });
    if (without.length === 0) return lists;
    for (const id of missing) if (!(await this.#isRemoved(id))) return lists;
    return without;
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

  async #absence(attempt: Attempt, since: number): Promise<Absence> {
    const { context, scope } = this.options;
    const known = await context.journal.documents(scope.service);
    const { older, beside } = attempt;
    if (!this.#isRecent(attempt)) return { since, older, known };
    return { since, near: this.#startOf(attempt, -ABOUT_AS_OLD_MS), older, beside, known };
  }

  /** By the service's clock as well: another machine's may be any time from this one's. */
  #isRecent(attempt: Attempt): boolean {
    const { context, service } = this.options;
    const [then, now] = [attempt.serviceTime, service.ticks()];
    if (then === undefined || now === undefined) {
      if (context.journal.seenAt(attempt) !== undefined) return false;
    } else if (Math.abs(now - then) >= RECENT_MS) return false;
    return Math.abs(context.clock.now() - attempt.startedAt) < RECENT_MS;
  }

  // What an answer named:

  /** Whether a document that an answer holds whole is what was sent in every point, and nobody's: then it needs no read. */
  async isSent(
    body: DocumentBody,
    sent: SentContent,
    attempt: Attempt,
    folderId: string | undefined,
  ): Promise<boolean> {
    const first = firstFile(body);
    const isNew = isUnsigned(body) && body.files.length === 1 && first?.version === body.lastVersion;
    if (!isNew || this.#isOlder(body, attempt) || Number.isNaN(Date.parse(body.createdAt ?? ""))) return false;
    if (body.folderId !== (folderId ?? null) || (await this.isTaken(body.id))) return false;
    return (await matchOf(body, sent, async () => first?.sha256 ?? undefined)) === "same";
  }

  /** The document an answer named, if it is what was sent and nobody's. Downloads nothing. */
  async readIfSent(id: string, sent: SentContent, attempt: Attempt): Promise<DocumentBody | undefined> {
    // The service has named it. Where the journal can't be asked whose it is, it is read all the same.
    const isTaken = await this.isTaken(id).catch((error: unknown) => {
      if (error instanceof JournalUnavailableError) return false;
      throw error;
    });
    const body = isTaken ? undefined : await this.#body(id);
    if (!body) return undefined;
    const match = await matchOf(body, sent, async () => firstFile(body)?.sha256 ?? undefined);
    const isOlder = this.#isOlder(body, attempt);
    // What is exactly what was sent is it, whatever any clock says of its age, if lists didn't show it before.
    if (match === "same") return isOlder && this.options.unlisted ? undefined : body;
    return match === "similar" && !isOlder ? body : undefined;
  }

  // What stands at the service beside a create:

  /** How a document compares with what was sent. */
  async likenessOf(body: DocumentBody, sent: SentContent): Promise<Likeness> {
    const owner = await this.#owner(body.id);
    let hash: Promise<string | undefined> | undefined;
    // What the journal knows to be made of this is, whatever hash the service shows. Otherwise it may take a download.
    const pdfHash = () => {
      const isMade = owner?.fingerprint === sent.content.fingerprint;
      hash ??= isMade ? Promise.resolve(sent.content.sha256) : this.firstHash(body);
      return hash;
    };
    const match = await matchOf(body, sent, pdfHash);
    if (match === "same" || !(await hasSameNameAndPeople(body, sent, pdfHash))) return match;
    if (!owner || owner.fingerprint !== undefined) return "same name and people";
    const says = (await pdfHash()) !== undefined && !(await this.#changesPdfs());
    const mayBeSame = !says && !(await hasSameNameAndPeople(body, sent, async () => sent.content.sha256));
    return mayBeSame ? "unclear" : "same name and people";
  }

  /**
   * Whether a document that the journal or state knows to be made of this is it still, by whatever marker. Undefined where
   * the service shows its PDF otherwise each time, or shows no hash.
   */
  async isUnchanged(body: DocumentBody, { content, spec }: SentContent): Promise<boolean | undefined> {
    const sent = { content: { ...content, marker: undefined }, spec };
    const latest = latestFile(body);
    const hash = latest && (await hashOfFile(latest, this.options.service, this.options.signal));
    const shown = { ...body, description: withoutMarker(body.description ?? "") };
    const { rewrittenAs, fingerprint } = (await this.#owner(body.id)) ?? {};
    // State doesn't say what the service made of it, and nobody has given it another version.
    const isRewritten = fingerprint === undefined && body.files.length === 1;
    const isHidden = hash === undefined && body.files.length <= 1;
    const isOwn = isRewritten || isHidden || (hash !== undefined && [content.sha256, rewrittenAs].includes(hash));
    const match = await matchOf(shown, sent, async () => (isOwn && hash !== undefined ? content.sha256 : hash));
    if (isOwn && match !== "other") return true;
    // Nobody has given it another version.
    const mayBe = body.files.length === 1 && (await matchOf(shown, sent, async () => content.sha256)) === "same";
    return mayBe ? undefined : false;
  }

  /** Undefined where it can't be read: a 404 may come and go, so one is not enough. */
  async read(id: string): Promise<DocumentBody | undefined> {
    return (await this.#body(id)) ?? (await this.#body(id));
  }

  async isTaken(id: string): Promise<boolean> {
    const { scope, known } = this.options;
    if (known(id)) return true;
    const owner = await this.#owner(id);
    return owner !== undefined && (owner.released || owner.urn !== scope.urn);
  }

  /** Whether the journal knows it as let go of, by whatever resource. */
  async #isLetGo(id: string): Promise<boolean> {
    return !this.options.known(id) && (await this.#owner(id))?.released === true;
  }

  #owner(id: string): Promise<Owned | undefined> {
    const { context, scope } = this.options;
    return context.journal.owner(scope.service, id);
  }

  firstHash(body: DocumentBody): Promise<string | undefined> {
    return firstHash(body, this.options.service, this.options.signal);
  }

  /**
   * Whether it is what was sent but for its PDF, to which the service, known to do that, has only added. Names may be cut:
   * where another create for the same people has no outcome, under whatever name, nothing tells whose it is.
   */
  async #isRewritten(body: DocumentBody, sent: SentContent, attempt: Attempt): Promise<boolean> {
    const shown = await rewrittenHash(body, sent);
    if (shown === undefined || !isUnsigned(body)) return false;
    const others = await this.#othersUnsettled(attempt);
    if (others.some(({ invitees }) => invitees === attempt.invitees)) return false;
    // Elsewhere a PDF that goes on where this one ends is somebody's own.
    return (await this.#changesPdfs()) && this.#isAddedTo(body, sent);
  }

  async #isAddedTo(body: DocumentBody, { content, spec }: SentContent): Promise<boolean> {
    const { service, signal } = this.options;
    const url = firstFile(body)?.url;
    const bytes = await spec?.bytes?.().catch(() => undefined);
    return url != null && bytes !== undefined && (await digestOf(url, service, signal, bytes.size)) === content.sha256;
  }

  #changesPdfs(): Promise<boolean> {
    const { context, scope } = this.options;
    return context.journal.rewrites(scope.service);
  }

  /** What can't be read is no candidate: a list says only that something is there. */
  #body(id: string): Promise<DocumentBody | undefined> {
    const { service, signal } = this.options;
    return service.getDocument(id, { signal }).catch((error: unknown) => {
      if (isUnreadable(error)) return undefined;
      throw error;
    });
  }

  /** A key that was replaced looks the same as another account's. */
  #isAnotherAccounts({ account }: Attempt): boolean {
    return account !== undefined && account !== this.options.service.account;
  }

  #isOlder({ createdAt }: DocumentBody, attempt: Attempt): boolean {
    return this.#isTimed(attempt) && createdBefore(createdAt, this.#startOf(attempt));
  }

  /** Where the service shows no time, this machine's says nothing of when a document was made. */
  #isTimed({ serviceTime }: Attempt): boolean {
    return serviceTime !== undefined || this.options.service.now() !== undefined;
  }

  /** By the service's clock: surely not later than the create was sent, whichever machine sent it. */
  #startOf({ startedAt, serviceTime }: Attempt, slack = CLOCK_SLACK_MS): number {
    const { context, service } = this.options;
    const [now, here] = [service.now(), context.clock.now()];
    const start =
      now === undefined || here < startedAt
        ? Math.min(startedAt, here) - CLOCKS_APART_MS
        : startedAt + (now.getTime() - here) - slack;
    // A Date may be days from what stamps `created_at`, and this machine's clock, too: of all the one counts that says less.
    return Math.min(start, startedAt - slack, (serviceTime ?? Number.POSITIVE_INFINITY) - slack);
  }
}

/** One after the other. */
async function those<T>(items: readonly T[], isOne: (item: T) => Promise<boolean>): Promise<T[]> {
  const some: T[] = [];
  for (const item of items) if (await isOne(item)) some.push(item);
  return some;
}

/** By their ids; of many the first three. */
export function documentsAre(ids: readonly string[]): string {
  if (ids.length === 1) return `document ${ids[0]} is`;
  const more = ids.length > 3 ? ` and ${ids.length - 3} more` : "";
  return `documents ${ids.slice(0, 3).join(", ")}${more} are`;
}

/** What a list shows of a document that can't be read. */
export const rowAsDocument = (row: ListedRow): DocumentBody => ({ ...UNREAD, ...row, onlyListed: true });

const createdBefore = (createdAt: string | null, time: number): boolean => Date.parse(createdAt ?? "") < time;

// ---- Is it the same document? ----

/*
 * Three questions have three answers. Is it what a create sent whose outcome isn't known: `matchOf`. How does one that
 * stands beside a create compare, whoever made it: `Lookup.likenessOf`. Is what the journal or state knows to be made of
 * this still that, whatever the service made of its PDF: `Lookup.isUnchanged`.
 */

/** How a document at the service compares with what was sent. */
type Match =
  /** Name, people, PDF and description are what was sent. */
  | "same"
  /** Two of name, people and PDF are: the service may store the rest differently. */
  | "similar"
  | "other";

/** How one that may stand beside it compares. */
export type Likeness =
  | Match
  /** Name and people are what was sent, and something else isn't. */
  | "same name and people"
  /** The same of one that the journal knows, and that may be alike: neither it nor a hash says what PDF it is. */
  | "unclear";

/** What was sent: its hashes, and its texts where this run knows them. */
export interface SentContent {
  readonly content: Content;
  readonly spec?:
    | (Pick<DocumentSpec, "name" | "description" | "invitations"> & Partial<Pick<DocumentSpec, "bytes">>)
    | undefined;
}

/**
 * What the service shows as the hash of the one PDF that it has, where that is another than was sent and all else is
 * what was sent: it has changed the file.
 */
export async function rewrittenHash(body: DocumentBody, sent: SentContent): Promise<string | undefined> {
  const [file, ...more] = body.files;
  const shown = file?.sha256 ?? undefined;
  if (shown === undefined || more.length > 0 || shown === sent.content.sha256) return undefined;
  return (await matchOf(body, sent, async () => sent.content.sha256)) === "same" ? shown : undefined;
}

type PdfHash = () => Promise<string | undefined>;

export async function matchOf(body: DocumentBody, sent: SentContent, pdfHash: PdfHash): Promise<Match> {
  const { content } = sent;
  const marker = markerIn(body.description);
  // Another resource's marker, or one where none was sent: another create made it.
  if (marker !== undefined && marker !== content.marker) return "other";
  const name = sameName(body, sent);
  const people = samePeople(body, sent);
  // The PDF alone is the same in any two contracts made from one template.
  if (!name && people === false) return "other";
  const hash = await pdfHash();
  const pdf = hash === undefined ? undefined : hash === content.sha256;
  if (name && people === true && pdf === true && sameDescription(body, sent)) return "same";
  const features = [name, people, pdf];
  const agree = features.includes(true) && features.filter(each => each !== false).length >= 2;
  if (marker !== undefined && agree) return "same";
  return agree ? "similar" : "other";
}

/** Whether name and people are what was sent, and something else isn't. What differs in its marker alone is another resource's. */
async function hasSameNameAndPeople(body: DocumentBody, sent: SentContent, pdfHash: PdfHash): Promise<boolean> {
  if (!sameText(sent.spec?.name ?? "", body.name) || samePeople(body, sent) !== true) return false;
  const description = withoutMarker(body.description ?? "");
  return (await matchOf({ ...body, description }, sent, pdfHash)) !== "same";
}

const sameName = ({ name }: { readonly name: string }, { content, spec }: SentContent): boolean =>
  spec ? sameText(spec.name, name) : nameHash(name) === content.name;

/** Undefined where the service leaves addresses out. */
function samePeople({ invitations }: DocumentBody, { content, spec }: SentContent): boolean | undefined {
  const emails = invitations.map(invitation => invitation.email);
  if (emails.length === 0 || !emails.every(email => email)) return undefined;
  if (!spec) return inviteesHash(emails) === content.invitees;
  const there = emails.map(email => addressOf(unescaped(email ?? ""))).sort();
  const wanted = spec.invitations.map(({ email }) => addressOf(email)).sort();
  return there.length === wanted.length && there.every((email, index) => email === wanted[index]);
}

/** Whether its people are the program's in all that the service shows of them. */
export function agreesInPeople({ invitations }: DocumentBody, spec: DocumentSpec | undefined): boolean {
  const shown = invitations.map(person => personIn({ ...person, email: unescaped(person.email ?? "") }));
  return spec !== undefined && agreeInAll(spec.invitations.map(personIn), shown);
}

function sameDescription({ description }: Pick<DocumentBody, "description">, { content, spec }: SentContent): boolean {
  if (description === null) return true;
  const shown = withoutMarker(description);
  return spec
    ? sameText(withoutMarker(spec.description ?? ""), shown)
    : descriptionHash(description) === content.description;
}

// ---- What was there before ----

/** A document that another machine left unfinished is looked for by date among those of the last month. */
const LOOKED_BACK_MS = 30 * 24 * 3_600_000;
/** Somebody else may have created something since an older snapshot. */
const FRESH_MS = 5_000;

/** What lists showed, and when they were asked for, by this machine's clock. */
type DatedSnapshot = Snapshot & { readonly askedAt: number };

interface Lists {
  readonly at: number;
  /** How often the journal had lost something by then. */
  readonly losses: number;
  readonly snapshot: Promise<DatedSnapshot>;
}

/** What was at the service before this run's creates. Asked once for all creates of a moment. */
export class ExistingDocuments {
  readonly #asked = new Map<string, Lists>();
  /** What was there before this run sent anything. */
  readonly #first = new Map<string, ReadonlySet<string>>();
  readonly #seen = new Map<string, Set<string>>();
  readonly #promised = new Set<string>();

  constructor(private readonly context: Context) {}

  /** `underWay`: another create of the same content is in flight in this run, and its document is its own. */
  async before(call: Call, underWay: boolean): Promise<DatedSnapshot> {
    // Hours may pass between a preview and its `up`.
    const key = `${this.context.origin()} ${call.preview}`;
    const seen = this.#seen.get(key) ?? new Set();
    const again = seen.has(call.urn);
    this.#seen.set(key, seen.add(call.urn));
    const known = this.#asked.get(key);
    const now = this.context.clock.now();
    const { losses } = this.context.journal;
    const fresh = known?.losses === losses && !again && (underWay || now - known.at < FRESH_MS);
    const asked = fresh ? known : { at: now, losses, snapshot: this.#ask(call) };
    this.#asked.set(key, asked);
    try {
      const snapshot = await asked.snapshot;
      if (!this.#first.has(key)) this.#first.set(key, snapshot.ids);
      return snapshot;
    } catch (error) {
      if (this.#asked.get(key) === asked) this.#asked.delete(key);
      // The call that asked may have been cancelled; the others weren't.
      if (call.signal.aborted) throw error;
      return this.#ask(call);
    }
  }

  /** Whether it was listed before this run sent anything. */
  isOlder({ preview }: Call, id: string): boolean {
    return this.#first.get(`${this.context.origin()} ${preview}`)?.has(id) ?? false;
  }

  /** In a preview: whether another resource already takes this document over. */
  isPromised(id: string): boolean {
    const known = this.#promised.has(id);
    this.#promised.add(id);
    return known;
  }

  async #ask({ signal }: Call): Promise<DatedSnapshot> {
    const service = this.context.service();
    const askedAt = this.context.clock.now();
    const now = service.now()?.getTime() ?? askedAt;
    return { ...(await takeSnapshot(service, [now - LOOKED_BACK_MS, now], signal)), askedAt };
  }
}

// ---- Clocks ----

/** The clocks of two machines, or of one and the service, may be so far apart; a service's may stand still. */
export const CLOCKS_APART_MS = 24 * 3_600_000;
/** Servers, and what stamps `created_at`, may disagree on the time. */
export const CLOCK_SLACK_MS = 10 * 60_000;
