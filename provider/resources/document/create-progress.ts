import type { Context } from "../context.js";
import type { Attempt, Scope } from "../journal/contract.js";
import type { ReplaceGuard } from "../replace-guard.js";
import type { Call } from "../resource.js";
import { cancelledCreate } from "./create-refusals.js";
import type { CreatesInFlight, Flight } from "./creates-in-flight.js";
import type { ExistingDocuments } from "./existing-documents.js";
import { type Looked, Lookup } from "./lookup.js";
import type { Sent } from "./match.js";
import type { DocumentSpec } from "./spec.js";

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 4_000;

export interface CreateOptions {
  readonly context: Context;
  readonly guard: ReplaceGuard;
  readonly existing: ExistingDocuments;
  readonly inFlight: CreatesInFlight;
  readonly call: Call;
  readonly scope: Scope;
  /** Undefined while an input isn't known yet. */
  readonly spec: DocumentSpec | undefined;
}

/** What one create has learned, shared by those who look and those who send. */
export class CreateProgress {
  /** What was listed before anything was sent. */
  before: ReadonlySet<string> = new Set();
  supersedes: readonly string[] = [];
  /** Documents that this create was to take over, and that another one took first. */
  readonly lost = new Set<string>();
  /** Ids that the resource was known to hold when this create began. */
  owned: readonly string[] = [];
  /** Tokens of what the journal had of this content when this create was decided; undefined where that doesn't matter. */
  knows: readonly string[] | undefined;
  /** How often the journal had lost something when this create was decided; undefined where that doesn't matter. */
  losses: number | undefined;
  /** When the lists were asked for that this create was decided on, by this machine's clock; undefined where none were. */
  listedAt: number | undefined;
  /** How often they were too old when its turn came. */
  tooOld = 0;
  /** This create, once it is sent. */
  flight: Flight | undefined;
  /** The attempt that this create goes on from. */
  attempt: string | undefined;

  constructor(readonly options: CreateOptions) {}

  lookup({ replaced = this.supersedes, signal = this.options.call.signal } = {}): Lookup {
    const { context, scope, spec } = this.options;
    const known = (id: string) => replaced.includes(id) || this.before.has(id) || this.lost.has(id);
    // Nothing was listed before this create was sent: an older document may be anybody's.
    const unlisted = context.policy().duplicatePolicy === "create";
    return new Lookup({
      context,
      service: context.service(),
      scope,
      signal,
      known,
      unlisted,
      inFolder: spec?.folderId !== undefined,
    });
  }

  /** Looks until `look` has an answer or `until` has passed, with pauses that grow. */
  async poll<T>(
    until: number,
    look: (turn: { readonly first: boolean; readonly last: boolean }) => Promise<T | undefined>,
  ): Promise<T> {
    const { clock } = this.options.context;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const last = clock.now() >= until;
      const found = await look({ first: pause === FIRST_PAUSE_MS, last });
      if (found !== undefined) return found;
      await this.wait(Math.min(pause, Math.max(0, until - clock.now())));
    }
  }

  /** One look. The last one is at any name, and again once the creates of this run that may have made what fits are over. */
  async look(lookup: Lookup, attempt: Attempt, sent: Sent, last: boolean): Promise<Looked> {
    const { call, context, inFlight } = this.options;
    for (;;) {
      const looked = await lookup.once(attempt, sent, { anyName: last });
      if (!last || looked.kind !== "ambiguous") return looked;
      const others = inFlight.othersThatMade(looked.documents, this.flight);
      if (others.length > 0) call.log.progress("documents like this one are being created: waiting for their outcome");
      await context.journal.refresh();
      const taken = await Promise.all(looked.documents.map(({ id }) => lookup.isTaken(id)));
      if (others.length === 0 && !taken.includes(true)) return looked;
      await Promise.all(others);
    }
  }

  wait(milliseconds: number): Promise<void> {
    const { call, context } = this.options;
    return context.clock.wait(milliseconds, call.signal).catch(() => {
      throw cancelledCreate(call.urn);
    });
  }
}
