import { CancelledError, ServiceError } from "../../client/errors.js";
import type { DocumentBody } from "../../client/service.js";
import type { Context, CreationPolicy } from "../context.js";
import type { Attempt, Owned } from "../journal/contract.js";
import type { Remedy } from "../refusal.js";
import type { CreateOptions, CreateProgress } from "./create-progress.js";
import { cancelledCreate } from "./create-refusals.js";
import { documentDeclaration } from "./declaration.js";
import { isUnsigned } from "./document-state.js";
import type { Looked, Lookup } from "./lookup.js";
import { markerIn } from "./marker.js";
import { matchOf, type Sent } from "./match.js";
import type { Predecessor, RememberedFacts, ServiceFacts, Twin } from "./plan-facts.js";
import type { DocumentSpec } from "./spec.js";
import { heldByNobody, isFreeFor, type Ours, type Signed, type TakeBackFacts } from "./take-back.js";

/** What decides whether a create may be sent: what this deployment and the journal know, and what the service shows. */
export class CreateFacts {
  constructor(private readonly progress: CreateProgress) {}

  get options(): CreateOptions {
    return this.progress.options;
  }

  async remembered(): Promise<RememberedFacts> {
    const { call, context, guard, scope, spec } = this.options;
    const entry = context.deploymentLog.page(scope.urn);
    const isAsked = spec && isWanted(context.policy(), spec);
    // At once: a journal across a network answers all of it in one round trip.
    await Promise.all([
      context.journal.refresh(),
      context.journal.resource(scope),
      isAsked && context.journal.content(scope.service, spec.content.fingerprint),
    ]);
    const { owned } = await context.journal.resource(scope);
    this.progress.owned = owned.map(({ id }) => id);
    const interrupted = Object.entries(entry.diffed).find(
      ([id, { answer }]) => answer === "none" && !Object.hasOwn(entry.deleted, id),
    );
    const shownHere = (id: string) => Object.hasOwn(entry.diffed, id) || Object.hasOwn(entry.deleted, id);
    const unshown = owned.find(({ id, shown, replaced }) => !shown && !replaced && !shownHere(id));
    const [lastReplaced] = unshown?.supersedes.slice(-1) ?? [];
    const replaced = lastReplaced === undefined ? undefined : await context.journal.owner(scope.service, lastReplaced);
    const released = replaced?.released === true && replaced.superseded !== true;
    const facts = {
      token: documentDeclaration.token,
      preview: call.preview,
      fingerprint: spec?.content.fingerprint,
      interrupted: interrupted && { id: interrupted[0], supersedes: interrupted[1].supersedes },
      unshown,
      unshownPredecessor:
        unshown && lastReplaced && !released && !interrupted ? await guard.examine(lastReplaced, call) : undefined,
      urn: call.urn,
      name: spec?.name,
      hadOldInputs: entry.everCheckedWithOlds,
      isInState: context.deploymentLog.page(scope.urn.replace(/#.*$/s, "")).everCheckedWithOlds,
      elsewhere: await context.journal.elsewhere(scope),
      origin: scope.service,
    };
    if (interrupted || (unshown && spec)) return { ...facts, predecessors: [] };
    const predecessors: Predecessor[] = [];
    for (const older of olderDocuments(
      entry,
      owned.filter(thing => thing !== unshown),
    )) {
      const because = older.shown
        ? ["this create would replace it; with the program reverted, `pulumi up` keeps it and mails no one"]
        : ["it was created for this resource before"];
      const remedies: Remedy[] = older.shown
        ? []
        : [
            { kind: "untaint" },
            { kind: "import", token: facts.token, id: older.id },
            { kind: "forget", token: older.token ?? "", effect: "if it belongs to something else" },
          ];
      predecessors.push({ ...older, because, remedies, finding: await guard.examine(older.id, call) });
    }
    return { ...facts, predecessors };
  }

  async asked(facts: RememberedFacts): Promise<ServiceFacts> {
    const { call, context, existing, scope, spec } = this.options;
    const policy = context.policy();
    const nothing: ServiceFacts = {
      attempt: undefined,
      foreign: [],
      twins: [],
      namesakes: [],
      unread: [],
      marked: [],
      ours: [],
      unreadOurs: [],
      signed: [],
      successors: undefined,
      listedAt: 0,
      now: context.clock.now(),
      serviceNow: undefined,
      policy,
    };
    if (!spec) return nothing;
    const { attempt } = await context.journal.resource(scope);
    this.progress.attempt = attempt?.token;
    const sent = { content: spec.content, spec };
    // What only the journal names may be lost from state (`pulumi state delete`) as well as replaced by force: a create
    // doesn't see which of the two it was, so it counts as another document. A preview, which calls no Delete to show it, names what decides.
    // Where the engine showed another one, that is what state holds.
    const isShown = facts.predecessors.some(({ shown }) => shown);
    const isSettled = ({ shown }: Predecessor) => shown || (!isShown && facts.hadOldInputs);
    const replacedWhere = (isReplaced: (each: Predecessor) => boolean) =>
      facts.predecessors.flatMap(each => (isReplaced(each) ? [each.id, ...each.supersedes] : each.supersedes));
    const settled = replacedWhere(isSettled);
    const replaced = call.preview && !isShown ? replacedWhere(() => true) : settled;
    const onlyRemembered = isShown ? [] : facts.predecessors;
    if (!attempt && !isWanted(policy, spec) && onlyRemembered.length === 0) return nothing;

    const looked = attempt && (await this.#outcome(attempt, spec, replaced));
    const { attempts, owned: sameContent } = await context.journal.content(scope.service, spec.content.fingerprint);
    if (policy.duplicatePolicy !== "create")
      this.progress.knows = [...attempts, ...sameContent].map(({ token }) => token);
    this.progress.losses = context.journal.losses;
    const underWay = attempts.some(({ run, urn }) => run === context.journal.run && urn !== scope.urn);
    const snapshot = await existing.before(call, underWay);
    this.progress.before = snapshot.ids;
    this.progress.listedAt = snapshot.askedAt;
    const named = snapshot.named(spec.name).map(({ id }) => id);
    const { adopts = [] } = policy;
    // Thousands of rows of a preview: nothing bears on this one, so there is nothing to compare it with.
    const mayBeThere = attempts.length + sameContent.length + named.length + adopts.length > 0;
    if (!mayBeThere && !attempt && facts.predecessors.length === 0 && spec.content.marker === undefined)
      return { ...nothing, listedAt: snapshot.askedAt };
    const lookup = this.progress.lookup({ replaced });
    const foreign: ServiceFacts["foreign"][number][] = [];
    for (const each of attempts)
      if (each.run !== context.journal.run && each.urn !== scope.urn)
        foreign.push({
          attempt: { ...each, seenAt: context.journal.seenAt(each) },
          absenceProven: !each.answered && (await lookup.provesAbsence(snapshot, each)),
        });

    const isAsked = policy.duplicatePolicy !== "create";
    // Lists may not show what the journal knows.
    const known = sameContent.map(({ id }) => id);
    const isFree = (id: string) => !this.progress.lost.has(id);
    const there = [...new Set([...named, ...known])].filter(id => !settled.includes(id) && isFree(id));
    const candidates = isAsked ? await this.#notHeldByOthers(there) : [];
    const { ours, unreadOurs } = isAsked
      ? await this.#ours(facts, { sameContent: sameContent.filter(({ id }) => isFree(id)), named }, lookup, sent)
      : nothing;
    const isOurs = (id: string) => ours.some(({ body }) => body.id === id);
    const { alike, namesakes, unread } = await lookup.compare(
      candidates.filter(id => !isOurs(id)),
      sent,
    );
    // What was superseded may have been signed since, and may be another resource's by what this journal knows.
    const line = facts.predecessors.flatMap(({ supersedes }) => supersedes).filter(id => !isOurs(id));
    const also = await lookup.compare(ours.length > 0 ? line : await this.#heldAlike(line, sent), sent);
    const isForced =
      also.alike.length > 0 && (await this.#isForced(idsOf(stateHolds(facts.predecessors)), lookup, sent));
    const twins: Twin[] = [];
    for (const body of isForced ? alike : [...alike, ...also.alike]) {
      const owner = await context.journal.owner(scope.service, body.id);
      twins.push({ body, adoptable: isFreeFor(scope.urn, owner) && isPlaced(spec, body), owner });
    }
    const marked = [];
    for (const row of spec.content.marker === undefined ? [] : snapshot.rows) {
      if (markerIn(row.description) !== spec.content.marker) continue;
      if (replaced.includes(row.id)) continue;
      const owner = await context.journal.owner(scope.service, row.id);
      if (owner && (owner.released || owner.urn !== scope.urn)) continue;
      const body = await context.service().getDocument(row.id, { signal: call.signal });
      marked.push({ body, same: (await matchOf(body, sent, () => lookup.firstHash(body))) === "same" });
    }
    // A person's word, for what is exactly alike and no other resource's.
    const taken = twins
      .filter(({ body, owner }) => adopts.includes(body.id) && isFreeFor(scope.urn, owner))
      .map(({ body, owner }): Ours => ({ body, supersedes: owner?.supersedes ?? [], from: undefined, named: true }));
    return {
      ...nothing,
      listedAt: snapshot.askedAt,
      now: context.clock.now(),
      serviceNow: context.service().ticks(),
      attempt:
        attempt && looked ? { attempt: { ...attempt, seenAt: context.journal.seenAt(attempt) }, looked } : undefined,
      foreign,
      twins: twins.filter(({ body }) => !taken.some(each => each.body.id === body.id)),
      namesakes: await this.#unknownOlder(namesakes, ({ id }) => id),
      unread: await this.#unknownOlder(unread, id => id),
      marked,
      ours: [...ours.map(each => ({ ...each, named: adopts.includes(each.body.id) })), ...taken],
      unreadOurs,
      signed: await this.#signed([...alike, ...also.alike], [...namesakes, ...also.namesakes]),
      successors:
        onlyRemembered.length === 0
          ? undefined
          : {
              documents: await this.#successors(
                onlyRemembered,
                named.filter(id => !settled.includes(id)),
              ),
              proven: onlyRemembered.every(({ finding }) =>
                snapshot.provesNoSignedSince(finding.createdAt ?? Number.NEGATIVE_INFINITY),
              ),
            },
    };
  }

  /** What is this journal's own, exactly what the program says and nobody's, read at the service. */
  async #ours(
    { predecessors }: RememberedFacts,
    { sameContent, named }: { readonly sameContent: readonly Owned[]; readonly named: readonly string[] },
    lookup: Lookup,
    sent: Sent,
  ): Promise<Pick<TakeBackFacts, "ours" | "unreadOurs">> {
    const { context, scope, spec } = this.options;
    const replaced = idsOf(stateHolds(predecessors));
    const line = predecessors.flatMap(({ shown, supersedes }) => (shown ? supersedes : []));
    const free = heldByNobody(
      sameContent.filter(({ id }) => !replaced.includes(id)),
      (urn, id) => context.deploymentLog.letsGo(urn, id) || (urn === scope.urn && line.includes(id)),
    );
    const rows = new Map(free.map(row => [row.id, row]));
    const ids = await this.#notHeldByOthers([...rows.keys()]);
    const vouched = await this.#vouchedFor(predecessors, named);
    if (ids.length + vouched.size === 0) return { ours: [], unreadOurs: [] };
    // A document that is replaced by one exactly alike: the person who forces that wants the people to be mailed.
    if (await this.#isForced(replaced, lookup, sent)) return { ours: [], unreadOurs: [] };
    const { same, unread } = await lookup.unchanged(ids, sent);
    const { alike } = await lookup.compare(
      [...vouched.keys()].filter(id => !ids.includes(id)),
      sent,
    );
    return {
      // What it was made of says where, too; of the others only the service tells.
      ours: [...same, ...alike.filter(body => isPlaced(spec, body))].map(body => {
        const { released = true, urn, supersedes = [] } = rows.get(body.id) ?? vouched.get(body.id) ?? {};
        return { body, supersedes, from: released ? undefined : urn };
      }),
      unreadOurs: unread.flatMap(id => rows.get(id) ?? []),
    };
  }

  /** Ours, though this journal doesn't know what it is made of: what state's document replaced, and what a Delete let go of. */
  async #vouchedFor(
    predecessors: readonly Predecessor[],
    named: readonly string[],
  ): Promise<ReadonlyMap<string, Owned | undefined>> {
    const { context, scope } = this.options;
    const line = predecessors.flatMap(({ supersedes }) => supersedes);
    const vouched = new Map<string, Owned | undefined>();
    for (const id of new Set([...line, ...named])) {
      const owner = await context.journal.owner(scope.service, id);
      const isFree = owner && (owner.released || context.deploymentLog.letsGo(owner.urn, id));
      const isUnknown = owner ? isFree && owner.fingerprint === undefined : line.includes(id);
      if (isUnknown && !this.progress.lost.has(id)) vouched.set(id, owner);
    }
    return vouched;
  }

  /** Of these, what somebody holds by the journal that may be exactly this: whoever it is, it isn't sent again. */
  async #heldAlike(ids: readonly string[], { content }: Sent): Promise<string[]> {
    const { context, scope } = this.options;
    const held: string[] = [];
    for (const id of ids) {
      const owner = await context.journal.owner(scope.service, id);
      if (owner && !owner.released && [undefined, content.fingerprint].includes(owner.fingerprint)) held.push(id);
    }
    return held;
  }

  /** Whether one of these is what the program says: by the journal, as a service needn't show all of it, or by the service. */
  async #isForced(replaced: readonly string[], lookup: Lookup, sent: Sent): Promise<boolean> {
    const { context, scope } = this.options;
    const unknown: string[] = [];
    for (const id of replaced) {
      const fingerprint = (await context.journal.owner(scope.service, id))?.fingerprint;
      if (fingerprint === sent.content.fingerprint) return true;
      if (fingerprint === undefined) unknown.push(id);
    }
    return (await lookup.compare(unknown, sent)).alike.length > 0;
  }

  /** One exactly alike counts whoever has it: what the journal knows of that may be out of date. */
  async #signed(alike: readonly DocumentBody[], namesakes: readonly DocumentBody[]): Promise<Signed[]> {
    const { context, scope } = this.options;
    const signed: Signed[] = [];
    for (const body of [...alike, ...namesakes].filter(each => !isUnsigned(each))) {
      const owner = await context.journal.owner(scope.service, body.id);
      const isAlike = alike.includes(body);
      if (isAlike || isFreeFor(scope.urn, owner))
        signed.push({ body, alike: isAlike, supersedes: owner?.supersedes ?? [] });
    }
    return signed;
  }

  /** What an earlier run's attempt came to. In a preview one look has to do. */
  async #outcome(attempt: Attempt, spec: DocumentSpec, replaced: readonly string[]): Promise<Looked> {
    const { call, context } = this.options;
    const { clock } = context;
    const same = attempt.fingerprint === spec.content.fingerprint;
    const sent = same ? { content: spec.content, spec } : { content: attempt };
    const lookup = this.progress.lookup({ replaced: [...replaced, ...attempt.supersedes] });
    const until = call.preview ? clock.now() : clock.now() + context.policy().reconcileTimeoutMs;
    return this.progress.poll(until, async ({ last }) => {
      try {
        const looked = await this.progress.look(lookup, attempt, sent, last);
        return last || looked.kind === "found" ? looked : undefined;
      } catch (error) {
        if (error instanceof CancelledError) throw cancelledCreate(call.urn);
        if (!(error instanceof ServiceError)) throw error;
        return last ? { kind: "absent", proven: false, failed: error.message } : undefined;
      }
    });
  }

  /** Those that were there before this run sent anything, and that the journal doesn't know. */
  async #unknownOlder<T>(documents: readonly T[], idOf: (document: T) => string): Promise<T[]> {
    const { call, context, existing, scope } = this.options;
    const unknown: T[] = [];
    for (const document of documents) {
      const id = idOf(document);
      if (existing.isOlder(call, id) && !(await context.journal.owner(scope.service, id))) unknown.push(document);
    }
    return unknown;
  }

  /** Without those that another resource of this program holds, or that this run created. */
  async #notHeldByOthers(ids: readonly string[]): Promise<string[]> {
    const { context, scope } = this.options;
    const free: string[] = [];
    for (const id of ids) {
      const owner = await context.journal.owner(scope.service, id);
      if (owner && owner.urn !== scope.urn && context.deploymentLog.holds(owner.urn, id)) continue;
      free.push(id);
    }
    return free;
  }

  /** Newer documents of the same name that nobody in this program holds: one of them may be what state holds by now. */
  async #successors(remembered: readonly Predecessor[], ids: readonly string[]): Promise<DocumentBody[]> {
    const { call, context } = this.options;
    const oldest = Math.min(...remembered.map(({ finding }) => finding.createdAt ?? 0));
    const bodies: DocumentBody[] = [];
    for (const id of await this.#notHeldByOthers(ids)) {
      const body = await context.service().getDocument(id, { signal: call.signal });
      if (!(Date.parse(body.createdAt ?? "") < oldest)) bodies.push(body);
    }
    return bodies;
  }
}

/** What the engine has shown; where it has shown none, what the journal names may be it. */
function stateHolds(predecessors: readonly Predecessor[]): readonly Predecessor[] {
  const shown = predecessors.filter(each => each.shown);
  return shown.length > 0 ? shown : predecessors;
}

const idsOf = (predecessors: readonly Predecessor[]): string[] => predecessors.map(({ id }) => id);

/** Whether a document is where the program wants it. */
const isPlaced = (spec: DocumentSpec | undefined, { folderId }: DocumentBody): boolean =>
  spec?.folderId === undefined || spec.folderId === folderId;

const isWanted = ({ duplicatePolicy }: CreationPolicy, { content }: DocumentSpec): boolean =>
  duplicatePolicy !== "create" || content.marker !== undefined;

interface Older {
  readonly id: string;
  readonly supersedes: readonly string[];
  readonly shown: boolean;
  readonly token?: string;
}

/** Ids that this deployment or the journal knows the resource held. */
function olderDocuments(
  entry: ReturnType<Context["deploymentLog"]["page"]>,
  owned: readonly Owned[],
): readonly Older[] {
  const older = new Map<string, Older>();
  for (const { id, supersedes, token } of owned) older.set(id, { id, supersedes, token, shown: false });
  for (const seen of [entry.deleted, entry.diffed])
    for (const [id, { supersedes }] of Object.entries(seen)) older.set(id, { id, supersedes, shown: true });
  return [...older.values()];
}
