import type { Context } from "../context.js";
import type { Call } from "../resource.js";
import { type Snapshot, takeSnapshot } from "./listing.js";

/** A document that another machine left unfinished is looked for by date among those of the last month. */
const LOOKED_BACK_MS = 30 * 24 * 3_600_000;
/** Somebody else may have created something since an older snapshot. */
const FRESH_MS = 5_000;

/** What lists showed, and when they were asked for, by this machine's clock. */
export type Listed = Snapshot & { readonly askedAt: number };

interface Asked {
  readonly at: number;
  /** How often the journal had lost something by then. */
  readonly losses: number;
  readonly snapshot: Promise<Listed>;
}

/** What was at the service before this run's creates. Asked once for all creates of a moment. */
export class ExistingDocuments {
  readonly #asked = new Map<string, Asked>();
  /** What was there before this run sent anything. */
  readonly #first = new Map<string, ReadonlySet<string>>();
  readonly #seen = new Set<string>();
  readonly #promised = new Set<string>();

  constructor(private readonly context: Context) {}

  /** `underWay`: another create of the same content is in flight in this run, and its document is its own. */
  async before(call: Call, underWay: boolean): Promise<Listed> {
    // Hours may pass between a preview and its `up`.
    const key = `${this.context.origin()} ${call.preview}`;
    const again = this.#seen.has(`${key} ${call.urn}`);
    this.#seen.add(`${key} ${call.urn}`);
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

  async #ask({ signal }: Call): Promise<Listed> {
    const service = this.context.service();
    const askedAt = this.context.clock.now();
    const now = service.now()?.getTime() ?? askedAt;
    return { ...(await takeSnapshot(service, [now - LOOKED_BACK_MS, now], signal)), askedAt };
  }
}
