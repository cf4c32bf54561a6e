import type { ListedDocument } from "../../client/service.js";
import type { Call } from "../resource.js";
import type { World } from "../world.js";
import { nameHash } from "./content.js";
import { listedSince } from "./listed.js";
import { markerIn } from "./marker.js";

type Row = Pick<ListedDocument, "id" | "name">;

/** A create that another machine left unfinished is looked for among the documents of the last month, beyond a first page. */
const LOOKED_BACK_MS = 30 * 24 * 3_600_000;

/** What the service held before this run's creates, by name and by creation marker. */
export interface Earlier {
  named(hash: string): readonly Row[];
  marked(marker: string): readonly Row[];
}

/**
 * Asked once a run for all of its creates: what another run left is there before this one begins, and what this run
 * creates it knows itself. So ten documents alike, declared together, stay ten.
 */
export class EarlierDocuments {
  readonly #asked = new Map<string, Promise<Earlier>>();

  constructor(private readonly world: World) {}

  async before(call: Call): Promise<Earlier> {
    // Between a preview and its `up` somebody may have thought about it for an hour.
    const key = `${this.world.origin()} ${call.preview}`;
    const asked = this.#asked.get(key) ?? this.#ask(call);
    this.#asked.set(key, asked);
    try {
      return await asked;
    } catch (error) {
      if (this.#asked.get(key) === asked) this.#asked.delete(key);
      // The call that asked may have been given up; the others haven't.
      if (call.signal.aborted) throw error;
      return this.#ask(call);
    }
  }

  async #ask({ signal }: Call): Promise<Earlier> {
    const service = this.world.service();
    const now = service.now()?.getTime() ?? this.world.clock.now();
    const { listed, unasked } = await listedSince(service, [now - LOOKED_BACK_MS, now], signal);
    if (unasked !== undefined) throw unasked;
    const names = grouped(listed, row => nameHash(row.name));
    const markers = grouped(listed, row => markerIn(row.description));
    return { named: hash => names.get(hash) ?? [], marked: marker => markers.get(marker) ?? [] };
  }
}

function grouped<T>(rows: readonly T[], by: (row: T) => string | undefined): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const key = by(row);
    if (key !== undefined) groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return groups;
}
