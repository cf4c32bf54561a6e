import type { ListedDocument } from "../../client/service.js";
import type { Context } from "../context.js";
import type { Call } from "../resource.js";
import { nameHash } from "./content.js";
import { listedSince } from "./listed.js";
import { markerIn } from "./marker.js";

type Row = Pick<ListedDocument, "id">;

/** A create that another machine left unfinished is looked for among the documents of the last month, beyond a first page. */
const LOOKED_BACK_MS = 30 * 24 * 3_600_000;

/** What the service held before this run's creates, by name and by creation marker. */
export interface Earlier {
  named(hash: string): readonly Row[];
  marked(marker: string): readonly Row[];
}

/** What a run asked for is right for this long; somebody else may have created something since. */
const FRESH_MS = 5_000;

interface Asked {
  readonly at: number;
  readonly earlier: Promise<Earlier>;
}

/**
 * Asked once for all creates of a moment: what another run left is there before this one begins, and what this run
 * creates it knows itself. So ten documents alike, declared together, stay ten.
 */
export class EarlierDocuments {
  readonly #asked = new Map<string, Asked>();
  readonly #created = new Set<string>();
  readonly #promised = new Set<string>();

  constructor(private readonly context: Context) {}

  /** For one create. `crowded`: another create of the same content is on its way, and its document is its own. */
  async before(call: Call, crowded: boolean): Promise<Earlier> {
    // Between a preview and its `up` somebody may have thought about it for an hour.
    const key = `${this.context.origin()} ${call.preview}`;
    const again = this.#created.has(`${key} ${call.urn}`);
    this.#created.add(`${key} ${call.urn}`);
    const known = this.#asked.get(key);
    const now = this.context.clock.now();
    const fresh = known !== undefined && !again && (crowded || now - known.at < FRESH_MS);
    const asked = fresh ? known : { at: now, earlier: this.#ask(call) };
    this.#asked.set(key, asked);
    try {
      return await asked.earlier;
    } catch (error) {
      if (this.#asked.get(key) === asked) this.#asked.delete(key);
      // The call that asked may have been given up; the others haven't.
      if (call.signal.aborted) throw error;
      return this.#ask(call);
    }
  }

  /** In a preview: whether another resource has been told that it will have this document; from now on, one has. */
  isPromised(id: string): boolean {
    const known = this.#promised.has(id);
    this.#promised.add(id);
    return known;
  }

  async #ask({ signal }: Call): Promise<Earlier> {
    const service = this.context.service();
    const now = service.now()?.getTime() ?? this.context.clock.now();
    const { listed, unasked } = await listedSince(service, [now - LOOKED_BACK_MS, now], signal);
    if (unasked !== undefined) throw unasked;
    const names = grouped(listed, row => nameHash(row.name));
    const markers = grouped(listed, row => markerIn(row.description));
    return { named: hash => names.get(hash) ?? [], marked: marker => markers.get(marker) ?? [] };
  }
}

/** Ids only: descriptions and addresses of a whole account needn't be kept. */
function grouped<T extends Row>(rows: readonly T[], by: (row: T) => string | undefined): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = by(row);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push({ id: row.id });
    else groups.set(key, [{ id: row.id }]);
  }
  return groups;
}
