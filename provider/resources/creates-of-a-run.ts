import { type Snapshot, takeSnapshot } from "../client/lists.js";
import type { DocumentBody } from "../client/service.js";
import { sameText } from "../core/same.js";
import type { Context } from "./context.js";
import type { Scope } from "./journal/contract.js";
import type { Call } from "./resource.js";

/*
 * What the creates of one run share: what lists showed before any of them (`ExistingDocuments`), and which of them are sent
 * and have no outcome yet (`CreatesInFlight`).
 */

// ---- What was there before ----

/** A document that another machine left unfinished is looked for by date among those of the last month. */
const LOOKED_BACK_MS = 30 * 24 * 3_600_000;
/** Somebody else may have created something since an older snapshot. */
const FRESH_MS = 5_000;

/** What lists showed, and when they were asked for, by this machine's clock. */
type DatedSnapshot = Snapshot & { readonly askedAt: number };

/** What the creates of one preview, or of its `up`, were shown: hours may pass between the two. */
interface AskedLists {
  /** What was there before anything was sent. */
  first?: ReadonlySet<string>;
  /** Asked for last. */
  last?:
    | {
        readonly at: number;
        /** How often the journal had lost something by then. */
        readonly losses: number;
        readonly snapshot: Promise<DatedSnapshot>;
      }
    | undefined;
  /** URNs that asked for them. */
  readonly askedBy: Set<string>;
}

/** What was at the service before this run's creates. Asked once for all creates of a moment. */
export class ExistingDocuments {
  readonly #lists = new Map<string, AskedLists>();
  /** Id → URN. */
  readonly #promised = new Map<string, string>();

  constructor(private readonly context: Context) {}

  /** `underWay`: another create of the same content is in flight in this run, and its document is its own. */
  async before(call: Call, underWay: boolean): Promise<DatedSnapshot> {
    const lists = this.#listsOf(call);
    const { last, askedBy } = lists;
    const again = askedBy.has(call.urn);
    askedBy.add(call.urn);
    const now = this.context.clock.now();
    const losses = this.context.journal.losses();
    const isFresh = last?.losses === losses && !again && (underWay || now - last.at < FRESH_MS);
    const asked = isFresh ? last : { at: now, losses, snapshot: this.#ask(call, now) };
    lists.last = asked;
    try {
      const snapshot = await asked.snapshot;
      lists.first ??= snapshot.ids;
      return snapshot;
    } catch (error) {
      if (lists.last === asked) lists.last = undefined;
      // The call that asked may have been cancelled; the others weren't.
      if (call.signal.aborted) throw error;
      return this.#ask(call, this.context.clock.now());
    }
  }

  /** Whether it was listed before this run sent anything. */
  wasThere(call: Call, id: string): boolean {
    return this.#listsOf(call).first?.has(id) ?? false;
  }

  #listsOf({ preview }: Call): AskedLists {
    const key = `${this.context.origin()} ${preview}`;
    const lists = this.#lists.get(key) ?? { askedBy: new Set() };
    this.#lists.set(key, lists);
    return lists;
  }

  /** In a preview: takes this document over, unless another resource already does. */
  promise({ urn }: Pick<Scope, "urn">, id: string): boolean {
    const taker = this.#promised.get(id) ?? urn;
    this.#promised.set(id, taker);
    return taker === urn;
  }

  async #ask({ signal }: Call, askedAt: number): Promise<DatedSnapshot> {
    const service = this.context.service();
    const now = service.now()?.getTime() ?? askedAt;
    return Object.assign(await takeSnapshot(service, [now - LOOKED_BACK_MS, now], signal), { askedAt });
  }
}

// ---- What is in flight ----

export interface Flight {
  readonly name: string;
  readonly over: PromiseWithResolvers<void>;
  /** It waits for others itself. */
  waits: boolean;
}

/** By then a program has registered what doesn't wait for anything: what leaves later needs `dependsOn`. */
const SHOWN_WITHIN_MS = 10_000;

/** The creates of this run that were sent and whose outcome isn't known yet. */
export class CreatesInFlight {
  readonly #flights = new Set<Flight>();
  readonly #taken = new Set<string>();
  #waitsUntil: number | undefined;

  /** Until when a create of this process waits for other resources to be shown: the first one says. */
  waitsUntil(now: number): number {
    this.#waitsUntil ??= now + SHOWN_WITHIN_MS;
    return this.#waitsUntil;
  }

  /** Where the journal can't be asked: whether no other create of this process has taken this document. */
  take(id: string): boolean {
    const isFree = !this.#taken.has(id);
    this.#taken.add(id);
    return isFree;
  }

  begin(name: string): Flight {
    const flight = { name, over: Promise.withResolvers<void>(), waits: false };
    this.#flights.add(flight);
    return flight;
  }

  end(flight: Flight): void {
    flight.over.resolve();
    this.#flights.delete(flight);
  }

  /** The others that one of these documents may belong to, by its name. No two creates wait for each other. */
  othersThatMade(documents: readonly DocumentBody[], own: Flight | undefined): Promise<void>[] {
    const others = [...this.#flights].filter(
      each => each !== own && !each.waits && documents.some(body => sameText(each.name, body.name)),
    );
    if (own && others.length > 0) own.waits = true;
    return others.map(({ over }) => over.promise);
  }
}
