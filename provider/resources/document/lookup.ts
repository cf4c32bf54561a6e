import { createHash } from "node:crypto";
import { CancelledError, NotFoundError, ServiceError } from "../../client/errors.js";
import type { DocumentBody, FileBody, Service } from "../../client/service.js";
import type { Context } from "../context.js";
import { type Content, nameHash } from "./content.js";
import { byId } from "./document-state.js";
import type { Earlier } from "./earlier.js";
import { isAlike, likenessOf } from "./likeness.js";
import { listedSince } from "./listed.js";
import { markerIn } from "./marker.js";

export interface Since {
  /** The create was an earlier run's. */
  readonly recovered?: boolean;
  /** Under any name: before anything is sent again. */
  readonly whatever: boolean;
  /** Whether it is known whose that document is. */
  isKnown(id: string): Promise<boolean>;
}

export interface Found {
  readonly matches: DocumentBody[];
  /** Alike in part, or made a little too early: no telling whose they are. */
  readonly doubtful: DocumentBody[];
  /** Whether every place to look could be asked: only then is nothing found a proof. */
  readonly complete: boolean;
}

/** The service may stamp a document a moment before our first look at its clock says the request began. */
const CLOCK_SLACK_MS = 2_000;
/** Its servers may not agree on the time: what is older than that slack and fits is nobody's for sure. */
const DOUBTFUL_CLOCK_SLACK_MS = 60_000;
/** A clock may have been set, or the journal carried to another machine, since a run that was interrupted. */
const RECOVERED_CLOCK_SLACK_MS = 5 * 60_000;
/** Without a word from the service about its clock, a day either way is possible. */
const UNKNOWN_CLOCK_SLACK_MS = 24 * 3_600_000;

/** Looks for documents of some content at the service: lists first, then each candidate's PDF, invitees and description. */
export class Lookup {
  constructor(
    private readonly service: Service,
    private readonly context: Context,
    private readonly signal: AbortSignal,
  ) {}

  /** Documents that can have come of a create that began at `startedAt` by this machine's clock; lowest id first. */
  async createdSince(content: Content, startedAt: number, how: Since): Promise<Found> {
    const since = this.#byServiceClock(startedAt, how.recovered ? RECOVERED_CLOCK_SLACK_MS : CLOCK_SLACK_MS);
    const perhaps = Math.min(since, this.#byServiceClock(startedAt, DOUBTFUL_CLOCK_SLACK_MS));
    const until = this.service.now()?.getTime() ?? this.context.clock.now();
    const { listed, unasked } = await listedSince(this.service, [perhaps, until], this.signal);
    const found = { matches: [] as DocumentBody[], doubtful: [] as DocumentBody[], complete: unasked === undefined };
    for (const row of listed.toSorted((a, b) => byId(a.id, b.id))) {
      if (madeBefore(row.createdAt, perhaps) || (await how.isKnown(row.id))) continue;
      const marked = content.marker !== undefined && markerIn(row.description) === content.marker;
      if (!marked && !how.whatever && nameHash(row.name) !== content.name) continue;
      const body = await this.#body(row.id);
      const likeness = body && (await likenessOf(body, content, () => this.firstHash(body)));
      if (!body || likeness === "other") continue;
      (likeness === "same" && !madeBefore(row.createdAt, since) ? found.matches : found.doubtful).push(body);
    }
    return found;
  }

  /** Of what was there before, the documents with the same name, bytes and invitees. */
  async alike(content: Content, earlier: Earlier): Promise<DocumentBody[]> {
    const found: DocumentBody[] = [];
    for (const { id } of earlier.named(content.name).toSorted((a, b) => byId(a.id, b.id))) {
      const body = await this.#body(id);
      if (body && (await isAlike(body, content, () => this.firstHash(body)))) found.push(body);
    }
    return found;
  }

  #byServiceClock(local: number, slack: number): number {
    const [now, here] = [this.service.now(), this.context.clock.now()];
    if (now === undefined || here < local) return Math.min(local, here) - UNKNOWN_CLOCK_SLACK_MS;
    return local + (now.getTime() - here) - slack;
  }

  #body(id: string): Promise<DocumentBody | undefined> {
    return this.service.getDocument(id, { signal: this.signal }).catch(unlessGone);
  }

  /** The hash of the PDF the document was created with; where the service keeps it to itself, of the PDF downloaded. */
  async firstHash(body: DocumentBody): Promise<string | undefined> {
    const first = [...body.files].sort((a, b) => Number(a.version) - Number(b.version))[0];
    return first && hashOfFile(first, this.service, this.signal);
  }
}

/** A file's hash, from the service's word or its bytes; undefined where neither can be had. */
export async function hashOfFile(file: FileBody, service: Service, signal: AbortSignal): Promise<string | undefined> {
  if (file.sha256) return file.sha256.toLowerCase();
  if (!file.url) return undefined;
  const digest = createHash("sha256");
  for (const withKey of [false, true]) {
    try {
      for await (const chunk of await service.download(file.url, { signal, withKey })) digest.update(chunk);
      return digest.digest("hex");
    } catch (error) {
      if (error instanceof CancelledError) throw error;
      if (!(error instanceof ServiceError)) throw error;
      if (digest.copy().digest("hex") !== EMPTY) return undefined;
    }
  }
  return undefined;
}

const EMPTY = createHash("sha256").digest("hex");

const madeBefore = (createdAt: string | null, time: number): boolean => Date.parse(createdAt ?? "") < time;

function unlessGone(error: unknown): undefined {
  if (error instanceof NotFoundError) return undefined;
  throw error;
}
