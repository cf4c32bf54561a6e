import { own } from "../../../kit/records.js";
import { byId, unreadDocument } from "../../client/bodies.js";
import { readTwice } from "../../client/documents.js";
import type { Snapshot } from "../../client/lists.js";
import type { DocumentBody } from "../../client/service.js";
import { sameText } from "../../core/same.js";
import { createdBefore } from "../absence.js";
import { type Context, type CreationPolicy, countsExisting } from "../context.js";
import type { CreatesInFlight, ExistingDocuments } from "../creates-of-a-run.js";
import { type Attempt, type Owned, type Scope, shortNameHash } from "../journal/contract.js";
import type { CreateSituation, ResourceInState } from "../journal/deployment-log.js";
import { remediesFor } from "../refusal.js";
import type { Finding, ReplaceGuard } from "../replace-guard.js";
import type { Call } from "../resource.js";
import { resourceOf } from "../urn.js";
import { contentHash, markerIn, shortHash } from "./content.js";
import { type CheckedInputs, hashesOf } from "./declaration.js";
import {
  agreesInPeople,
  isInFolderOf,
  isOthers,
  isPlaced,
  Lookup,
  type LookupOptions,
  type LookupResult,
  matchOf,
  outcomeOf,
} from "./lookup.js";
import {
  type Candidate,
  candidateOf,
  type Holder,
  isFree,
  type KnownDocument,
  type MadeOf,
  type Predecessor,
  type RememberedFacts,
  type ServiceFacts,
  type Source,
} from "./plan.js";
import type { DocumentSpec } from "./state.js";
import * as words from "./words.js";

/*
 * Gathers the facts that plan.ts decides a create by: `CreateFacts` asks the deployment log, the journal and the guard, then the
 * service; `Candidates` finds the documents that may be the one.
 */

// ---- One create's facts ----

/** What a create was decided on, beside facts of its plan: the journal is asked about it once more when it is sent. */
export interface Basis {
  /** Ids that the resource was known to have. */
  readonly owned: readonly string[];
  /** The resource's attempt that this create goes on from. */
  readonly token?: string | undefined;
  /** What was listed before anything was sent. */
  readonly before: ReadonlySet<string>;
  /** Tokens of what the journal had of this content; undefined where that doesn't matter. */
  readonly knows?: readonly string[] | undefined;
  /** How often the journal had lost something by then; undefined where that doesn't matter. */
  readonly losses?: number | undefined;
  /** When the lists were asked for, by this machine's clock; undefined where none were. */
  readonly listedAt?: number | undefined;
}

/** What the service shows, and what is asked about once more. */
interface GatheredFacts extends ServiceFacts {
  readonly basis: Basis;
}

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
  const history = predecessors.flatMap(({ supersedes }) => supersedes);
  const withHistory = (current: readonly Predecessor[]) => [...current.map(({ id }) => id), ...history];
  // What the journal names beside what state has is another document.
  if (inState.length > 0) {
    const certainly = withHistory(inState);
    return { current: inState, remembered: [], history, certainly, mayBeReplaced: certainly };
  }
  const all = withHistory(predecessors);
  const isCertain = situation.kind === "exists";
  return {
    ...{ current: predecessors, remembered: predecessors, history },
    certainly: isCertain ? all : history,
    mayBeReplaced: isCertain || preview ? all : history,
  };
}

/** What a create asks about what is at the service, and by what. */
interface ServiceView {
  readonly snapshot: Snapshot;
  /** Ids that are listed under the program's name. */
  readonly listed: readonly string[];
  /** What the journal knows for the same name, PDF and people. */
  readonly ofContract: readonly Owned[];
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
    const { call, context, scope, situation, spec } = this.options;
    const { journal } = context;
    const nothing: RememberedFacts = {
      ...{ urn: call.urn, preview: call.preview, origin: scope.service, spec, situation },
      ...{ predecessors: [], atOtherServices: [], deletedFirst: undefined },
      ...{ earlierCreate: undefined, earlierCreatesPredecessor: undefined },
    };
    // It is kept, whatever the journal knows.
    if (situation.kind === "still-wanted") return nothing;
    const isAsked = spec && asksLists(context.policy(), spec);
    // At once: a journal across a network answers all of it in one round trip, and keeps what it has read.
    await Promise.all([
      journal.refresh(),
      journal.resource(scope),
      isAsked && journal.ofContract(scope.service, spec.content),
    ]);
    const { owned } = await journal.resource(scope);
    this.#owned = owned.map(({ id }) => id);
    const deletedFirst =
      situation.kind === "new" && spec
        ? owned.find(({ replaced, fingerprint }) => replaced && fingerprint === spec.content.fingerprint)
        : undefined;
    if (deletedFirst) return { ...nothing, deletedFirst };
    const isInState = (id: string) => situation.inState.some(each => each.id === id);
    const earlierCreate = owned.find(({ id, shown, replaced }) => !shown && !replaced && !isInState(id));
    if (earlierCreate && spec) {
      const earlierCreatesPredecessor = await this.#predecessorOf(earlierCreate);
      return { ...nothing, earlierCreate, earlierCreatesPredecessor };
    }
    const others = owned.filter(each => each !== earlierCreate);
    return {
      ...nothing,
      earlierCreate,
      atOtherServices: await journal.atOtherServices(scope),
      predecessors: await this.#predecessors(situation.inState, others),
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
    const { call, guard } = this.options;
    // State says more of a document than the journal.
    const known = new Map<string, Owned | ResourceInState>([...owned, ...inState].map(each => [each.id, each]));
    const predecessors: Predecessor[] = [];
    for (const each of known.values()) {
      const { id, supersedes } = each;
      const changed = "token" in each ? undefined : each.changed;
      const finding = await guard.examine(id, call);
      const isInState = !("token" in each);
      // Of what neither state nor the service shows there is no change to take back, and nothing to remove.
      const remedies = isInState || finding.confirmed ? remediesFor(finding.remedies, changed) : [];
      predecessors.push({
        ...(isInState ? words.shownBefore(id) : words.rememberedBefore(id, each.token, finding.confirmed)),
        ...{ supersedes, changed, isInState },
        finding: { ...finding, remedies },
      });
    }
    return predecessors;
  }

  /** Nothing is asked that decides nothing: most creates have no attempt, no predecessor and nothing of their name. */
  async fromService(facts: RememberedFacts): Promise<GatheredFacts> {
    const { call, context, existing, scope, spec } = this.options;
    const { clock, journal } = context;
    const policy = context.policy();
    const { adopts = [] } = policy;
    const { predecessors } = facts;
    const owned = this.#owned;
    const nothing: GatheredFacts = {
      ...{ attempt: undefined, attemptsOfOtherRuns: [], documents: [], marked: [], successors: undefined },
      ...{ basis: { owned, before: new Set() }, now: clock.now(), serviceNow: undefined, policy },
    };
    if (!spec) return nothing;
    const { attempt } = await journal.resource(scope);
    const token = attempt?.token;
    const replaced = replacedIn(facts);
    if (!attempt && !asksLists(policy, spec) && replaced.remembered.length === 0) return nothing;

    // First what became of its own attempt, then lists: what they show was there before anything is sent.
    const result = attempt && (await this.#outcome(attempt, spec, replaced.mayBeReplaced));
    const { attempts, owned: ofContract } = await journal.ofContract(scope.service, spec.content);
    const knows = countsExisting(policy) ? [...attempts, ...ofContract].map(({ token }) => token) : undefined;
    const losses = journal.losses();
    const underWay = attempts.some(({ run, urn }) => run === journal.run && urn !== scope.urn);
    const snapshot = await existing.before(call, underWay);
    const listedAt = snapshot.askedAt;
    const basis: Basis = { owned, token, before: snapshot.ids, knows, losses, listedAt };
    const listed = snapshot.ofName(spec.name).map(({ id }) => id);
    // Thousands of rows of a preview: nothing bears on this one, so there is nothing to compare it with.
    const mayBeThere = attempts.length + ofContract.length + listed.length + adopts.length > 0;
    if (!mayBeThere && !attempt && predecessors.length === 0 && spec.content.marker === undefined)
      return { ...nothing, basis, listedAt };
    const view: ServiceView = { snapshot, listed, ofContract, lookup: this.#lookup(), replaced, spec };
    return {
      attemptsOfOtherRuns: await this.#attemptsOfOtherRuns(attempts, view),
      documents: await new Candidates(this.options, this.takenByOthers, view).sorted(),
      marked: await this.#marked(view),
      attempt: attempt && result ? { attempt: { ...attempt, seenAt: journal.seenAt(attempt) }, result } : undefined,
      successors: await this.#successors(view),
      ...{ basis, listedAt },
      now: clock.now(),
      serviceNow: context.service().ticks(),
      policy,
    };
  }

  /** What an earlier run's attempt came to. In a preview one look has to do. */
  async #outcome(attempt: Attempt, spec: DocumentSpec, replaced: readonly string[]): Promise<LookupResult> {
    const { call, context } = this.options;
    const sent = attempt.fingerprint === spec.content.fingerprint ? spec : { content: attempt };
    const excluded = [...replaced, ...attempt.supersedes];
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
      if (replaced.certainly.includes(id) || isHeldByAnother(this.options, await lookup.owner(id))) continue;
      const body = await readTwice(context.service(), id, call.signal);
      if (!createdBefore(body, oldest)) documents.push(body);
    }
    const proven = remembered.every(({ finding }) =>
      snapshot.provesNoSignedSince(finding.createdAt ?? Number.NEGATIVE_INFINITY),
    );
    return { documents, proven };
  }
}

const isAnothers = ({ scope }: CreateOptions, owner: Owned | undefined): owner is Owned =>
  owner !== undefined && owner.urn !== scope.urn;

/** Whether another resource of this program has it, as this deployment has shown. */
const isHeldByAnother = (options: CreateOptions, owner: Owned | undefined): boolean =>
  isAnothers(options, owner) &&
  (isClaimedByAnother(options, owner) || options.context.deploymentLog.holds(owner.urn, owner.id));

/** Whether another resource of this program has sent or taken it in this deployment. */
const isClaimedByAnother = (options: CreateOptions, owner: Owned | undefined): boolean =>
  isAnothers(options, owner) && owner.run === options.context.journal.run && !(owner.shown || owner.released);

/** Whether state says that a document was made of what the program says. */
export function isMadeByState(
  { inputs, situation, spec }: Pick<CreateOptions, "inputs" | "situation" | "spec">,
  id: string,
): boolean {
  const stated = situation.inState.flatMap(({ contents = {} }) => own(contents, id) ?? []);
  if (stated.length === 0) return false;
  const hashes = hashesOf(inputs);
  // Of an import that a template describes, state has the template's hash alone.
  const wanted = [contentHash(hashes), contentHash(hashes, shortHash(spec?.content.sha256))];
  return stated.some(each => wanted.includes(each));
}
// ---- Documents that may be the one ----

const isOfThis = (madeOf: MadeOf): boolean => madeOf === "this" || madeOf === "this, by state";

/** Gathers the documents that may be the one: first what memory says of them, then what the service shows. */
class Candidates {
  constructor(
    private readonly options: CreateOptions,
    private readonly takenByOthers: ReadonlySet<string>,
    private readonly view: ServiceView,
  ) {}

  async sorted(): Promise<Candidate[]> {
    const documents = await this.#remembered();
    const mayBeOurs = documents.filter(each => this.#mayBeOurs(each));
    const isForced = (mayBeOurs.length > 0 || this.view.replaced.history.length > 0) && (await this.#isForced());
    // The person who forces that wants the people to be mailed: nothing is taken back.
    if (!isForced) await this.#compareAsOurs(mayBeOurs);
    await this.#compare(documents);
    return documents.map(each => candidateOf(each, { isForced }));
  }

  async #remembered(): Promise<KnownDocument[]> {
    const { listed, ofContract, replaced } = this.view;
    const policy = this.options.context.policy();
    const { adopts = [] } = policy;
    const sources = new Map<string, Source>();
    for (const id of adopts) sources.set(id, "person");
    if (countsExisting(policy))
      for (const id of [...listed, ...ofContract.map(each => each.id)]) sources.set(id, "name");
    for (const id of [...replaced.certainly, ...this.takenByOthers]) sources.delete(id);
    for (const id of replaced.history) sources.set(id, "history");

    const documents: KnownDocument[] = [];
    for (const [id, source] of sources) {
      const document = await this.#rememberedAs(id, source, adopts.includes(id));
      // What another resource has isn't a person's to give.
      if (source !== "person" || isFree(document)) documents.push(document);
    }
    return documents.sort(
      (a, b) => Number(a.source === "history") - Number(b.source === "history") || byId(a.id, b.id),
    );
  }

  async #rememberedAs(id: string, source: Source, isNamed: boolean): Promise<KnownDocument> {
    const { deploymentLog } = this.options.context;
    const owner = await this.view.lookup.owner(id);
    return {
      ...{ id, source, isNamed, owner },
      holder: this.#holder(id, source, owner),
      isLetGo: owner !== undefined && (owner.released || deploymentLog.letsGo(owner.urn, id)),
      madeOf: this.#madeOf(id, owner),
      isChanging: owner !== undefined && deploymentLog.isChanging(owner.urn, id),
      isInProgram: owner !== undefined && deploymentLog.isOfProgram(resourceOf(owner.urn)),
      isSuccessorElsewhere: this.#isSuccessorElsewhere(owner),
    };
  }

  #isSuccessorElsewhere(owner: Owned | undefined): boolean {
    if (!owner?.elsewhere || !owner.urn.startsWith(`${this.options.scope.urn} (`)) return false;
    return this.view.replaced.current.some(({ id }) => owner.supersedes.includes(id));
  }

  #holder(id: string, source: Source, owner: Owned | undefined): Holder {
    const { call, context, existing, scope } = this.options;
    if (!owner) return source === "person" || existing.wasThere(call, id) ? "stranger" : "unknown";
    // What is made of this, and replaced by something else in this run, may be the one that is wanted here.
    const isLeaving = context.deploymentLog.isChanging(owner.urn, id) && this.#madeOf(id, owner) !== "other content";
    if (isHeldByAnother(this.options, owner) && !isLeaving) return "another, shown";
    if (owner.released) return "nobody";
    return owner.urn === scope.urn ? "this resource" : "another";
  }

  /** What the journal knows was sent; what was changed there since, and the program has followed, state tells. */
  #madeOf(id: string, owner: Owned | undefined): MadeOf {
    const fingerprint = owner?.fingerprint;
    if (fingerprint === this.view.spec.content.fingerprint) return "this";
    if (isMadeByState(this.options, id)) return "this, by state";
    return fingerprint === undefined ? "unknown" : "other content";
  }

  /** Whether state has what the program says: by the journal or state, as a service needn't show all of it, or by the service. */
  async #isForced(): Promise<boolean> {
    const { lookup, spec } = this.view;
    const { current } = this.view.replaced;
    // Diff knows what the program said before.
    if (current.some(({ changed = [] }) => changed.length > 0)) return false;
    const unknown: string[] = [];
    for (const { id } of current) {
      const madeOf = this.#madeOf(id, await lookup.owner(id));
      if (isOfThis(madeOf)) return true;
      if (madeOf === "unknown") unknown.push(id);
    }
    for (const id of unknown) {
      const body = await lookup.read(id);
      // The same in another folder is moved: nobody forces that.
      if (body && isInFolderOf(body, spec) && (await lookup.likenessOf(body, spec)) === "same") return true;
    }
    return false;
  }

  // As ours:

  /**
   * Ours: let go of, and made of this by the journal; or let go of, in the history or listed under this name, and not known to
   * be other content. One that the journal has under this resource counts as let go of where state has replaced it. Without
   * a journal entry: only from the history.
   */
  #mayBeOurs({ id, source, owner, holder, madeOf, isLetGo }: KnownDocument): boolean {
    const { listed, ofContract, replaced } = this.view;
    const { current } = replaced;
    if (!countsExisting(this.options.context.policy()) || this.takenByOthers.has(id)) return false;
    if (current.some(each => each.id === id)) return false;
    // Nothing but the history says so.
    if (!owner) return source === "history";
    switch (madeOf) {
      case "other content":
        return false;
      case "unknown":
      case "this, by state":
        return isLetGo && (source === "history" || listed.includes(id));
      case "this": {
        // Another one of the same content is another contract.
        if (holder === "another, shown" || !ofContract.some(each => each.id === id)) return false;
        // Its resource has it by the journal alone: state has had another one in its place since.
        const isReplaced = current.some(({ isInState, supersedes }) => isInState && supersedes.includes(id));
        return isLetGo || (holder === "this resource" && isReplaced);
      }
    }
  }

  async #compareAsOurs(documents: readonly KnownDocument[]): Promise<void> {
    const { lookup, spec } = this.view;
    const alike: KnownDocument[] = [];
    for (const each of documents) {
      const body = await this.#read(each);
      // What it was made of says where and for whom, too; of the others only the service tells.
      if (isOfThis(each.madeOf)) {
        const now = body ? await lookup.comparedToMade(body, spec) : "untold";
        if (now !== "other") each.asOurs = now;
      } else if (await this.#isAlikeInAll(body)) alike.push(each);
    }
    const asOurs = alike.length === 0 || (await this.#isCurrentOther()) ? "same" : "doubtful";
    for (const each of alike) each.asOurs = asOurs;
  }

  /** Whether what state has isn't what the program says, by what the service shows or by what Diff found. */
  async #isCurrentOther(): Promise<boolean> {
    const { current } = this.view.replaced;
    if (current.some(({ changed }) => changed?.length === 1 && changed[0] === "folderId")) return true;
    for (const { id } of current) if (await this.#isAlikeInAll(await this.view.lookup.read(id))) return false;
    return true;
  }

  async #isAlikeInAll(body: DocumentBody | undefined): Promise<boolean> {
    const { lookup, spec } = this.view;
    const isSame = body && isPlaced(spec, body) && agreesInPeople(body, spec);
    return isSame === true && (await lookup.likenessOf(body, spec)) === "same";
  }

  // As anybody's:

  /** How each that isn't ours compares with what the program says, as far as something depends on it. */
  async #compare(documents: readonly KnownDocument[]): Promise<void> {
    const { lookup, snapshot, spec } = this.view;
    const compare = async (some: readonly KnownDocument[] = []) => {
      for (const each of some) {
        const body = await this.#read(each);
        each.likeness = body ? await lookup.likenessOf(body, spec) : "unread";
      }
    };
    const beginning = snapshot.beginning(spec.name);
    const others = documents.filter(({ asOurs }) => asOurs !== "same");
    const when = Map.groupBy(others, each => this.#isCompared(each, beginning.get(each.id)));
    await compare(when.get("always"));
    const isAlike = when.get("always")?.some(({ source, likeness }) => source !== "history" && likeness === "same");
    // Where something is taken back, one that was signed since comes first.
    if (others.length < documents.length) await compare(when.get("if something is taken back"));
    else if (!isAlike) await compare(when.get("if nothing is alike"));
  }

  /** When it is compared. `isWhole`: of a name that is only how the program's begins, whether it wasn't cut. */
  #isCompared(
    { id, source, isNamed, owner, holder, madeOf }: KnownDocument,
    isWhole: boolean | undefined,
  ): "always" | "if something is taken back" | "if nothing is alike" | "never" {
    const { snapshot, spec } = this.view;
    switch (source) {
      case "name": {
        // Its name is only how ours begins, where the list or the journal tells that it wasn't cut.
        const isOtherName =
          isWhole !== undefined && owner?.name !== undefined && owner.name !== shortNameHash(spec.content);
        return holder === "another, shown" || isWhole || isOtherName ? "never" : "always";
      }
      // A service may list it under another name than it was sent.
      case "person":
        return snapshot.ids.has(id) ? "if nothing is alike" : "always";
      // What somebody has by the journal that may be made of exactly this: whoever it is, it isn't sent again.
      case "history":
        // What another one has taken in this run is another contract by the program, whichever of the two came first.
        if (isClaimedByAnother(this.options, owner)) return "never";
        return isNamed || (owner?.released === false && madeOf !== "other content")
          ? "always"
          : "if something is taken back";
    }
  }

  async #read(document: KnownDocument): Promise<DocumentBody | undefined> {
    document.body ??= await this.view.lookup.read(document.id);
    return document.body;
  }
}
