import { createHash } from "node:crypto";
import { CancelledError, NotFoundError, RefusedError, ServiceError } from "../../client/errors.js";
import type { DocumentBody, FileBody, ListedDocument, Service } from "../../client/service.js";
import type { Intent } from "../memory/journal.js";
import type { World } from "../world.js";
import { addressOf, byId } from "./document-state.js";
import { markerIn, withoutMarker } from "./marker.js";

/** What makes two creates the same, as hashes: the journal keeps no content. */
export type Content = Pick<Intent, "fingerprint" | "name" | "sha256" | "invitees" | "description" | "marker">;

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
const plain = (text: string): string => text.normalize("NFC").trim();

const nameHash = (name: string): string => hash(plain(name));
const descriptionHash = (description: string | null | undefined): string =>
  hash(plain(withoutMarker(description ?? "")));
const inviteesHash = (emails: readonly (string | null)[]): string => hash(emails.map(addressOf).sort().join("\n"));

export function contentOf(document: {
  name: string;
  description?: string | undefined;
  sha256: string;
  emails: readonly string[];
  /** Whatever else is sent and can't be compared at the service: a create that differs in it is another one. */
  rest?: string | undefined;
}): Content {
  const parts = {
    name: nameHash(document.name),
    sha256: document.sha256,
    invitees: inviteesHash(document.emails),
    description: descriptionHash(document.description),
  };
  return { ...parts, fingerprint: hash([...Object.values(parts), document.rest ?? ""].join("\n")).slice(0, 32) };
}

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
    const { listed, complete } = await this.#listed(startedAt, recovered);
    const since = this.#byServiceClock(startedAt, recovered);
    const inWindow = listed.filter(document => !(Date.parse(document.createdAt ?? "") < since));
    return { ...(await this.#sorted(content, inWindow, true)), complete };
  }

  /** Documents with the same name, bytes and invitees, whenever they were created. */
  async alike(content: Content): Promise<DocumentBody[]> {
    const listed = await this.service.listDocuments({}, { signal: this.signal });
    return (await this.#sorted(content, listed, false)).matches;
  }

  /** Documents that carry this creation marker. */
  async marked(marker: string): Promise<ListedDocument[]> {
    const listed = await this.service.listDocuments({}, { signal: this.signal });
    return listed.filter(document => markerIn(document.description) === marker);
  }

  #byServiceClock(local: number, recovered: boolean): number {
    const [now, here] = [this.service.now(), this.world.clock.now()];
    if (now === undefined || here < local) return Math.min(local, here) - UNKNOWN_CLOCK_SLACK_MS;
    return local + (now.getTime() - here) - (recovered ? RECOVERED_CLOCK_SLACK_MS : CLOCK_SLACK_MS);
  }

  /**
   * The list may be cut into pages and ordered in any way (the interface doesn't show either), so what was created
   * lately is asked for by date as well. A service without date ranges says so with a clear no; any other failure leaves
   * open what they would have shown.
   */
  async #listed(
    startedAt: number,
    recovered: boolean,
  ): Promise<{ listed: Pick<ListedDocument, "id" | "name" | "createdAt">[]; complete: boolean }> {
    let complete = true;
    const listed = await this.service.listDocuments({}, { signal: this.signal });
    const day = 24 * 3_600_000;
    const fromDate = dateOf(this.#byServiceClock(startedAt, recovered) - day);
    const toDate = dateOf((this.service.now()?.getTime() ?? this.world.clock.now()) + day);
    const dated = await Promise.all(
      (["unsigned", "partially_signed", "signed"] as const).map(status =>
        this.service
          .listDocumentsByDateRange({ fromDate, toDate, status }, { signal: this.signal })
          .catch((error: unknown) => {
            if (!(error instanceof ServiceError) || error instanceof CancelledError) throw error;
            complete &&= error instanceof NotFoundError || error instanceof RefusedError;
            return [];
          }),
      ),
    );
    const all = [...new Map([...listed, ...dated.flat()].map(document => [document.id, document])).values()];
    return { listed: all, complete };
  }

  async #sorted(
    content: Content,
    listed: readonly Pick<ListedDocument, "id" | "name">[],
    sinceACreate: boolean,
  ): Promise<Pick<Found, "matches" | "doubtful">> {
    const named = listed.filter(document => nameHash(document.name) === content.name);
    const found = { matches: [] as DocumentBody[], doubtful: [] as DocumentBody[] };
    for (const { id } of named.sort((a, b) => byId(a.id, b.id))) {
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

const EMPTY = hash("");

const dateOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);

function unlessGone(error: unknown): undefined {
  if (error instanceof NotFoundError) return undefined;
  throw error;
}
