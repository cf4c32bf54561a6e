import { unreadDocument } from "../../client/bodies.js";
import { readTwice } from "../../client/documents.js";
import type { Snapshot } from "../../client/lists.js";
import type { DocumentBody } from "../../client/service.js";
import { sameText } from "../../core/same.js";
import { createdBefore } from "../absence.js";
import { type Context, type CreationPolicy, countsExisting } from "../context.js";
import type { CreatesInFlight, ExistingDocuments } from "../creates-of-a-run.js";
import { type Attempt, isImportedBeside, isMadeOf, type Journal, type Owned, type Scope } from "../journal/contract.js";
import type { CreateSituation, ResourceInState } from "../journal/deployment-log.js";
import { remediesFor } from "../refusal.js";
import type { Finding, ReplaceGuard } from "../replace-guard.js";
import type { Call } from "../resource.js";
import { Candidates, isHeldByAnother, statedHashes } from "./candidates.js";
import type { DocumentSpec } from "./content.js";
import { markerIn } from "./content.js";
import type { CheckedInputs } from "./declaration.js";
import { isOthers, Lookup, type LookupOptions, type LookupResult, matchOf, outcomeOf } from "./lookup.js";
import type { Basis, Predecessor, RememberedFacts, ServiceFacts } from "./plan.js";
import * as words from "./words.js";

/*
 * Gathers the facts that plan.ts decides a create by: `CreateFacts` asks the deployment log, the journal and the guard, then the
 * service; `Candidates` finds the documents that may be the one.
 */

const LOOKS_EVERY_MS = 100;

// ---- One create's facts ----

/** What one create is given. */
export interface CreateOptions {
  readonly context: Context;
  readonly guard: ReplaceGuard;
  readonly existing: ExistingDocuments;
  readonly inFlight: CreatesInFlight;
  readonly call: Call;
  readonly scope: Scope;
  /** Undefined while an input isn't known yet. */
  readonly spec: DocumentSpec | undefined;
  readonly inputs: CheckedInputs;
  readonly situation: CreateSituation;
  /** The document of which Diff saw unknown inputs change, and nothing else: they turned out the same. */
  readonly unchanged: ResourceInState | undefined;
}

/** Whether lists are asked for: a creation marker is looked for whatever else counts, and so is what a person names. */
const asksLists = (policy: CreationPolicy, { content }: DocumentSpec): boolean =>
  countsExisting(policy) || (policy.adopts ?? []).length > 0 || content.marker !== undefined;

/**
 * What a create replaces: what state has, and what that replaced before it. Of `certainly` none is a candidate, or a successor;
 * of `mayBeReplaced` none is what an attempt led to, or has this resource's marker.
 */
interface Replaced {
  /** What state has, or where the engine hasn't shown it, may have. */
  readonly current: readonly Predecessor[];
  /** Those of `current` that only the journal names. */
  readonly remembered: readonly Predecessor[];
  /** What state has lost, and is taken back. */
  readonly lost: readonly string[];
  /** What the predecessors themselves replaced: candidates as `history` only, never by name or because a person names them. */
  readonly history: readonly string[];
  /** Ids that this create replaces. */
  readonly certainly: readonly string[];
  /** The same, in a preview with what only the journal names: no Delete shows it there. */
  readonly mayBeReplaced: readonly string[];
}

/**
 * What only the journal names may be lost from state (`pulumi state delete`) as well as replaced by force: a create doesn't
 * see which, so it counts as another document, unless the resource is known to exist.
 */
function replacedIn({ predecessors, situation, preview }: RememberedFacts): Replaced {
  const inState = predecessors.filter(({ isInState }) => isInState);
  const leaves = situation.kind === "new" ? situation.leaves : undefined;
  const history = [...predecessors, ...(leaves ? [leaves] : [])].flatMap(({ supersedes }) => supersedes);
  const withHistory = (current: readonly Predecessor[]) => [...current.map(({ id }) => id), ...history];
  // What the journal names beside what state has is another document.
  if (inState.length > 0) {
    const certainly = withHistory(inState);
    return { current: inState, remembered: [], lost: [], history, certainly, mayBeReplaced: certainly };
  }
  const current = predecessors.filter(({ isLost }) => !isLost);
  const lost = predecessors.filter(({ isLost }) => isLost).map(({ id }) => id);
  const all = withHistory(current);
  const isCertain = situation.kind === "exists";
  return {
    ...{ current, remembered: current, lost, history },
    certainly: isCertain ? all : history,
    mayBeReplaced: isCertain || preview ? all : history,
  };
}

/** What a create asks about what is at the service, and by what. */
export interface ServiceView {
  readonly snapshot: Snapshot;
  /** Ids that are listed under the program's name. */
  readonly listed: readonly string[];
  /** What the journal knows for the same name, PDF and people. */
  readonly ofContract: readonly Owned[];
  /** What another machine sent, by what state said here of the same inputs. */
  readonly ofInputs: readonly Owned[];
  readonly lookup: Lookup;
  readonly replaced: Replaced;
  readonly spec: DocumentSpec;
}

/** What decides whether a create may be sent: what this deployment and the journal know, and what the service shows. */
export class CreateFacts {
  /** Ids that the journal knew the resource to have. */
  #owned: readonly string[] = [];

  constructor(
    private readonly options: CreateOptions,
    private readonly takenByOthers: ReadonlySet<string>,
  ) {}

  async fromMemory(): Promise<RememberedFacts> {
    const { call, context, scope, situation, spec, unchanged } = this.options;
    const { journal } = context;
    const nothing: RememberedFacts = {
      ...{ urn: call.urn, preview: call.preview, origin: scope.service, spec, situation },
      ...{ predecessors: [], shownElsewhere: [], maybeMoved: [], atOtherServices: [] },
      ...{ wanted: undefined, earlierCreate: undefined },
    };
    // Whatever the journal knows.
    const kept = situation.kind === "still-wanted" ? situation.keeps : unchanged;
    if (kept) return { ...nothing, wanted: kept };
    const isAsked = spec && asksLists(context.policy(), spec);
    // At once: a journal across a network answers all of it in one round trip, and keeps what it has read.
    await Promise.all([
      journal.refresh(),
      journal.resource(scope),
      isAsked && journal.ofContract(scope.service, spec.content),
    ]);
    const { owned: all } = await journal.resource(scope);
    this.#owned = all.map(({ id }) => id);
    const leaves = situation.kind === "new" ? situation.leaves : undefined;
    const owned = all.filter(({ id }) => id !== leaves?.id);
    // Deleted for a replacement that never came: the resource left the program, or state has lost it.
    const deletedFirst =
      situation.kind === "new" && spec ? owned.find(each => each.replaced && isMadeOf(each, spec.content)) : undefined;
    if (deletedFirst) return { ...nothing, wanted: deletedFirst };
    const isInState = (id: string) => situation.inState.some(each => each.id === id);
    const created = owned.find(({ id, shown, replaced }) => !shown && !replaced && !isInState(id));
    const earlierCreate = created && { created, replaced: spec && (await this.#predecessorOf(created)) };
    if (earlierCreate && spec) return { ...nothing, earlierCreate };
    const others = owned.filter(each => each !== created);
    return {
      ...nothing,
      earlierCreate,
      atOtherServices: await journal.atOtherServices(scope),
      predecessors: await this.#predecessors(situation.inState, others),
      ...(await this.#elsewhere()),
    };
  }

  /** Without those that another resource is shown to have. The engine creates while it still compares: for a signed one it is awaited. */
  async #elsewhere(): Promise<Pick<RememberedFacts, "shownElsewhere" | "maybeMoved">> {
    const { call, context, guard, inFlight, scope, situation, spec } = this.options;
    const { clock, journal } = context;
    // The engine has shown what it has, and so that it has none of these.
    if (situation.inState.length > 0) return { shownElsewhere: [], maybeMoved: [] };
    // What this is and whoever had it last has let go of isn't replaced: it is taken back.
    const isWantedBack = (each: Owned) => each.released && spec !== undefined && isMadeOf(each, spec.content);
    const isOpen = (each: Owned) => !isHeldByAnother(this.options, each) && !isWantedBack(each);
    const had = (await journal.shownElsewhere(scope)).filter(isOpen);
    const asked = await Promise.all(had.map(async owned => ({ owned, finding: await guard.examine(owned.id, call) })));
    // What can't be read counts as signed, but for what may be another stack's.
    const found = asked.filter(({ owned, finding }) => finding.confirmed || !owned.isLikely);
    const signed = found.filter(({ owned, finding }) => !finding.replaceable && !owned.isLikely);
    while (signed.some(({ owned }) => isOpen(owned)) && clock.now() < inFlight.waitsUntil(clock.now()))
      await clock.wait(LOOKS_EVERY_MS, call.signal);
    const { shownElsewhere = [], maybeMoved = [] } = Object.groupBy(
      found.filter(({ owned }) => isOpen(owned)),
      ({ owned }) => (owned.isLikely ? "maybeMoved" : "shownElsewhere"),
    );
    return {
      shownElsewhere: shownElsewhere.map(({ owned, finding }) => ({ ...words.shownElsewhere(owned, scope), finding })),
      maybeMoved: maybeMoved.map(({ owned, finding }) => ({ ...words.maybeMoved(owned), finding })),
    };
  }

  /** What an earlier run's document replaced, as the guard finds it now; undefined where state has let go of that. */
  async #predecessorOf({ supersedes }: Owned): Promise<Finding | undefined> {
    const { call, context, guard, scope } = this.options;
    const last = supersedes.at(-1);
    if (last === undefined) return undefined;
    const owner = await context.journal.owner(scope.service, last);
    return owner?.released && !owner.superseded ? undefined : guard.examine(last, call);
  }

  /** What this deployment or the journal knows the resource to have, as the guard finds it now. */
  async #predecessors(inState: readonly ResourceInState[], owned: readonly Owned[]): Promise<Predecessor[]> {
    const { call, context, guard, situation, spec } = this.options;
    const { adopts = [] } = context.policy();
    // State says more of a document than the journal.
    const known = new Map<string, Owned | ResourceInState>([...owned, ...inState].map(each => [each.id, each]));
    const predecessors: Predecessor[] = [];
    for (const each of known.values()) {
      const { id, supersedes } = each;
      const changed = "token" in each ? undefined : each.changed;
      const finding = await guard.examine(id, call);
      const isInState = !("token" in each);
      const isAbsent = (situation.kind === "new" && situation.exists) || adopts.includes(id);
      const isSame = !isInState && spec !== undefined && isMadeOf(each, spec.content);
      const isLost = isSame && isAbsent && finding.confirmed;
      // Of what neither state nor the service shows there is no change to take back, and nothing to remove.
      const remedies = isInState || finding.confirmed ? remediesFor(finding.remedies, changed) : [];
      predecessors.push({
        ...(isInState ? words.shownBefore(id) : words.rememberedBefore(id, each.token, finding.confirmed, isSame)),
        ...{ supersedes, changed, isInState, isLost },
        finding: { ...finding, remedies },
      });
    }
    return predecessors;
  }

  /** Nothing is asked that decides nothing: most creates have no attempt, no predecessor and nothing of their name. */
  async fromService(facts: RememberedFacts): Promise<ServiceFacts> {
    const { call, context, existing, scope, spec } = this.options;
    const { clock, journal } = context;
    const policy = context.policy();
    const { adopts = [] } = policy;
    const { predecessors } = facts;
    const owned = this.#owned;
    const nothing: ServiceFacts = {
      ...{ ownAttempt: undefined, attemptsOfOtherRuns: [], documents: [], marked: [], successors: undefined },
      ...{ basis: { owned, before: new Set() }, now: clock.now(), serviceNow: undefined, policy },
    };
    if (!spec) return nothing;
    const { attempt } = await journal.resource(scope);
    const token = attempt?.token;
    const replaced = replacedIn(facts);
    if (!attempt && !asksLists(policy, spec) && replaced.remembered.length === 0) return nothing;

    // First what became of its own attempt, then lists: what they show was there before anything is sent.
    const result = attempt && (await this.#outcome(attempt, spec, replaced.mayBeReplaced));
    const { attempts, owned: ofContract } = await this.#ofContract(spec);
    const ofInputs = await journal.ofInputs(scope.service, statedHashes(this.options));
    const knows = countsExisting(policy) ? [...attempts, ...ofContract].map(({ token }) => token) : undefined;
    const losses = journal.losses();
    const underWay = attempts.some(({ run, urn }) => run === journal.run && urn !== scope.urn);
    const snapshot = await existing.before(call, underWay);
    const basis: Basis = { owned, token, before: snapshot.ids, knows, losses, listedAt: snapshot.askedAt };
    const listed = snapshot.ofName(spec.name).map(({ id }) => id);
    // Thousands of rows of a preview: nothing bears on this one, so there is nothing to compare it with.
    const mayBeThere = [attempts, ofContract, ofInputs, listed, adopts, replaced.history].some(some => some.length > 0);
    if (!mayBeThere && !attempt && predecessors.length === 0 && spec.content.marker === undefined)
      return { ...nothing, basis };
    const view: ServiceView = { snapshot, listed, ofContract, ofInputs, lookup: this.#lookup(), replaced, spec };
    return {
      attemptsOfOtherRuns: await this.#attemptsOfOtherRuns(attempts, view),
      documents: await new Candidates(this.options, this.takenByOthers, view).sorted(),
      marked: await this.#marked(view),
      ownAttempt: attempt && result ? { attempt: { ...attempt, seenAt: journal.seenAt(attempt) }, result } : undefined,
      successors: await this.#successors(view),
      basis,
      now: clock.now(),
      serviceNow: context.service().ticks(),
      policy,
    };
  }

  /** What the journal knows of the contract. The engine creates while it still compares: a Diff that may let go of it is awaited. */
  async #ofContract({ content }: DocumentSpec): ReturnType<Journal["ofContract"]> {
    const { call, context, inFlight, scope } = this.options;
    const { clock, deploymentLog, journal } = context;
    for (;;) {
      const known = await journal.ofContract(scope.service, content);
      const isAwaited = known.owned.some(
        ({ id, released, urn }) => !released && urn !== scope.urn && deploymentLog.isAwaited(urn, id),
      );
      if (!isAwaited || clock.now() >= inFlight.waitsUntil(clock.now())) return known;
      await clock.wait(LOOKS_EVERY_MS, call.signal);
    }
  }

  /** What an earlier run's attempt came to. In a preview one look has to do. */
  async #outcome(attempt: Attempt, spec: DocumentSpec, replaced: readonly string[]): Promise<LookupResult> {
    const { call, context, situation } = this.options;
    const isInState = (id: string) => situation.inState.some(each => each.id === id);
    // Maybe only a preview has imported it: then it is still what the attempt may have led to.
    const certain = replaced.filter(id => isInState(id) || !isImportedBeside(attempt, id));
    const sent = attempt.fingerprint === spec.content.fingerprint ? spec : { content: attempt };
    const excluded = [...certain, ...attempt.supersedes];
    const lookup = this.#lookup(id => excluded.includes(id) || this.takenByOthers.has(id));
    return outcomeOf(this.options, lookup, {
      ...{ attempt, sent },
      forMs: call.preview ? 0 : context.policy().reconcileTimeoutMs,
    });
  }

  #lookup(isExcluded: LookupOptions["isExcluded"] = () => false): Lookup {
    const { call, context, scope } = this.options;
    return new Lookup({ context, scope, signal: call.signal, isExcluded });
  }

  async #attemptsOfOtherRuns(
    attempts: readonly Attempt[],
    { lookup, snapshot }: ServiceView,
  ): Promise<ServiceFacts["attemptsOfOtherRuns"]> {
    const { context, scope } = this.options;
    const { journal } = context;
    const ofOthers: ServiceFacts["attemptsOfOtherRuns"][number][] = [];
    for (const attempt of attempts) {
      if (attempt.run === journal.run || attempt.urn === scope.urn) continue;
      const absenceProven = !attempt.answered && (await lookup.provesAbsence(snapshot, attempt));
      ofOthers.push({ attempt: { ...attempt, seenAt: journal.seenAt(attempt) }, absenceProven });
    }
    return ofOthers;
  }

  async #marked({ snapshot, lookup, replaced, spec }: ServiceView): Promise<ServiceFacts["marked"]> {
    const { scope } = this.options;
    const { marker } = spec.content;
    const marked = [];
    for (const row of marker === undefined ? [] : snapshot.rows) {
      if (markerIn(row.description) !== marker || replaced.mayBeReplaced.includes(row.id)) continue;
      if (isOthers(await lookup.owner(row.id), scope)) continue;
      const body = (await lookup.read(row.id)) ?? unreadDocument(row);
      // The marker tells the resource, and what it was made of.
      const same = body.isUnread
        ? sameText(spec.name, row.name)
        : (await matchOf(body, spec, () => lookup.firstHash(body))) === "same";
      marked.push({ body, same });
    }
    return marked;
  }

  /** Newer documents of the same name that nobody in this program has: one of them may be what state has by now. */
  async #successors({ snapshot, listed, lookup, replaced }: ServiceView): Promise<ServiceFacts["successors"]> {
    const { call, context } = this.options;
    const { remembered } = replaced;
    if (remembered.length === 0) return undefined;
    const oldest = Math.min(...remembered.map(({ finding }) => finding.createdAt ?? 0));
    const documents: DocumentBody[] = [];
    for (const id of listed) {
      if (
        [...replaced.certainly, ...replaced.lost].includes(id) ||
        isHeldByAnother(this.options, await lookup.owner(id))
      )
        continue;
      const body = await readTwice(context.service(), id, call.signal);
      if (!createdBefore(body, oldest)) documents.push(body);
    }
    const proven = remembered.every(({ finding }) =>
      snapshot.provesNoSignedSince(finding.createdAt ?? Number.NEGATIVE_INFINITY),
    );
    return { documents, proven };
  }
}
