import { firstHash } from "../../client/files.js";
import type { DocumentBody } from "../../client/service.js";
import { CLOCKS_APART_MS } from "../absence.js";
import { type Context, countsExisting } from "../context.js";
import { type ContentHashes, contentHashesOf, contractOf, isImportedBeside, type Scope } from "../journal/contract.js";
import type { Call } from "../resource.js";
import { isStatelessUrn } from "../urn.js";
import type { DocumentSpec } from "./content.js";
import type { DocumentState } from "./declaration.js";
import { Lookup, matchOf } from "./lookup.js";
import * as words from "./words.js";

/** What the journal knows of a Document's document beside a create. A journal that fails here fails nothing. */
export class DocumentMemory {
  /** Id of a document that was read as an import → what it was made of. */
  readonly #attempted = new Map<string, string>();

  constructor(private readonly context: Context) {}

  /** A replacement that an earlier run began: with nothing to change, no Create comes that would look for it. */
  async warnOfUnfinished(call: Call, scope: Scope, id: string): Promise<void> {
    const remembered = scope.service === "" ? undefined : await this.#resource(scope);
    if (!remembered) return;
    const { attempt: open } = remembered;
    const attempt = open && isImportedBeside(open, id) ? undefined : open;
    // Made for this resource in place of this one, or not known to be in state, and not by this deployment.
    const others = remembered.owned.filter(
      other =>
        other.id !== id &&
        !isImportedBeside(other, id) &&
        (!other.shown || other.supersedes.includes(id)) &&
        !this.context.deploymentLog.hasCreated(scope.urn, other.id),
    );
    if (!attempt && others.length === 0) return;
    const [token = ""] = [...others.map(other => other.token), attempt?.token];
    const said = (tokens: string) => words.unfinishedReplacement(id, others, tokens);
    call.log.warn(said(token), undefined, { token, words: said });
  }

  /** What the engine shows of state, for a later run to know. */
  async show(
    scope: Scope,
    id: string,
    supersedes: readonly string[],
    how: {
      readonly imported?: boolean;
      readonly undecided?: true | undefined;
      readonly fingerprint?: string | undefined;
      readonly followed?: ContentHashes["followed"];
      readonly stated?: string | undefined;
    } = {},
  ): Promise<void> {
    if (scope.service === "" || isStatelessUrn(scope.urn)) return;
    const besides = this.context.deploymentLog.situationOf(scope.urn).inState.map(each => each.id);
    await this.context.journal.show(scope, id, { supersedes, ...how, besides }).catch(() => undefined);
  }

  /** It is what the program says, though it wasn't made of that. */
  async follow(
    scope: Scope,
    { documentId = "", supersedes = [] }: DocumentState,
    { content }: DocumentSpec,
  ): Promise<void> {
    const { fingerprint } = content;
    await this.show(scope, documentId, supersedes, { followed: { fingerprint, contract: contractOf(content) } });
  }

  /**
   * Ends a create without a known outcome where state has the document that it led to, by the service's word: another machine
   * has taken that over. What it was to replace may be exactly alike, and isn't it.
   */
  async settle(call: Call, scope: Scope, id: string): Promise<void> {
    const { context } = this;
    const attempt = scope.service === context.origin() ? (await this.#resource(scope))?.attempt : undefined;
    // An import may be a preview's, so the journal ends it later.
    if (!attempt || attempt.supersedes.includes(id) || isImportedBeside(attempt, id)) return;
    const mayBeIt = attempt.hints.length === 0 ? countsExisting(context.policy()) : attempt.hints.includes(id);
    if (!mayBeIt) return;
    const lookup = new Lookup({ context, scope, signal: call.signal, isExcluded: () => false });
    const body = await lookup.readOnce(id).catch(() => undefined);
    const isNewer = body && lookup.timeOf(attempt).isKnown() && !lookup.timeOf(attempt).isBefore(body);
    if (!isNewer || (await matchOf(body, { content: attempt }, () => lookup.firstHash(body))) !== "same") return;
    const { supersedes } = attempt;
    await context.journal.claim(scope, id, { ...contentHashesOf(attempt), supersedes }).catch(() => undefined);
  }

  /** The content of a create without a known outcome, where an imported document may be what it led to. */
  async attempted(call: Call, scope: Scope, document: DocumentBody): Promise<string | undefined> {
    const attempt = (await this.#resource(scope))?.attempt;
    if (!attempt || Date.parse(document.createdAt ?? "") < attempt.startedAt - CLOCKS_APART_MS) return undefined;
    const hash = () => firstHash(document, this.context.service(), call.signal);
    if ((await matchOf(document, { content: attempt }, hash)) === "other") return undefined;
    this.#attempted.set(`${scope.urn} ${document.id}`, attempt.fingerprint);
    return attempt.fingerprint;
  }

  /** What a document that was imported was made of, where this resource sent it. */
  async fingerprint(scope: Scope, id: string): Promise<string | undefined> {
    const owned = (await this.#resource(scope))?.owned;
    return owned?.find(each => each.id === id)?.fingerprint ?? this.#attempted.get(`${scope.urn} ${id}`);
  }

  #resource(scope: Scope) {
    return this.context.journal.resource(scope).catch(() => undefined);
  }
}
