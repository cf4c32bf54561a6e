import { byId, unreadDocument } from "../../client/bodies.js";
import { readIfShown } from "../../client/documents.js";
import { CancelledError, ServiceError } from "../../client/errors.js";
import { digestOf, firstFile, firstHash, hashOfFile, isUnsigned, latestFile } from "../../client/files.js";
import { type ListedRow, type Snapshot, takeSnapshot } from "../../client/lists.js";
import type { DocumentBody, Service } from "../../client/service.js";
import { isWhole, sameText } from "../../core/same.js";
import { AbsenceProof, AttemptTime, createdBefore } from "../absence.js";
import { type Context, type CreationPolicy, countsExisting } from "../context.js";
import type { CreatesInFlight, Flight } from "../creates-of-a-run.js";
import { type Attempt, isMadeOf, type Owned, type Scope } from "../journal/contract.js";
import { JournalUnavailableError } from "../journal/log.js";
import { agreeInAll, isAddressed, peopleOf } from "../people.js";
import { documentsIn, Refusal } from "../refusal.js";
import type { Call } from "../resource.js";
import type { DocumentSpec } from "./content.js";
import { descriptionHash, hasOthersMarker, inviteesHash, markerIn, nameHash, withoutMarker } from "./content.js";
import type { CheckedInputs, DocumentState } from "./declaration.js";
import * as words from "./words.js";

/*
 * What the service shows of a document that was sent: when two are the same; `Lookup`, which reads documents and says whose
 * they are and how they compare; and what an attempt led to. `Search` looks for that by the ids that its answer named, then
 * in lists, then in each candidate's content, `outcomeOf` until it is found or time is up; what proves that it led to nothing
 * is in ../absence.ts. Unread is a document that the service lists and doesn't show.
 */

// ---- Is it the same document? ----

/*
 * Three questions have three answers. Is it what a create sent whose outcome isn't known: `matchOf`. How does one that
 * stands beside a create compare, whoever made it: `Lookup.likenessOf`. Is what the journal or state knows to be made of
 * this still that, whatever the service made of its PDF: `Lookup.comparedToMade`.
 */

/** How a document at the service compares with what was sent. */
type Match =
  /** Name, people, PDF and description are what was sent; or its marker, and two of the first three. */
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
export type SentContent = Pick<DocumentSpec, "content"> & Partial<DocumentSpec>;

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
  if (hasOthersMarker(body, sent)) return "other";
  const name = sameName(body, sent);
  const people = samePeople(body, sent);
  // The PDF alone is the same in any two contracts made from one template.
  if (!name && people === false) return "other";
  const hash = await pdfHash();
  const pdf = hash === undefined ? undefined : hash === content.sha256;
  if (name && people === true && pdf === true && sameDescription(body, sent)) return "same";
  const features = [name, people, pdf];
  // What the service doesn't show speaks neither for it nor against it.
  const agree = features.includes(true) && features.filter(each => each !== false).length >= 2;
  if (agree && hasMarker(body, sent)) return "same";
  return agree ? "similar" : "other";
}

/** Whether it has the marker of what was sent, if that has one. */
const hasMarker = ({ description }: Pick<DocumentBody, "description">, { content }: SentContent): boolean =>
  content.marker !== undefined && markerIn(description) === content.marker;

const sameName = ({ name }: { readonly name: string }, sent: SentContent): boolean =>
  sent.name === undefined ? nameHash(name) === sent.content.name : sameText(sent.name, name);

/** Undefined where the service leaves addresses out. */
function samePeople({ invitations }: DocumentBody, sent: SentContent): boolean | undefined {
  const shown = peopleOf(invitations);
  return isAddressed(shown) ? inviteesHash(shown) === sent.content.invitees : undefined;
}

/** Whether its people are the program's in all that the service shows of them. */
export const agreesInPeople = ({ invitations }: DocumentBody, { people }: DocumentSpec): boolean =>
  agreeInAll(people, peopleOf(invitations));

function sameDescription({ description }: Pick<DocumentBody, "description">, sent: SentContent): boolean {
  if (description === null) return true;
  return sent.name === undefined
    ? descriptionHash(description) === sent.content.description
    : sameText(withoutMarker(sent.description ?? ""), withoutMarker(description));
}

// ---- Lookup ----

export interface LookupOptions {
  readonly context: Context;
  readonly scope: Scope;
  readonly signal: AbortSignal;
  /** Ids that can't be what this create led to: what it replaces, and what was listed before it was sent. */
  readonly isExcluded: (id: string) => boolean;
  /** Of a create that this run has sent: takes what is found for it. What another create has taken first isn't it. */
  readonly claim?: ((body: DocumentBody) => Promise<boolean>) | undefined;
}

/** One of several looks for the same. */
interface Look {
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** Looks at documents for one create: whose they are, how they compare, and what an attempt led to. */
export class Lookup {
  readonly options: LookupOptions & {
    readonly service: Service;
    /** Whether what was there before the create counts. Where it doesn't, a document made a little earlier may be anybody's. */
    readonly countsExisting: boolean;
  };

  constructor(options: LookupOptions) {
    const { context } = options;
    this.options = { ...options, service: context.service(), countsExisting: countsExisting(context.policy()) };
  }

  once(attempt: Attempt, sent: SentContent, look: Look): Promise<LookupResult> {
    return new Search(this, attempt, sent).once(look);
  }

  /** Whether lists prove that an attempt led to nothing. */
  provesAbsence(snapshot: Snapshot, attempt: Attempt): Promise<boolean> {
    return new AbsenceProof(attempt, this.options).isProven(snapshot);
  }

  // Whose it is:

  /** What the journal says of a document. */
  owner(id: string): Promise<Owned | undefined> {
    const { context, scope } = this.options;
    return context.journal.owner(scope.service, id);
  }

  async isTaken(id: string): Promise<boolean> {
    const { scope, isExcluded } = this.options;
    if (isExcluded(id)) return true;
    return isOthers(await this.owner(id), scope);
  }

  /** The same where the journal may be out of reach: `otherwise` is the answer then. */
  async #isTakenOr(otherwise: boolean, id: string): Promise<boolean> {
    return this.isTaken(id).catch((error: unknown) => {
      if (error instanceof JournalUnavailableError) return otherwise;
      throw error;
    });
  }

  /** Whether a service may have given the id a second time: the journal knows it as let go of, by whatever resource. */
  async mayBeReused(id: string): Promise<boolean> {
    return !this.options.isExcluded(id) && (await this.owner(id))?.released === true;
  }

  // What the service shows of it:

  /** Undefined where it is unread: a 404 may come and go, so one is not enough. */
  async read(id: string): Promise<DocumentBody | undefined> {
    return (await this.readOnce(id)) ?? (await this.readOnce(id));
  }

  /** What is unread is no candidate: a list says only that something is there. */
  readOnce(id: string): Promise<DocumentBody | undefined> {
    return readIfShown(this.options.service, id, this.options.signal);
  }

  firstHash(body: DocumentBody): Promise<string | undefined> {
    return firstHash(body, this.options.service, this.options.signal);
  }

  /** Whether the service is known to change the PDFs that it is sent. */
  changesPdfs(): Promise<boolean> {
    const { context, scope } = this.options;
    return context.journal.rewrites(scope.service);
  }

  // Whether it is what an answer said:

  /** Whether a document that an answer holds whole is what was sent in every point, and nobody's: then it needs no read. */
  async isWhollySent(body: DocumentBody, sent: DocumentSpec, attempt: Attempt): Promise<boolean> {
    const first = firstFile(body);
    const isNew = isUnsigned(body) && body.files.length === 1 && first?.version === body.lastVersion;
    const isOlder = this.timeOf(attempt).isBefore(body);
    if (!isNew || isOlder || Number.isNaN(Date.parse(body.createdAt ?? ""))) return false;
    // A journal that can't be asked leaves it to the read.
    if (!isInFolderOf(body, sent) || (await this.#isTakenOr(true, body.id))) return false;
    return (await matchOf(body, sent, async () => first?.sha256 ?? undefined)) === "same";
  }

  /** The document an answer named, if it is what was sent and nobody's. Downloads nothing. */
  async readIfSent(id: string, sent: SentContent, attempt: Attempt): Promise<DocumentBody | undefined> {
    // The service has named it. Where the journal can't be asked whose it is, it is read all the same.
    const isTaken = await this.#isTakenOr(false, id);
    const body = isTaken ? undefined : await this.readOnce(id);
    if (!body) return undefined;
    const match = await matchOf(body, sent, async () => firstFile(body)?.sha256 ?? undefined);
    const isOlder = this.timeOf(attempt).isBefore(body);
    // What is exactly what was sent is it, whatever any clock says of its age, if lists didn't show it before.
    if (match === "same") return isOlder && !this.options.countsExisting ? undefined : body;
    return match === "similar" && !isOlder ? body : undefined;
  }

  timeOf(attempt: Attempt): AttemptTime {
    return new AttemptTime(attempt, this.options);
  }

  // How it compares, if it stands beside a create:

  /** By whatever marker: it tells which create made it, and isn't part of the contract. */
  async likenessOf(shown: DocumentBody, wanted: DocumentSpec): Promise<Likeness> {
    const [body, sent] = withoutMarkers(shown, wanted);
    const { content } = sent;
    const owner = await this.owner(body.id);
    let hash: Promise<string | undefined> | undefined;
    // What the journal knows to be made of this is, whatever hash the service shows. Otherwise it may take a download.
    const pdfHash = () => {
      hash ??=
        owner && isMadeOf(owner, content) ? Promise.resolve(content.sha256) : this.#likelyHash(body, content.sha256);
      return hash;
    };
    const match = await matchOf(body, sent, pdfHash);
    if (match === "same" || !sameName(body, sent) || samePeople(body, sent) !== true) return match;
    const pdf = await pdfHash();
    const isDescribed = sameDescription({ description: body.description ?? "" }, sent);
    if (!isDescribed || !owner || owner.fingerprint !== undefined) return "same name and people";
    const isPdfTold = pdf !== undefined && !(await this.changesPdfs());
    return isPdfTold ? "same name and people" : "unclear";
  }

  /** This one, if any of its versions has it: people add versions there. Otherwise of the one it was created with. */
  async #likelyHash(body: DocumentBody, sha256: string): Promise<string | undefined> {
    const { service, signal } = this.options;
    const later = body.files.length > 1 ? body.files.toReversed() : [];
    for (const file of later) if ((await hashOfFile(file, service, signal)) === sha256) return sha256;
    return this.firstHash(body);
  }

  /**
   * Whether a document that the journal or state knows to be made of this is it still, by whatever marker: `untold` where
   * the service shows its PDF otherwise each time, or shows no hash.
   */
  async comparedToMade(body: DocumentBody, sent: DocumentSpec): Promise<"same" | "untold" | "other"> {
    const { service, signal } = this.options;
    const { content } = sent;
    const latest = latestFile(body);
    const hash = latest && (await hashOfFile(latest, service, signal));
    const { rewrittenAs, fingerprint } = (await this.owner(body.id)) ?? {};
    const hasOneVersion = body.files.length <= 1;
    // By the journal; by state, which doesn't say what the service made of the PDF; or it isn't known to be another one.
    const isSentPdf =
      hash === undefined
        ? hasOneVersion
        : [content.sha256, rewrittenAs].includes(hash) || (fingerprint === undefined && hasOneVersion);
    const [shown, unmarked] = withoutMarkers(body, sent);
    const matchWith = (sha256: string | undefined) => matchOf(shown, unmarked, async () => sha256);
    if (isSentPdf && (await matchWith(hash && content.sha256)) !== "other") return "same";
    // Nobody has given it another version.
    return hasOneVersion && (await matchWith(content.sha256)) === "same" ? "untold" : "other";
  }
}

const withoutMarkers = (body: DocumentBody, sent: DocumentSpec) =>
  [
    { ...body, description: body.description === null ? null : withoutMarker(body.description) },
    { ...sent, content: { ...sent.content, marker: undefined } },
  ] as const;

/** Whether the journal has it as another resource's than this one, or as let go of. */
export const isOthers = (owner: Owned | undefined, { urn }: Scope): boolean =>
  owner !== undefined && (owner.released || owner.urn !== urn);

/** Whether it is where the program wants it: anywhere, where it says nothing. */
export const isPlaced = (
  wanted: { readonly folderId?: unknown } | undefined,
  { folderId }: { readonly folderId?: string | null | undefined },
): boolean => typeof wanted?.folderId !== "string" || wanted.folderId === folderId;

/** Whether it is where a create for the program puts it: in no folder, where that says nothing. */
export const isInFolderOf = ({ folderId }: DocumentBody, spec: DocumentSpec): boolean =>
  folderId === (spec.folderId ?? null);

/**
 * Why a create that sent `folder_id` is unfinished, which isn't in the service's public interface: the document isn't there.
 * `before`: as state had it.
 */
export function placementProblems(
  { folderPlacement }: CreationPolicy,
  call: Call,
  document: DocumentBody,
  inputs: CheckedInputs,
  before?: DocumentState,
): string[] {
  const wanted = inputs.folderId;
  if (typeof wanted !== "string" || isPlaced(inputs, document)) return [];
  const mayBeMoved = before !== undefined && (before.folderId === wanted || document.folderId !== null);
  const said = words.unplaced(document, wanted, mayBeMoved);
  if (folderPlacement === "require") return said.unfinished;
  call.log.warn(said.warning);
  return [];
}

/** Whether state says that the document was where the program wants it, or that needn't be. */
export const isPlacementSettled = (
  { folderPlacement }: CreationPolicy,
  inputs: CheckedInputs,
  state: DocumentState,
): boolean => folderPlacement !== "require" || isPlaced(inputs, state);

// ---- What an attempt led to ----

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
      /** Why nothing is known of it, though it was looked for. */
      readonly failed?: string | undefined;
      /** Documents that are listed and unread, one of which may be it. */
      readonly unread?: readonly string[] | undefined;
    };

const UNPROVEN = { kind: "absent", proven: false } as const;

/** What lists show, when they were asked for, and since when they show it. */
interface Lists {
  readonly snapshot: Snapshot;
  readonly askedAt: number;
  readonly from: number;
}

/** What lists show for an attempt. */
interface ListedDocuments {
  /** What was sent. */
  readonly found: DocumentBody[];
  /** May be it. */
  readonly similar: DocumentBody[];
  /** The service lists it, and doesn't show it. */
  readonly unread: ListedRow[];
  /** What was sent, by their content, though another resource had them and let go. */
  readonly letGo: DocumentBody[];
}

/** Looks for the document that one attempt led to. */
class Search {
  readonly #options: Lookup["options"];
  readonly #time: AttemptTime;
  readonly #proof: AbsenceProof;

  constructor(
    private readonly lookup: Lookup,
    private readonly attempt: Attempt,
    private readonly sent: SentContent,
  ) {
    this.#options = lookup.options;
    this.#time = lookup.timeOf(attempt);
    this.#proof = new AbsenceProof(attempt, lookup.options);
  }

  /**
   * One look. The last one costs more: it reads documents of any name, as the service may have changed that, may take an
   * unread one, and asks for proof, or how long a page may be, where nothing is found.
   */
  async once({ isFirst, isLast }: Look): Promise<LookupResult> {
    const { claim, context } = this.#options;
    // Also where the journal is out of reach: the service has named it.
    const named = await this.#named();
    if (named.length > 0) return { kind: "found", documents: named };
    // Lists may lag behind an answer.
    if (claim && this.attempt.hints.length > 0 && isFirst && !isLast) return UNPROVEN;
    await context.journal.refresh();
    const lists = await this.#lists();
    const listed = await this.#listed(lists.snapshot, isLast);
    const result = (await this.#resultOf(listed, isLast)) ?? (await this.#absent(lists, isLast));
    if (!claim || result.kind !== "found") return result;
    for (const body of result.documents) if (await claim(body)) return { kind: "found", documents: [body] };
    return UNPROVEN;
  }

  /** What an answer named, as far as it is what was sent. */
  async #named(): Promise<DocumentBody[]> {
    const { claim } = this.#options;
    const named: DocumentBody[] = [];
    for (const id of this.attempt.hints) {
      const body = await this.lookup.readIfSent(id, this.sent, this.attempt);
      if (body && claim && (await claim(body))) return [body];
      if (body && !claim) named.push(body);
    }
    return named;
  }

  /** `from`: by a Date of whole seconds it may be another one a moment later, and what is asked for is what is proven. */
  async #lists(): Promise<Lists> {
    const { context, service, signal } = this.#options;
    for (;;) {
      const isClockKnown = service.now() !== undefined;
      const askedAt = context.clock.now();
      const from = this.#time.earliest("day");
      const until = Math.max(this.#time.earliest(), service.now()?.getTime() ?? askedAt);
      const snapshot = await takeSnapshot(service, [from, until], signal, { lenient: true });
      // The first request by this machine's clock, as the service's may be days from it: once its answer shows that, again.
      if (isClockKnown || service.now() === undefined) return { snapshot, askedAt, from };
    }
  }

  /** Reads what is listed under the name that was sent, or with its marker; at the last look whatever is new. */
  async #listed(snapshot: Snapshot, isLast: boolean): Promise<ListedDocuments> {
    const listed: ListedDocuments = { found: [], similar: [], unread: [], letGo: [] };
    const earliest = this.#time.earliest();
    for (const row of snapshot.rows.toSorted((a, b) => byId(a.id, b.id))) {
      const isOlder = createdBefore(row, earliest);
      // Older by the journal as well; otherwise clocks may be wrong: of two servers one may be slow.
      if (isOlder && this.#time.isKnown() && this.attempt.older?.includes(row.id)) continue;
      const isNew = isLast && !isOlder;
      if (!isNew && !sameName(row, this.sent) && !hasMarker(row, this.sent)) continue;
      const isTaken = await this.lookup.isTaken(row.id);
      if (isTaken && (isOlder || !(await this.lookup.mayBeReused(row.id)))) continue;
      const body = await this.lookup.readOnce(row.id);
      if (!body) listed.unread.push(row);
      else {
        const kind = await this.#kindOf(body, row, { isTaken, isOlder });
        if (kind) listed[kind].push(body);
      }
    }
    return listed;
  }

  /** What a document that is listed is to the attempt. */
  async #kindOf(
    body: DocumentBody,
    row: ListedRow,
    { isTaken, isOlder }: { readonly isTaken: boolean; readonly isOlder: boolean },
  ): Promise<"found" | "similar" | "letGo" | undefined> {
    const { sent, lookup } = this;
    const match = await matchOf(body, sent, () => lookup.firstHash(body));
    const isSame = match === "same" || (match === "similar" && (await this.#isRewritten(body)));
    if (isTaken) return isSame ? "letGo" : undefined;
    // But for a clock that is wrong.
    if (isOlder && this.#time.isKnown()) return isSame ? "similar" : undefined;
    const mayBeAnybodys = !this.#options.countsExisting && createdBefore(row, this.#time.earliest("seconds"));
    if (isSame && !mayBeAnybodys) return "found";
    // A service that changes names and PDFs leaves the people.
    const mayBeIt = match !== "other" || (samePeople(body, sent) === true && (await lookup.changesPdfs()));
    return mayBeIt && !isOlder ? "similar" : undefined;
  }

  /** What the listed documents come to; undefined where none of them may be it. */
  async #resultOf(
    { found, similar, unread, letGo }: ListedDocuments,
    isLast: boolean,
  ): Promise<LookupResult | undefined> {
    if (found.length > 0) return this.#noMoreThanSent(found);
    if (similar.length > 0) return { kind: "ambiguous", documents: similar };
    if (unread.length > 0) {
      const own = isLast ? await this.#ownOf(unread) : undefined;
      if (own) return { kind: "found", documents: [unreadDocument(own)] };
      const ids = unread.map(({ id }) => id);
      return { ...UNPROVEN, failed: `${documentsAre(ids)} listed and can't be read`, unread: ids };
    }
    if (letGo.length === 0) return undefined;
    return { ...UNPROVEN, failed: `${documentsAre(letGo.map(({ id }) => id))} exactly alike and no longer held` };
  }

  async #absent({ snapshot, askedAt, from }: Lists, isLast: boolean): Promise<LookupResult> {
    if (this.#proof.isOfAnotherAccount())
      return {
        ...UNPROVEN,
        failed: "it was sent with other credentials than are configured now, and lists may be another account's",
      };
    const proven = isLast && (await this.#proof.isProven(snapshot, from));
    const absence = await this.#proof.absence(from);
    const page = isLast && !proven ? snapshot.pageOf(absence) : undefined;
    const strangers = absence.known?.every(id => !snapshot.ids.has(id));
    return { kind: "absent", proven, oldest: snapshot.oldest(), page, strangers, askedAt };
  }

  /** Several are fine where as many creates of this content have no outcome: each takes one. */
  async #noMoreThanSent(documents: readonly DocumentBody[]): Promise<LookupResult> {
    const { attempt, lookup } = this;
    const { urn } = this.#options.scope;
    for (let before: number | undefined; ; ) {
      const free: DocumentBody[] = [];
      for (const body of documents) if (!(await lookup.isTaken(body.id))) free.push(body);
      // Left to creates of the same content that the service said were done; this one may never have arrived.
      const open = await this.#openCreates();
      const promised = open.filter(each => each.answered && each.urn !== urn);
      if (!attempt.answered && free.length <= promised.length) return UNPROVEN;
      if (free.length <= Math.max(1, open.length)) return { kind: "found", documents: free };
      // Others claim theirs meanwhile: count until the number holds still.
      if (open.length === before) return { kind: "ambiguous", documents: free };
      before = open.length;
    }
  }

  /** Creates of the same content without an outcome, of this resource and of others. */
  async #openCreates(): Promise<Attempt[]> {
    const { journal } = this.#options.context;
    await journal.refresh();
    const { attempts } = await journal.ofContract(this.#options.scope.service, this.attempt);
    return attempts.filter(({ fingerprint }) => fingerprint === this.attempt.fingerprint);
  }

  /** Creates of other content without an outcome. */
  async #openOthers(): Promise<Attempt[]> {
    const { journal } = this.#options.context;
    await journal.refresh();
    const unsettled = await journal.unsettled(this.#options.scope.service);
    const { token, fingerprint } = this.attempt;
    return unsettled.filter(each => each.token !== token && each.fingerprint !== fingerprint);
  }

  /**
   * Of unread documents the one that this create led to: it has its marker; or the answer, or a person, names it, it has
   * its name and description, and no other create without an outcome may have made it. Taking it mails nobody, and a
   * replacement of it is refused for as long as it is unread.
   */
  async #ownOf(unread: readonly ListedRow[]): Promise<ListedRow | undefined> {
    const { attempt, sent } = this;
    const [marked, ...more] = unread.filter(row => hasMarker(row, sent));
    if (marked) return more.length === 0 && (await this.#isOwn(marked)) ? marked : undefined;
    const row = unread.find(({ id }) => attempt.hints.includes(id));
    if (!row || markerIn(row.description) !== undefined || !(await this.#isOwn(row))) return undefined;
    const isWholeName = sent.name === undefined || isWhole(sent.name, row.name);
    const others = await this.#openOthers();
    return others.some(({ name }) => !isWholeName || name === attempt.name) ? undefined : row;
  }

  async #isOwn(row: ListedRow): Promise<boolean> {
    // Where nothing was listed before, one from a little earlier may be anybody's.
    const earliest = this.#time.earliest(this.#options.countsExisting ? "minutes" : "seconds");
    return (
      sameName(row, this.sent) &&
      sameDescription(row, this.sent) &&
      Date.parse(row.createdAt ?? "") >= earliest &&
      !(await this.lookup.isTaken(row.id))
    );
  }

  /**
   * Whether it is what was sent but for its PDF, to which the service, known to do that, has only added. Names may be cut:
   * where another create for the same people has no outcome, under whatever name, nothing tells whose it is.
   */
  async #isRewritten(body: DocumentBody): Promise<boolean> {
    const shown = await rewrittenHash(body, this.sent);
    if (shown === undefined || !isUnsigned(body)) return false;
    const others = await this.#openOthers();
    if (others.some(({ invitees }) => invitees === this.attempt.invitees)) return false;
    // Elsewhere a PDF that goes on where this one ends is somebody's own.
    return (await this.lookup.changesPdfs()) && this.#isAddedTo(body);
  }

  async #isAddedTo(body: DocumentBody): Promise<boolean> {
    const { service, signal } = this.#options;
    const { content } = this.sent;
    const url = firstFile(body)?.url;
    const bytes = await this.sent.bytes?.().catch(() => undefined);
    return url != null && bytes !== undefined && (await digestOf(url, service, signal, bytes.size)) === content.sha256;
  }
}

// Until it is found, or for so long:

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 4_000;

/** Of the create that looks for it. */
interface Searcher {
  readonly call: Call;
  readonly context: Context;
  readonly inFlight: CreatesInFlight;
}

interface SearchOptions {
  readonly attempt: Attempt;
  readonly sent: SentContent;
  readonly forMs: number;
  /** The create that this run has sent. */
  readonly flight?: Flight | undefined;
}

/** What an attempt led to: looked for so long and at least once, with pauses that grow. */
export async function outcomeOf(options: Searcher, lookup: Lookup, sought: SearchOptions): Promise<LookupResult> {
  const { call, context } = options;
  const { clock } = context;
  const until = clock.now() + sought.forMs;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const isLast = clock.now() >= until;
    const result = await look(options, lookup, sought, { isFirst: pause === FIRST_PAUSE_MS, isLast });
    if (isLast || result.kind === "found") return result;
    await clock.wait(Math.min(pause, Math.max(0, until - clock.now())), call.signal).catch(() => {
      throw new Refusal(words.cancelledCreate(), call.urn);
    });
  }
}

/** The last one is at any name, and again once the creates of this run that may have made what fits are over. */
async function look(
  { call, context, inFlight }: Searcher,
  lookup: Lookup,
  { attempt, sent, flight }: SearchOptions,
  look: Look,
): Promise<LookupResult> {
  const isSentHere = flight !== undefined;
  try {
    for (;;) {
      const result = await lookup.once(attempt, sent, look);
      if (!look.isLast || result.kind !== "ambiguous") return result;
      const others = inFlight.othersThatMade(result.documents, flight);
      if (others.length > 0) call.log.progress("documents like this one are being created: waiting for their outcome");
      await context.journal.refresh();
      const taken = await Promise.all(result.documents.map(({ id }) => lookup.isTaken(id)));
      if (others.length === 0 && !taken.includes(true)) return result;
      await Promise.all(others);
    }
  } catch (error) {
    if (error instanceof CancelledError)
      throw new Refusal(words.cancelledCreate(isSentHere ? attempt.hints : []), call.urn);
    // Of what was sent already, a journal that can't be asked tells no more than a service that can't.
    const isOutOfReach = error instanceof ServiceError || (isSentHere && error instanceof JournalUnavailableError);
    if (!isOutOfReach) throw error;
    const [id] = attempt.hints;
    const what = id === undefined ? "looking for it" : `confirming document ${id}`;
    return { ...UNPROVEN, failed: `${what} failed: ${error.message}` };
  }
}

export const documentsAre = (ids: readonly string[]): string =>
  `${documentsIn(ids)} ${ids.length === 1 ? "is" : "are"}`;
