import type { DocumentBody } from "../../client/service.js";
import type { Context } from "../context.js";
import type { Owned, Scope } from "../journal/contract.js";
import { stackOf } from "../journal/names.js";
import type { Call } from "../resource.js";
import { isStatelessUrn } from "../urn.js";
import { CLOCKS_APART_MS } from "./clocks.js";
import { firstHash } from "./lookup.js";
import { matchOf } from "./match.js";

/** What the journal remembers of a document beside its create. A journal that fails here fails nothing. */
export class DocumentMemory {
  /** Id of a document that was read as an import → what it was made of. */
  readonly #attempted = new Map<string, string>();

  constructor(private readonly context: Context) {}

  /** A replacement that an earlier run began: with nothing to change, no Create comes that would look for it. */
  async warnOfUnfinished(call: Call, scope: Scope, id: string): Promise<void> {
    if (scope.service === "") return;
    const { journal, deploymentLog } = this.context;
    const remembered = await journal.resource(scope).catch(() => undefined);
    if (!remembered) return;
    const { created } = deploymentLog.page(scope.urn);
    const { attempt, owned } = remembered;
    const isSuccessor = (thing: Owned) => !thing.shown || thing.supersedes.includes(id);
    const others = owned.filter(thing => thing.id !== id && isSuccessor(thing) && !created.includes(thing.id));
    if (!attempt && others.length === 0) return;
    const which = others.length > 0 ? `: ${others.map(thing => `document ${thing.id}`).join(", ")}` : "";
    const [token] = [...others.map(thing => thing.token), attempt?.token];
    call.log.warn(
      `an earlier run began to create another document in place of document ${id} and was interrupted${which}. It may be at the service: look on the platform. ` +
        `Asking for that replacement again takes it over and mails no one. To hear no more of it: DOCSIGN_FORGET=${token} pulumi up`,
    );
  }

  /** What the engine shows of state, for a later run to know. */
  async show(
    scope: Scope,
    id: string,
    supersedes: readonly string[],
    { imported = false, fingerprint }: { imported?: boolean; fingerprint?: string | undefined } = {},
  ): Promise<void> {
    if (scope.service === "" || isStatelessUrn(scope.urn)) return;
    const besides = Object.keys(this.context.deploymentLog.page(scope.urn).diffed);
    await this.context.journal.show(scope, id, { supersedes, imported, fingerprint, besides }).catch(() => undefined);
  }

  /** The content of a create without a known outcome, where an imported document may be what it led to. */
  async attempted(call: Call, scope: Scope, document: DocumentBody): Promise<string | undefined> {
    const remembered = await this.context.journal.resource(scope).catch(() => undefined);
    const attempt = remembered?.attempt;
    if (!attempt || Date.parse(document.createdAt ?? "") < attempt.startedAt - CLOCKS_APART_MS) return undefined;
    const match = await matchOf(document, { content: attempt }, () =>
      firstHash(document, this.context.service(), call.signal),
    );
    if (match === "other") return undefined;
    this.#attempted.set(`${scope.urn} ${document.id}`, attempt.fingerprint);
    return attempt.fingerprint;
  }

  /** What a document that was imported was made of, where this resource sent it. */
  async fingerprint(scope: Scope, id: string): Promise<string | undefined> {
    const remembered = await this.context.journal.resource(scope).catch(() => undefined);
    return remembered?.owned.find(thing => thing.id === id)?.fingerprint ?? this.#attempted.get(`${scope.urn} ${id}`);
  }

  /**
   * Under which URN state lets go of an id. The journal may have it under another: `pulumi do` without a stack gives the
   * same URN to every document, and a resource that was renamed is known by its old name until Diff shows it. What
   * another resource was given, or holds in this program, stays that one's.
   */
  async owning(scope: Scope, id: string): Promise<Scope> {
    const { journal, deploymentLog } = this.context;
    const owner = await journal.owner(scope.service, id).catch(() => undefined);
    if (!owner || owner.released || owner.urn === scope.urn) return scope;
    const isRenamed = stackOf(owner.urn) === stackOf(scope.urn) && !owner.moved && !deploymentLog.holds(owner.urn, id);
    const isOwn = isStatelessUrn(scope.urn) ? owner.urn.startsWith(`${scope.urn}::`) : isRenamed;
    return isOwn ? { ...scope, urn: owner.urn } : scope;
  }
}
