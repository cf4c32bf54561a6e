import { AmbiguousWriteError, CancelledError, RateLimitedError, ServiceError } from "../../client/errors.js";
import type { DocumentBody, NewDocument } from "../../client/service.js";
import type { Context } from "../context.js";
import type { Attempt, Owned, Scope } from "../journal/contract.js";
import { Refusal, type Remedy } from "../refusal.js";
import type { ReplaceGuard } from "../replace-guard.js";
import type { Call, UserError } from "../resource.js";
import { documentDeclaration } from "./declaration.js";
import type { ExistingDocuments } from "./existing-documents.js";
import { type Looked, Lookup } from "./lookup.js";
import { markerIn } from "./marker.js";
import { matchOf, sameText } from "./match.js";
import {
  type CreatePlan,
  maySendAgain,
  type Predecessor,
  planCreate,
  planFromMemory,
  type RememberedFacts,
  type ServiceFacts,
  type Twin,
  unconfirmed,
} from "./plan-create.js";
import { type DocumentSpec, newDocument } from "./spec.js";

/** How often one create may be sent in a run, each time only after proof that the one before led to nothing. */
const MOST_ATTEMPTS = 3;
/** After Ctrl-C the engine waits five seconds for its plugins: a create that was sent may be answered, and kept in state. */
const CANCEL_GRACE_MS = 4_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 4_000;

export interface CreateOptions {
  readonly context: Context;
  readonly guard: ReplaceGuard;
  readonly existing: ExistingDocuments;
  readonly call: Call;
  readonly scope: Scope;
  /** Undefined while an input isn't known yet. */
  readonly spec: DocumentSpec | undefined;
}

/** One create, from the facts to the document: sent at most once, and never while what is known forbids it. */
export class DocumentCreate {
  /** What was listed before anything was sent. */
  #before: ReadonlySet<string> = new Set();
  #supersedes: readonly string[] = [];
  /** Documents that this create was to take over, and that another one took first. */
  readonly #lost = new Set<string>();
  /** The attempt that this create goes on from. */
  #attempt: string | undefined;

  constructor(private readonly options: CreateOptions) {}

  async plan(): Promise<Exclude<CreatePlan, { kind: "refuse" }>> {
    const facts = await this.#remembered();
    const plan = planFromMemory(facts) ?? planCreate(facts, await this.#asked(facts));
    if (plan.kind === "refuse") throw new Refusal(plan.refusal, this.options.call.urn);
    return plan;
  }

  /** Takes one of these documents for this resource; undefined where others have taken all of them. */
  async adopt({ candidates, supersedes }: CreatePlan & { kind: "adopt" }): Promise<DocumentBody | undefined> {
    const { call, context, existing, scope, spec } = this.options;
    for (const body of candidates) {
      const taken = call.preview
        ? !existing.isPromised(body.id)
        : await context.journal.claim(scope, body.id, { fingerprint: spec?.content.fingerprint, supersedes });
      if (taken) return body;
      this.#lost.add(body.id);
    }
    return undefined;
  }

  /** Sends the document once, and finds out what became of it. */
  async send(spec: DocumentSpec, supersedes: readonly string[]): Promise<DocumentBody> {
    const document = await newDocument(spec);
    const late = this.#late();
    try {
      return await this.#sendWith(late.signal, document, spec, supersedes);
    } finally {
      late.release();
    }
  }

  async #sendWith(
    late: AbortSignal,
    document: NewDocument,
    spec: DocumentSpec,
    supersedes: readonly string[],
  ): Promise<DocumentBody> {
    const { call, context, scope } = this.options;
    const { clock, journal } = context;
    this.#supersedes = supersedes;
    for (let count = 1; ; count++) {
      const startedAt = clock.now();
      const begun = await journal.begin(scope, { ...spec.content, startedAt, supersedes }, this.#attempt);
      if (!begun) throw this.#underWay();
      this.#attempt = begun.token;
      const { hints, lost } = await this.#once(document);
      const attempt: Attempt = { ...begun, hints, answered: !lost };
      if (hints.length === 0) call.log.info("the create's answer was lost: looking for the document");
      for (const id of lost || hints.length > 0 ? hints : [undefined]) await journal.hint(scope, id);
      let { found, looked } = await this.#settle(attempt, spec, late);
      const policy = context.policy();
      const wait = startedAt + policy.resendAfterMs - clock.now();
      // So common that a run waits for it: most services mean that nothing was done, and none has to.
      if (!found && wait > 0 && isProvenAbsent(looked) && lost?.cause instanceof RateLimitedError) {
        const until = new Date(clock.now() + wait).toISOString();
        call.log.progress(`too many requests: waiting until ${until}, then looking again before it is sent again`);
        await this.#wait(wait);
        // One more look each time: a service that refuses every so many requests would refuse each create in the same rhythm.
        for (let look = 0; look < count && !found; look++)
          ({ found, looked } = await this.#settle(attempt, spec, late, clock.now()));
      }
      if (found) {
        if (hints.length === 0) call.log.info(`found document ${found.id}. No one is mailed again.`);
        return found;
      }
      const waited = clock.now() - startedAt;
      if (looked.kind === "absent") {
        const { proven, failed } = looked;
        if (maySendAgain(attempt, { proven, waited, policy }) && count < MOST_ATTEMPTS) continue;
        const answer = lost?.detail ?? (hints.length === 0 ? "the answer names no document" : undefined);
        throw new Refusal(unconfirmed(attempt, { proven, failed, waited, policy, answer }), call.urn);
      }
      throw this.#ambiguous(attempt, looked);
    }
  }

  /** The ids that the answer named; none where it was lost. What provably never happened is thrown, and forgotten. */
  async #once(
    document: NewDocument,
  ): Promise<{ readonly hints: readonly string[]; readonly lost?: AmbiguousWriteError }> {
    const { call, context, scope } = this.options;
    try {
      const { hints } = await context.service().createDocument(document, {
        signal: call.signal,
        graceMs: CANCEL_GRACE_MS,
      });
      return { hints };
    } catch (error) {
      if (error instanceof AmbiguousWriteError) return { hints: [], lost: error };
      const cancelled = error instanceof CancelledError && error.sent;
      if (error instanceof ServiceError && !cancelled) await context.journal.withdraw(scope);
      if (cancelled) throw this.#cancelled();
      throw error;
    }
  }

  /** Reads what the answer named, then looks, until the document is found or the time for it is over. */
  async #settle(
    attempt: Attempt,
    spec: DocumentSpec,
    late: AbortSignal,
    until = this.options.context.clock.now() + this.options.context.policy().reconcileTimeoutMs,
  ): Promise<{ found?: DocumentBody; looked: Looked }> {
    const { clock } = this.options.context;
    const sent = { content: spec.content, spec };
    const lookup = this.#lookup({ signal: late });
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const last = clock.now() >= until;
      let looked: Looked = { kind: "absent", proven: false };
      try {
        for (const id of attempt.hints) {
          const body = await lookup.confirm(id, sent, attempt.startedAt);
          if (body && (await this.#claim(body.id, spec))) return { found: body, looked };
        }
        // An answer that named an id is believed first: lists may lag behind it.
        if (attempt.hints.length === 0 || pause > FIRST_PAUSE_MS || last) {
          looked = await lookup.once(attempt, sent, { anyName: last });
          for (const body of looked.kind === "found" ? looked.documents : [])
            if (await this.#claim(body.id, spec)) return { found: body, looked };
        }
      } catch (error) {
        if (error instanceof CancelledError) throw this.#cancelled();
        if (!(error instanceof ServiceError)) throw error;
        looked = { kind: "absent", proven: false, failed: error.message };
      }
      if (last) return { looked: looked.kind === "found" ? { kind: "absent", proven: false } : looked };
      await this.#wait(Math.min(pause, Math.max(0, until - clock.now())));
    }
  }

  #wait(milliseconds: number): Promise<void> {
    const { call, context } = this.options;
    return context.clock.wait(milliseconds, call.signal).catch(() => {
      throw this.#cancelled();
    });
  }

  #claim(id: string, { content: { fingerprint } }: DocumentSpec): Promise<boolean> {
    const { call, context, scope } = this.options;
    return context.journal.claim(scope, id, { fingerprint, supersedes: this.#supersedes }).catch((error: unknown) => {
      call.log.warn(`document ${id} was created, and the journal can't be written: ${messageOf(error)}`);
      return true;
    });
  }

  /** The call's signal, some seconds later. `release` once nothing waits for it any more. */
  #late(): { readonly signal: AbortSignal; release(): void } {
    const { call, context } = this.options;
    const late = new AbortController();
    const wait = () => {
      call.log.warn("cancelled: waiting up to 4 s for the answer to a create that was sent");
      void context.clock.wait(CANCEL_GRACE_MS).then(() => late.abort());
    };
    call.signal.addEventListener("abort", wait, { once: true });
    return { signal: late.signal, release: () => call.signal.removeEventListener("abort", wait) };
  }

  #lookup({ replaced = this.#supersedes, signal = this.options.call.signal } = {}): Lookup {
    const { context, scope } = this.options;
    const known = (id: string) => replaced.includes(id) || this.#before.has(id) || this.#lost.has(id);
    // Nothing was listed before this create was sent: an older document may be anybody's.
    const unlisted = context.policy().duplicatePolicy === "create";
    return new Lookup({ context, service: context.service(), scope, signal, known, unlisted });
  }

  async #remembered(): Promise<RememberedFacts> {
    const { call, context, guard, scope, spec } = this.options;
    const entry = context.deploymentLog.page(scope.urn);
    const { owned } = await context.journal.resource(scope);
    const interrupted = Object.entries(entry.diffed).find(
      ([id, { answer }]) => answer === "none" && !(id in entry.deleted),
    );
    const shownHere = (id: string) => id in entry.diffed || id in entry.deleted;
    const unshown = owned.find(({ id, shown, replaced }) => !shown && !replaced && !shownHere(id));
    const [lastReplaced] = unshown?.supersedes.slice(-1) ?? [];
    const released = lastReplaced && (await context.journal.owner(scope.service, lastReplaced))?.released;
    const facts = {
      token: documentDeclaration.token,
      preview: call.preview,
      fingerprint: spec?.content.fingerprint,
      interrupted: interrupted && { id: interrupted[0], supersedes: interrupted[1].supersedes },
      unshown,
      unshownPredecessor:
        unshown && lastReplaced && !released && !interrupted ? await guard.examine(lastReplaced, call) : undefined,
      hadOldInputs: entry.everCheckedWithOlds,
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

  async #asked(facts: RememberedFacts): Promise<ServiceFacts> {
    const { call, context, existing, scope, spec } = this.options;
    const policy = context.policy();
    const now = context.clock.now();
    const nothing: ServiceFacts = {
      attempt: undefined,
      foreign: [],
      twins: [],
      marked: [],
      successors: undefined,
      now,
      policy,
    };
    if (!spec) return nothing;
    const { attempt } = await context.journal.resource(scope);
    this.#attempt = attempt?.token;
    const sent = { content: spec.content, spec };
    // What only the journal names may be lost from state (`pulumi state delete`) as well as replaced by force: a create
    // can't tell, so it counts as another document. A preview, which calls no Delete to show it, names what decides.
    // Where the engine showed another one, that is what state holds.
    const isShown = facts.predecessors.some(({ shown }) => shown);
    const isSettled = ({ shown }: Predecessor) => shown || (!isShown && facts.hadOldInputs);
    const replacedWhere = (isReplaced: (each: Predecessor) => boolean) =>
      facts.predecessors.flatMap(each => (isReplaced(each) ? [each.id, ...each.supersedes] : each.supersedes));
    const settled = replacedWhere(isSettled);
    const replaced = call.preview && !isShown ? replacedWhere(() => true) : settled;
    const onlyRemembered = isShown ? [] : facts.predecessors;
    const isWanted = policy.duplicatePolicy !== "create" || spec.content.marker !== undefined;
    if (!attempt && !isWanted && onlyRemembered.length === 0) return nothing;

    const looked = attempt && (await this.#outcome(attempt, spec, replaced));
    const { attempts } = await context.journal.content(scope.service, spec.content.fingerprint);
    const underWay = attempts.some(({ run, urn }) => run === context.journal.run && urn !== scope.urn);
    const snapshot = await existing.before(call, underWay);
    this.#before = new Set(snapshot.rows.map(({ id }) => id));
    const lookup = this.#lookup({ replaced });
    const foreign = attempts
      .filter(({ run, urn }) => run !== context.journal.run && urn !== scope.urn)
      .map(each => ({
        attempt: each,
        absenceProven: !each.answered && snapshot.provesAbsenceSince(each.startedAt),
      }));

    const named = snapshot.rows.filter(row => sameText(spec.name, row.name) && !settled.includes(row.id));
    const alike =
      policy.duplicatePolicy === "create"
        ? []
        : await lookup.alike(
            named.map(({ id }) => id).filter(id => !this.#lost.has(id)),
            sent,
          );
    const twins: Twin[] = [];
    for (const body of await this.#notHeldByOthers(alike)) {
      const owner = await context.journal.owner(scope.service, body.id);
      const isFree = !owner || owner.released || owner.urn === scope.urn;
      const isPlaced = spec.folderId === undefined || spec.folderId === body.folderId;
      twins.push({ body, adoptable: isFree && isPlaced });
    }
    const marked = [];
    for (const row of snapshot.rows) {
      if (spec.content.marker === undefined || markerIn(row.description) !== spec.content.marker) continue;
      if (replaced.includes(row.id)) continue;
      const owner = await context.journal.owner(scope.service, row.id);
      if (owner && (owner.released || owner.urn !== scope.urn)) continue;
      const body = await context.service().getDocument(row.id, { signal: call.signal });
      marked.push({ body, same: (await matchOf(body, sent, () => lookup.firstHash(body))) === "same" });
    }
    return {
      ...nothing,
      attempt: attempt && looked ? { attempt, looked } : undefined,
      foreign,
      twins,
      marked,
      successors:
        onlyRemembered.length === 0
          ? undefined
          : {
              documents: await this.#successors(
                onlyRemembered,
                named.map(({ id }) => id),
              ),
              proven: onlyRemembered.every(({ finding }) =>
                snapshot.provesNoSignedSince(finding.createdAt ?? Number.NEGATIVE_INFINITY),
              ),
            },
    };
  }

  /** What an earlier run's attempt came to. In a preview one look has to do. */
  async #outcome(attempt: Attempt, spec: DocumentSpec, replaced: readonly string[]): Promise<Looked> {
    const { call, context } = this.options;
    const { clock } = context;
    const same = attempt.fingerprint === spec.content.fingerprint;
    const sent = same ? { content: spec.content, spec } : { content: attempt };
    const lookup = this.#lookup({ replaced: [...replaced, ...attempt.supersedes] });
    const until = call.preview ? clock.now() : clock.now() + context.policy().reconcileTimeoutMs;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const last = clock.now() >= until;
      try {
        const looked = await lookup.once(attempt, sent, { anyName: last });
        if (last || looked.kind === "found") return looked;
      } catch (error) {
        if (error instanceof CancelledError) throw this.#cancelled();
        if (!(error instanceof ServiceError)) throw error;
        if (last) return { kind: "absent", proven: false, failed: error.message };
      }
      await this.#wait(Math.min(pause, Math.max(0, until - clock.now())));
    }
  }

  /** Without those that another resource of this program holds, or that this run created. */
  async #notHeldByOthers(documents: readonly DocumentBody[]): Promise<DocumentBody[]> {
    const { context, scope } = this.options;
    const free: DocumentBody[] = [];
    for (const body of documents) {
      const owner = await context.journal.owner(scope.service, body.id);
      const entry = owner && owner.urn !== scope.urn ? context.deploymentLog.page(owner.urn) : undefined;
      const answer = entry?.diffed[body.id]?.answer;
      const held = entry?.created.includes(body.id) || answer === "none" || answer === "replace";
      if (!held) free.push(body);
    }
    return free;
  }

  /** Newer documents of the same name that nobody in this program holds: one of them may be what state holds by now. */
  async #successors(remembered: readonly Predecessor[], ids: readonly string[]): Promise<DocumentBody[]> {
    const { call, context } = this.options;
    const oldest = Math.min(...remembered.map(({ finding }) => finding.createdAt ?? 0));
    const bodies: DocumentBody[] = [];
    for (const id of ids) {
      const body = await context.service().getDocument(id, { signal: call.signal });
      if (!(Date.parse(body.createdAt ?? "") < oldest)) bodies.push(body);
    }
    return this.#notHeldByOthers(bodies);
  }

  #ambiguous(attempt: Attempt, looked: Looked & { kind: "found" | "ambiguous" }): Refusal {
    const [first] = looked.documents;
    return new Refusal(
      {
        cause: "create-ambiguous",
        headline: "the document was sent once, and the service has some that may be it. Nothing more was created.",
        details: looked.documents.map(
          ({ id, status, createdAt }) => `document ${id}, ${status}, created ${createdAt ?? "at an unknown time"}`,
        ),
        remedies: [
          ...(first ? [{ kind: "import", token: documentDeclaration.token, id: first.id } satisfies Remedy] : []),
          { kind: "forget", token: attempt.token, effect: "if none of them is, create a new one, which mails people" },
        ],
      },
      this.options.call.urn,
    );
  }

  #underWay(): Refusal {
    return new Refusal(
      {
        cause: "create-elsewhere",
        headline: "another run is creating this resource at this moment. Nothing was sent.",
        remedies: [{ kind: "advice", text: "wait until that run has ended, and run `pulumi up` again" }],
      },
      this.options.call.urn,
    );
  }

  #cancelled(): UserError {
    return new Refusal(
      {
        cause: "cancelled-create",
        headline: "cancelled while the document was being created, so it isn't known whether the service has it.",
        remedies: [{ kind: "advice", text: "run `pulumi up` again: it is looked for before anything is sent" }],
      },
      this.options.call.urn,
    );
  }
}

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

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const isProvenAbsent = (looked: Looked): boolean => looked.kind === "absent" && looked.proven;
