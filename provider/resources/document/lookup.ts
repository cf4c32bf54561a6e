import { createHash } from "node:crypto";
import {
  CancelledError,
  ForbiddenError,
  NotFoundError,
  RefusedError,
  ServiceError,
  UnreadableAnswerError,
} from "../../client/errors.js";
import type { DocumentBody, FileBody, Service } from "../../client/service.js";
import type { Context } from "../context.js";
import type { Attempt, Scope } from "../journal/contract.js";
import { JournalUnavailableError } from "../journal/log.js";
import { CLOCK_SLACK_MS, CLOCKS_APART_MS } from "./clocks.js";
import { nameHash } from "./content.js";
import { byId, isUnsigned, latestFile } from "./document-state.js";
import { type Snapshot, takeSnapshot } from "./listing.js";
import { markerIn, withoutMarker } from "./marker.js";
import { isNamesake, type Match, matchOf, rewrittenHash, type Sent, samePeople, sameText } from "./match.js";

/** What became of a create whose answer didn't settle it. */
export type Looked =
  | { readonly kind: "found"; readonly documents: readonly DocumentBody[] }
  /** Several fit, or one that may be stored differently than it was sent. */
  | { readonly kind: "ambiguous"; readonly documents: readonly DocumentBody[] }
  | {
      readonly kind: "absent";
      readonly proven: boolean;
      /** When the oldest document was created that the lists show, as the service writes it. */
      readonly oldest?: string | undefined;
      /** When the lists were asked for, by this machine's clock. */
      readonly askedAt?: number | undefined;
      readonly failed?: string | undefined;
    };

export interface Compared {
  /** Name, people, PDF and description are what was sent. */
  readonly alike: readonly DocumentBody[];
  /** Name and people are, and something else isn't. */
  readonly namesakes: readonly DocumentBody[];
  readonly unread: readonly string[];
}

function oldestOf({ rows }: Snapshot): string | undefined {
  const times = rows.flatMap(({ createdAt }) => (createdAt === null ? [] : [createdAt]));
  return times.sort((a, b) => Date.parse(a) - Date.parse(b))[0];
}

/** Lists may show what is recent alone: what is about as old as a create was made within so long after it. */
const ABOUT_AS_OLD_MS = 10 * 60_000;
/** Lists that show what is recent alone show the last hour, or more. */
const RECENT_MS = 50 * 60_000;

/** How many documents are looked up in the journal to find one of the same kind, and how many of those are read. */
const MOST_LOOKED_UP = 100;
const MOST_ASKED = 3;

export interface LookupOptions {
  readonly context: Context;
  readonly service: Service;
  readonly scope: Scope;
  readonly signal: AbortSignal;
  /** Ids that can't be what this create led to: what it replaces, and what was listed before it was sent. */
  readonly known: (id: string) => boolean;
  /** Whether nothing was listed before the create was sent: then a document made a little earlier may be anybody's. */
  readonly unlisted: boolean;
  /** Whether what is looked for was to be in a folder. */
  readonly inFolder: boolean;
}

/** By their ids; of many the first three. */
export function documentsAre(ids: readonly string[]): string {
  if (ids.length === 1) return `document ${ids[0]} is`;
  const more = ids.length > 3 ? ` and ${ids.length - 3} more` : "";
  return `documents ${ids.slice(0, 3).join(", ")}${more} are`;
}

/** Looks for what a create led to: by the ids its answer named, then in lists, then each candidate's content. */
export class Lookup {
  constructor(private readonly options: LookupOptions) {}

  /** One look. `anyName`: also at documents whose name the service may have changed; a request for each. */
  async once(attempt: Attempt, sent: Sent, { anyName }: { anyName: boolean }): Promise<Looked> {
    const { context, service, signal } = this.options;
    const started = () => this.#startOf(attempt);
    const found: DocumentBody[] = [];
    const similar: DocumentBody[] = [];
    const hidden: string[] = [];
    const again: string[] = [];
    await context.journal.refresh();
    for (const id of attempt.hints) {
      const body = await this.confirm(id, sent, attempt);
      if (body) found.push(body);
    }
    if (found.length > 0) return { kind: "found", documents: found };
    const list = () => {
      const until = service.now()?.getTime() ?? context.clock.now();
      return takeSnapshot(service, [started(), Math.max(started(), until)], signal, { lenient: true });
    };
    const isClockKnown = service.now() !== undefined;
    let askedAt = context.clock.now();
    let snapshot = await list();
    if (!isClockKnown && service.now() !== undefined) {
      // As the first request, by this machine's clock: the service's may be days from it.
      askedAt = context.clock.now();
      snapshot = await list();
    }
    const since = started();
    for (const row of snapshot.rows.toSorted((a, b) => byId(a.id, b.id))) {
      const isOlder = createdBefore(row.createdAt, since);
      // Older by the journal as well; otherwise clocks may be wrong: of two servers one may be slow.
      if (isOlder && this.#isTimed(attempt) && attempt.older?.includes(row.id)) continue;
      const marked = sent.content.marker !== undefined && markerIn(row.description) === sent.content.marker;
      const named = sent.spec ? sameText(sent.spec.name, row.name) : nameHash(row.name) === sent.content.name;
      if (!named && !marked && (!anyName || isOlder)) continue;
      const isTaken = await this.isTaken(row.id);
      // A service may give an id a second time.
      if (isTaken && (isOlder || !(await this.#isLetGo(row.id)))) continue;
      const body = await this.#body(row.id);
      if (!body) {
        hidden.push(row.id);
        continue;
      }
      const match = await matchOf(body, sent, () => this.firstHash(body));
      const isCertain = !this.options.unlisted || !createdBefore(row.createdAt, this.#startOf(attempt, 2_000));
      const isSame = match === "same" || (match === "similar" && (await this.#isRewritten(body, sent, attempt)));
      if (isTaken) {
        if (isSame) again.push(body.id);
        continue;
      }
      const isDoubtful = isOlder && this.#isTimed(attempt);
      // A service that changes names and PDFs leaves the people.
      const mayBeIt = match !== "other" || (samePeople(body, sent) === true && (await this.#changesPdfs()));
      if (isSame && isCertain && !isDoubtful) found.push(body);
      else if (isDoubtful ? isSame : mayBeIt && !isOlder) similar.push(body);
    }
    if (found.length > 0) return this.#noMoreThanSent(attempt, found);
    if (similar.length > 0) return { kind: "ambiguous", documents: similar };
    const absent = { kind: "absent", proven: false } as const;
    if (hidden.length > 0) return { ...absent, failed: `${documentsAre(hidden)} listed and can't be read` };
    if (again.length > 0) return { ...absent, failed: `${documentsAre(again)} exactly alike and no longer held` };
    const proven = anyName && (await this.provesAbsence(snapshot, attempt));
    return { kind: "absent", proven, oldest: oldestOf(snapshot), askedAt };
  }

  /**
   * Whether a document created since then, and in no row, doesn't exist. A complete list may still leave out a whole kind:
   * unsigned documents, say, or those in folders. So it proves that only if it shows one of the same kind: that this
   * provider created, that nobody has signed, and that is in a folder if this one is to be.
   */
  async provesAbsence(snapshot: Snapshot, attempt: Attempt): Promise<boolean> {
    const { context, inFolder, scope } = this.options;
    const known = await context.journal.documents(scope.service);
    const isRecent = Math.abs(context.clock.now() - attempt.startedAt) < RECENT_MS;
    const near = isRecent ? this.#startOf(attempt, -ABOUT_AS_OLD_MS) : undefined;
    const asked = { since: this.#startOf(attempt), near, older: attempt.older, known };
    for (const rows of snapshot.completeSince(asked)) {
      let asked = 0;
      for (const { id } of rows.filter(({ status }) => status === "unsigned").slice(0, MOST_LOOKED_UP)) {
        if (!(await context.journal.owner(scope.service, id))) continue;
        const body = await this.#body(id);
        if (body && isUnsigned(body) && (body.folderId !== null) === inFolder) return true;
        if (++asked === MOST_ASKED) break;
      }
    }
    return false;
  }

  /** Whether a document that an answer holds whole is what was sent in every point, and nobody's: then it needs no read. */
  async isSent(body: DocumentBody, sent: Sent, attempt: Attempt, folderId: string | undefined): Promise<boolean> {
    const first = firstFile(body);
    const isNew = isUnsigned(body) && body.files.length === 1 && first?.version === body.lastVersion;
    if (!isNew || this.#isOlder(body, attempt) || Number.isNaN(Date.parse(body.createdAt ?? ""))) return false;
    if (body.folderId !== (folderId ?? null) || (await this.isTaken(body.id))) return false;
    return (await matchOf(body, sent, async () => first?.sha256?.toLowerCase())) === "same";
  }

  /** The document an answer named, if it is what was sent and nobody's. Downloads nothing. */
  async confirm(id: string, sent: Sent, attempt: Attempt): Promise<DocumentBody | undefined> {
    // The service has named it. Where the journal can't be asked whose it is, it is read all the same.
    const isTaken = await this.isTaken(id).catch((error: unknown) => {
      if (error instanceof JournalUnavailableError) return false;
      throw error;
    });
    if (isTaken) return undefined;
    const body = await this.#body(id);
    if (!body) return undefined;
    const match: Match = await matchOf(body, sent, async () => firstFile(body)?.sha256?.toLowerCase());
    const isOlder = this.#isOlder(body, attempt);
    // What is exactly what was sent is it, whatever any clock says of its age, if lists didn't show it before.
    if (match === "same") return isOlder && this.options.unlisted ? undefined : body;
    return match === "similar" && !isOlder ? body : undefined;
  }

  /** What stands at the service under the name that was sent. */
  async compare(ids: readonly string[], sent: Sent): Promise<Compared> {
    const alike: DocumentBody[] = [];
    const namesakes: DocumentBody[] = [];
    const unread: string[] = [];
    for (const id of ids.toSorted(byId)) {
      // A 404 may come and go, so one is not enough.
      const body = (await this.#body(id)) ?? (await this.#body(id));
      if (!body) {
        unread.push(id);
        continue;
      }
      let hash: Promise<string | undefined> | undefined;
      // It may take a download.
      const pdfHash = () => {
        hash ??= this.firstHash(body);
        return hash;
      };
      if ((await matchOf(body, sent, pdfHash)) === "same") alike.push(body);
      else if (await isNamesake(body, sent, pdfHash)) namesakes.push(body);
    }
    return { alike, namesakes, unread };
  }

  /** Of documents that the journal knows to be made of this: those that are it still, by whatever marker. */
  async unchanged(
    ids: readonly string[],
    { content, spec }: Sent,
  ): Promise<{ same: DocumentBody[]; unread: string[] }> {
    const { context, scope } = this.options;
    const same: DocumentBody[] = [];
    const unread: string[] = [];
    for (const id of ids.toSorted(byId)) {
      const body = (await this.#body(id)) ?? (await this.#body(id));
      const latest = body && latestFile(body);
      const hash = latest && (await hashOfFile(latest, this.options.service, this.options.signal));
      const shown = body && { ...body, description: withoutMarker(body.description ?? "") };
      const sent = { content: { ...content, marker: undefined }, spec };
      if (!body || !shown) unread.push(id);
      else {
        const { rewrittenAs } = (await context.journal.owner(scope.service, id)) ?? {};
        const isOwn = [undefined, content.sha256, rewrittenAs].includes(hash);
        const match = await matchOf(shown, sent, async () => (isOwn && hash !== undefined ? content.sha256 : hash));
        if (isOwn && match !== "other") same.push(body);
        // Nobody has given it another version: the service shows its PDF otherwise each time, or shows no hash.
        else if (body.files.length === 1 && (await matchOf(shown, sent, async () => content.sha256)) === "same")
          unread.push(id);
      }
    }
    return { same, unread };
  }

  /**
   * Whether it is what was sent but for its PDF, to which the service, known to do that, has only added. Names may be cut:
   * where another create for the same people has no outcome, under whatever name, nothing tells whose it is.
   */
  async #isRewritten(body: DocumentBody, sent: Sent, attempt: Attempt): Promise<boolean> {
    const { context, scope } = this.options;
    const shown = await rewrittenHash(body, sent);
    if (shown === undefined || !isUnsigned(body)) return false;
    await context.journal.refresh();
    const others = (await context.journal.unsettled(scope.service)).filter(
      ({ token, invitees, fingerprint }) =>
        token !== attempt.token && fingerprint !== attempt.fingerprint && invitees === attempt.invitees,
    );
    // Elsewhere a PDF that goes on where this one ends is somebody's own.
    return others.length === 0 && (await this.#changesPdfs()) && this.#isAddedTo(body, sent);
  }

  async #isAddedTo(body: DocumentBody, { content, spec }: Sent): Promise<boolean> {
    const { service, signal } = this.options;
    const url = firstFile(body)?.url;
    const bytes = await spec?.bytes?.().catch(() => undefined);
    return url != null && bytes !== undefined && (await digestOf(url, service, signal, bytes.size)) === content.sha256;
  }

  #changesPdfs(): Promise<boolean> {
    const { context, scope } = this.options;
    return context.journal.rewrites(scope.service);
  }

  /** Whether the journal knows it as let go of, by whatever resource. */
  async #isLetGo(id: string): Promise<boolean> {
    const { context, known, scope } = this.options;
    return !known(id) && (await context.journal.owner(scope.service, id))?.released === true;
  }

  firstHash(body: DocumentBody): Promise<string | undefined> {
    return firstHash(body, this.options.service, this.options.signal);
  }

  /** Several are fine where as many creates of this content have no outcome: each takes one. */
  async #noMoreThanSent(attempt: Attempt, documents: readonly DocumentBody[]): Promise<Looked> {
    const { context, scope } = this.options;
    const attempts = async () => {
      await context.journal.refresh();
      return (await context.journal.content(scope.service, attempt.fingerprint)).attempts;
    };
    const count = async () => Math.max(1, (await attempts()).length);
    for (let before = await count(); ; ) {
      const free: DocumentBody[] = [];
      for (const body of documents) if (!(await this.isTaken(body.id))) free.push(body);
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

  async isTaken(id: string): Promise<boolean> {
    const { context, scope, known } = this.options;
    if (known(id)) return true;
    const owner = await context.journal.owner(scope.service, id);
    return owner !== undefined && (owner.released || owner.urn !== scope.urn);
  }

  /** What can't be read is no candidate: a list says only that something is there. */
  #body(id: string): Promise<DocumentBody | undefined> {
    const { service, signal } = this.options;
    return service.getDocument(id, { signal }).catch((error: unknown) => {
      if (UNREADABLE.some(kind => error instanceof kind)) return undefined;
      throw error;
    });
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

const UNREADABLE = [NotFoundError, ForbiddenError, RefusedError, UnreadableAnswerError];

const firstFile = (body: DocumentBody): FileBody | undefined =>
  [...body.files].sort((a, b) => Number(a.version) - Number(b.version))[0];

/** The hash of the PDF the document was created with; where the service leaves it out, of the PDF downloaded. */
export async function firstHash(
  body: DocumentBody,
  service: Service,
  signal: AbortSignal,
): Promise<string | undefined> {
  const first = firstFile(body);
  return first && hashOfFile(first, service, signal);
}

/** A file's hash, from the service's word or its bytes; undefined where neither can be had. */
export async function hashOfFile(file: FileBody, service: Service, signal: AbortSignal): Promise<string | undefined> {
  if (file.sha256) return file.sha256.toLowerCase();
  return file.url ? digestOf(file.url, service, signal) : undefined;
}

/** Of all bytes at an address, or of so many from its beginning; undefined where they can't be had. */
async function digestOf(
  url: string,
  service: Service,
  signal: AbortSignal,
  most = Number.POSITIVE_INFINITY,
): Promise<string | undefined> {
  const digest = createHash("sha256");
  let read = 0;
  for (const withKey of [false, true]) {
    try {
      for await (const chunk of await service.download(url, { signal, withKey })) {
        digest.update(chunk.subarray(0, most - read));
        read += chunk.length;
        if (read >= most) break;
      }
      return digest.digest("hex");
    } catch (error) {
      if (error instanceof CancelledError) throw error;
      if (!(error instanceof ServiceError)) throw error;
      if (read > 0) return undefined;
    }
  }
  return undefined;
}

const createdBefore = (createdAt: string | null, time: number): boolean => Date.parse(createdAt ?? "") < time;
