import { createHash } from "node:crypto";
import { CancelledError, NotFoundError, ServiceError } from "../../client/errors.js";
import type { DocumentBody, FileBody, ListedDocument, Service } from "../../client/service.js";
import type { World } from "../world.js";
import { type Content, descriptionHash, inviteesHash, nameHash } from "./content.js";
import { byId } from "./document-state.js";
import type { Earlier } from "./earlier.js";
import { type Listed, listedSince } from "./listed.js";
import { markerIn } from "./marker.js";

export interface Found {
  readonly matches: DocumentBody[];
  /** Of that name and for those people, but with a PDF that can't be read or is another: no telling whose they are. */
  readonly doubtful: DocumentBody[];
  /** Whether every place to look could be asked: only then is nothing found a proof. */
  readonly complete: boolean;
}

/** The services' clock may stamp a document a moment before our first look at that clock says the request began. */
const CLOCK_SLACK_MS = 2_000;
/** A clock may have been set, or the journal carried to another machine, since a run that was interrupted. */
const RECOVERED_CLOCK_SLACK_MS = 5 * 60_000;
/** Without a word from the service about its clock, a day either way is possible. */
const UNKNOWN_CLOCK_SLACK_MS = 24 * 3_600_000;

/** Looks for documents of some content at the service: lists first, then each candidate's PDF, invitees and description. */
export class Lookup {
  constructor(
    private readonly service: Service,
    private readonly world: World,
    private readonly signal: AbortSignal,
  ) {}

  /** Documents that can have come of a create that began at `startedAt` by this machine's clock; lowest id first. */
  async createdSince(content: Content, startedAt: number, { recovered = false } = {}): Promise<Found> {
    const { listed, unasked } = await this.#listed(startedAt, recovered);
    const since = this.#byServiceClock(startedAt, recovered);
    const inWindow = listed.filter(document => !(Date.parse(document.createdAt ?? "") < since));
    return { ...(await this.#sorted(content, inWindow, true)), complete: unasked === undefined };
  }

  /** Of what was there before, the documents with the same name, bytes and invitees. */
  async alike(content: Content, earlier: Earlier): Promise<DocumentBody[]> {
    return (await this.#sorted(content, earlier.named(content.name), false)).matches;
  }

  #byServiceClock(local: number, recovered: boolean): number {
    const [now, here] = [this.service.now(), this.world.clock.now()];
    if (now === undefined || here < local) return Math.min(local, here) - UNKNOWN_CLOCK_SLACK_MS;
    return local + (now.getTime() - here) - (recovered ? RECOVERED_CLOCK_SLACK_MS : CLOCK_SLACK_MS);
  }

  #listed(startedAt: number, recovered: boolean): Promise<Listed> {
    const until = this.service.now()?.getTime() ?? this.world.clock.now();
    return listedSince(this.service, [this.#byServiceClock(startedAt, recovered), until], this.signal);
  }

  async #sorted(
    content: Content,
    listed: readonly Pick<ListedDocument, "id" | "name">[],
    sinceACreate: boolean,
  ): Promise<Pick<Found, "matches" | "doubtful">> {
    const named = listed.filter(document => nameHash(document.name) === content.name);
    const found = { matches: [] as DocumentBody[], doubtful: [] as DocumentBody[] };
    for (const { id } of named.toSorted((a, b) => byId(a.id, b.id))) {
      const body = await this.service.getDocument(id, { signal: this.signal }).catch(unlessGone);
      const likeness = body && (await this.#likeness(body, content, sinceACreate));
      if (body && likeness === "same") found.matches.push(body);
      if (body && likeness === "doubtful") found.doubtful.push(body);
    }
    return found;
  }

  async #likeness(body: DocumentBody, content: Content, sinceACreate: boolean): Promise<"same" | "doubtful" | "other"> {
    const marker = markerIn(body.description);
    if (marker !== undefined && marker === content.marker) return "same";
    // Another resource's mark, or one where we set none: whatever else fits, another create made it.
    if (sinceACreate && marker !== undefined) return "other";
    if (inviteesHash(body.invitations.map(invitation => invitation.email)) !== content.invitees) return "other";
    // A service that keeps descriptions to itself says nothing about this one.
    const told = body.description !== null;
    if (sinceACreate && told && descriptionHash(body.description) !== content.description) return "other";
    return (await this.firstHash(body)) === content.sha256 ? "same" : "doubtful";
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

function unlessGone(error: unknown): undefined {
  if (error instanceof NotFoundError) return undefined;
  throw error;
}
