import { CancelledError, ForbiddenError, NotFoundError } from "../client/errors.js";
import type { Service } from "../client/service.js";
import { messageOf, oneLine } from "../core/text.js";
import type { Context } from "./context.js";
import type { DeleteSituation, Waiting } from "./journal/deployment-log.js";
import { assertSameService, NOT_KNOWN_YET, Refusal, type RefusalParts, type Remedy, remediesFor } from "./refusal.js";
import type { Call } from "./resource.js";

/** Whether the service, asked now, lets this be replaced. */
export interface Finding {
  readonly replaceable: boolean;
  /** The service showed it. False: it couldn't be read, so nothing is known. */
  readonly confirmed: boolean;
  /** `document 4711 "NDA" is partially signed`. */
  readonly headline: string;
  /** Who signed when, what is inside: one line each. */
  readonly details: readonly string[];
  readonly remedies: readonly Remedy[];
  /** Addresses of those who have signed, where the program doesn't keep them secret. */
  readonly signed?: readonly string[];
  /** Hash of its content, where it has one: a notice says when a replacement changes it. */
  readonly sha256?: string | undefined;
  readonly createdAt?: number | undefined;
}

/** What the guard has to know of a kind of resource. */
export interface GuardedKind {
  /** `document`, `folder`. */
  readonly kind: string;
  /** The cause of a refusal where the service showed what is in the way. */
  readonly cause: RefusalParts["cause"];
  readonly remedies: readonly Remedy[];
  examine(service: Service, id: string, call: Call): Promise<Omit<Finding, "confirmed" | "remedies">>;
}

/** Why it is to be replaced. */
export interface Reason {
  /** Names of the inputs that it is for; none where it is forced. */
  readonly changed?: readonly string[] | undefined;
  /** The same for people. */
  readonly inWords?: readonly string[] | undefined;
  /** Their values aren't known yet: they may turn out to be the same. */
  readonly isUncertain?: boolean | undefined;
}

/** What a Delete comes to. `by`: the URN whose Create follows. `kept`: a Create has taken it again. */
export type Deletion = { readonly kind: "kept" | "removed" } | { readonly kind: "replaced"; readonly by: string };

/** What a finding refuses. `because`: why it is about to be replaced. */
export const notReplaced = (
  finding: Finding,
  cause: RefusalParts["cause"],
  { because, remedies = [] }: { readonly because: string; readonly remedies?: readonly Remedy[] },
): RefusalParts => ({
  cause: finding.confirmed ? cause : "replace-unconfirmed",
  headline: oneLine(finding.headline),
  ending: ", so it is not replaced. No one was mailed.",
  details: [because, ...finding.details.map(oneLine)],
  remedies: [...remedies, ...finding.remedies],
  signed: finding.signed ?? [],
});

/** The replace guard: only what the service confirms to be free is replaced, whatever made the engine try. */
export class ReplaceGuard {
  constructor(
    private readonly context: Context,
    private readonly guarded: GuardedKind,
  ) {}

  /** Refuses a replacement of what the service doesn't show to be free. */
  async assertReplaceable(
    call: Call,
    id: string,
    { changed = [], isUncertain, inWords = changed }: Reason,
    service?: Service,
  ): Promise<void> {
    const found = await this.examine(id, call, service);
    if (found.replaceable) return;
    const what = inWords.join(", ");
    const [because, remedies]: [string, readonly Remedy[]] =
      what === ""
        ? ["a replacement of it was asked for", [{ kind: "untaint" }, ...found.remedies]]
        : isUncertain
          ? [
              `${what}: not known before what it comes from is replaced`,
              found.confirmed ? NOT_KNOWN_YET : found.remedies,
            ]
          : [`changed: ${what}`, remediesFor(found.remedies, changed)];
    throw new Refusal(notReplaced({ ...found, remedies }, this.guarded.cause, { because }), call.urn);
  }

  /** From Delete: what becomes of it. What is replaced must be free to be. */
  async beforeDeleting(
    call: Call,
    id: string,
    origin: string,
    situation: DeleteSituation,
    likely: (waiting: readonly Waiting[]) => string | undefined,
  ): Promise<Deletion> {
    const what = `${this.guarded.kind} ${id}`;
    switch (situation.kind) {
      case "kept":
      case "removed":
        return { kind: situation.kind };
      case "first-half":
        assertSameService(this.context, origin, what, call.urn);
        // Of one that is still wanted, the Create that follows keeps it.
        if (!situation.isStillWanted) await this.assertReplaceable(call, id, situation);
        return { kind: "replaced", by: call.urn };
      case "renamed": {
        assertSameService(this.context, origin, what, call.urn);
        // Also where no successor is likely: one that is forced may have nothing in common with it.
        await this.assertReplaceable(call, id, {});
        const by = situation.as ?? likely(situation.waiting) ?? (situation.isOthers ? undefined : call.urn);
        return by === undefined ? { kind: "removed" } : { kind: "replaced", by };
      }
    }
  }

  /** What the service shows of an id now. What can't be read is not free to replace. */
  async examine(id: string, call: Call, service?: Service): Promise<Finding> {
    const { kind, remedies } = this.guarded;
    try {
      const found = await this.guarded.examine(service ?? this.context.service(), id, call);
      return { ...found, confirmed: true, remedies };
    } catch (error) {
      if (error instanceof CancelledError) throw error;
      const hidden = (error instanceof NotFoundError && error.json) || error instanceof ForbiddenError;
      return {
        replaceable: false,
        confirmed: false,
        headline: `could not confirm that ${kind} ${id} is safe to replace`,
        details: [
          messageOf(error),
          ...(hidden ? ["the service can't delete documents or folders, so this is no sign that it is gone"] : []),
        ],
        remedies: [...remedies, ...(hidden ? [{ kind: "state-delete" } satisfies Remedy] : [])],
      };
    }
  }
}
