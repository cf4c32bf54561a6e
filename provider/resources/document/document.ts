import type { z } from "zod";
import { type Change, REWRITTEN } from "../../../kit/changes.js";
import type { Stored } from "../../../kit/stored.js";
import { known, type Values } from "../../../kit/values.js";
import { byId, parseId } from "../../client/bodies.js";
import { type AmbiguousWriteError, CancelledError, NotFoundError, ServiceError } from "../../client/errors.js";
import type { CreateAnswer, DocumentBody, ListedDocument, NewDocument, Service, Turn } from "../../client/service.js";
import { type NewLine, sendAtMostOnce } from "../at-most-once.js";
import { type Context, defineOurs, owningScope } from "../context.js";
import { type Attempt, contentHashesOf, type Owned, type Scope } from "../journal/contract.js";
import type { CreateSituation, DeleteSituation } from "../journal/deployment-log.js";
import { JournalUnavailableError } from "../journal/log.js";
import { previewing } from "../only-reading.js";
import { markOf } from "../pdf/asset-source.js";
import { isAtHand, isPdf } from "../pdf/pdf-input.js";
import { TEMPLATE_INPUTS } from "../pdf/template-input.js";
import { nameOf, Refusal, type Remedy } from "../refusal.js";
import { withChange } from "../refused-change.js";
import { assertSameService, originIn, ReplaceGuard } from "../replace-guard.js";
import { type Call, type ListArguments, type ListPage, type Resource, UserError } from "../resource.js";
import { isStatelessUrn, rememberedUrn } from "../urn.js";
import {
  ambiguousCreate,
  announceMail,
  blockedBy,
  CreateFacts,
  type CreatePlan,
  cancelledCreate,
  createUnderWay,
  describeChanges,
  forgetting,
  type OwnDocument,
  planCreate,
  planFromMemory,
  planOthers,
  takingBack,
  takingOver,
  unconfirmed,
} from "./create.js";
import {
  type CheckedInputs,
  changedTerms,
  type DocumentInputs,
  type DocumentOutputs,
  type DocumentState,
  documentDeclaration,
  type documentInputs,
  type documentListInputs,
  type documentOutputs,
  filterFrom,
  givenTerms,
  inputsIn,
  isIn,
  stateIn,
  termsIn,
  trimmed,
  withoutMarker,
  withoutTerms,
} from "./declaration.js";
import {
  type AtStake,
  CLOCKS_APART_MS,
  clocksAt,
  documentFinding,
  type ExactMatch,
  ExistingDocuments,
  firstHash,
  hashOfFile,
  isUnreadable,
  Lookup,
  type LookupResult,
  lastsFor,
  matchOf,
  maySendAgain,
  REPLACE_REMEDIES,
  readTwice,
  rewrittenHash,
  type SentContent,
  sameText,
  waitedSince,
} from "./lookup.js";
import {
  assertSameDocument,
  bareOutputs,
  changesOf,
  checkDocument,
  type DocumentChange,
  type DocumentSpec,
  driftOf,
  isWrittenByProvider,
  latestFile,
  likelySuccessor,
  needsKey,
  newDocument,
  outputsOf,
  previewOutputs,
  type StateOnly,
  signerRows,
  specOf,
  storedFeatures,
  unplaced,
  wantedFeatures,
} from "./state.js";

// ---- Inputs of an import ----

/** An imported document's inputs: what the service returns, and the PDF's mark in place of the PDF. */
async function importedInputs(
  body: DocumentBody,
  service: Service,
  signal: AbortSignal,
): Promise<Stored<DocumentInputs>> {
  const types = new Map(body.invitations.map(invitation => [invitation.id, invitation.allowedSignatureTypes]));
  const latest = latestFile(body);
  const hash = latest && (await hashOfFile(latest, service, signal));
  return trimmed({
    name: body.name,
    description: withoutMarker(body.description ?? "") || undefined,
    folderId: body.folderId ?? undefined,
    invitations: signerRows(body).map(({ email, name, invitationId, stage }) =>
      trimmed({
        email,
        name: name || undefined,
        allowedSignatureTypes: types.get(invitationId) || undefined,
        stage,
      }),
    ),
    base64File: hash === undefined ? undefined : markOf(hash),
  });
}

const notShown = (id: string, urn: string, cause: NotFoundError, { inState = false } = {}): Refusal =>
  new Refusal(
    {
      cause: "not-shown",
      headline: `document ${id} can't be ${inState ? "read" : "imported"}: the service doesn't show it to this account.`,
      details: [cause.message],
      remedies: [
        { kind: "advice", text: "check the id, docsign:baseUrl and whose key is configured" },
        ...(inState ? [{ kind: "state-delete" } satisfies Remedy] : []),
      ],
    },
    urn,
  );

// ---- List ----

/** What a list of documents can't show; logged with every list. */
export const LIST_NOTE =
  "the service doesn't show whether its list is complete: a document that isn't listed may exist all the same";

/** A token names the last document of a page, so a document sent meanwhile neither repeats nor hides a row. */
const TOKEN = /^after:([1-9]\d{0,19})$/;

/** The documents of a folder or organization, in ascending order of id. Only reads. */
async function listDocuments(
  context: Context,
  call: Call,
  args: Omit<ListArguments, "query"> & { readonly query: z.infer<typeof documentListInputs> },
): Promise<ListPage> {
  const filter = filterFrom(args.query);
  const after = lastOf(args.token);
  const { rows } = await context.service().listDocuments(filter, { signal: call.signal });
  // As a warning: the CLI writes those to stderr, and the list alone to stdout.
  if (after === undefined) call.log.warn(LIST_NOTE);
  const byIds = new Map(rows.filter(row => isIn(filter, row)).map(row => [row.id, row]));
  const rest = [...byIds.values()]
    .sort((a, b) => byId(a.id, b.id))
    .filter(({ id }) => after === undefined || byId(id, after) > 0);
  return pageOf(rest, args.limit);
}

function lastOf(token: string): string | undefined {
  if (token === "") return undefined;
  const [, id] = TOKEN.exec(token) ?? [];
  if (id === undefined)
    throw new UserError(`expected a continuation token of this provider, got ${JSON.stringify(token)}`);
  return id;
}

function pageOf(rows: readonly ListedDocument[], limit: number): ListPage {
  const page = limit > 0 ? rows.slice(0, limit) : rows;
  const last = page.at(-1);
  return {
    found: page.map(({ id, name }) => ({ id, name })),
    next: last !== undefined && page.length < rows.length ? `after:${last.id}` : "",
  };
}

// ---- What is remembered between calls ----

/** What the journal remembers of a document beside its create. A journal that fails here fails nothing. */
class DocumentMemory {
  /** Id of a document that was read as an import → what it was made of. */
  readonly #attempted = new Map<string, string>();

  constructor(private readonly context: Context) {}

  /** A replacement that an earlier run began: with nothing to change, no Create comes that would look for it. */
  async warnOfUnfinished(call: Call, scope: Scope, id: string): Promise<void> {
    if (scope.service === "") return;
    const { journal, deploymentLog } = this.context;
    const remembered = await journal.resource(scope).catch(() => undefined);
    if (!remembered) return;
    const { attempt, owned } = remembered;
    const isSuccessor = (other: Owned) => !other.shown || other.supersedes.includes(id);
    const others = owned.filter(
      other => other.id !== id && isSuccessor(other) && !deploymentLog.hasCreated(scope.urn, other.id),
    );
    if (!attempt && others.length === 0) return;
    const which = others.length > 0 ? `: ${others.map(other => `document ${other.id}`).join(", ")}` : "";
    const [token] = [...others.map(other => other.token), attempt?.token];
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
    const besides = this.context.deploymentLog.situationOf(scope.urn).shown.map(shown => shown.id);
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
    return remembered?.owned.find(each => each.id === id)?.fingerprint ?? this.#attempted.get(`${scope.urn} ${id}`);
  }
}

// ---- Creates in flight ----

interface Flight {
  readonly name: string;
  readonly over: PromiseWithResolvers<void>;
  /** It waits for others itself. */
  waits: boolean;
}

/** The creates of this run that were sent and whose outcome isn't known yet. */
export class CreatesInFlight {
  readonly #flights = new Set<Flight>();
  readonly #taken = new Set<string>();

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

// ---- Progress ----

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
  readonly situation: CreateSituation;
}

const NOTHING: ReadonlySet<string> = new Set();

/** What one create has learned, shared by those who look and those who send. */
export class CreateProgress {
  /** What was listed before anything was sent. */
  before: ReadonlySet<string> = NOTHING;
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
    const { context, scope } = this.options;
    const known = (id: string) => replaced.includes(id) || this.before.has(id) || this.lost.has(id);
    // Nothing was listed before this create was sent: an older document may be anybody's.
    const unlisted = context.policy().duplicatePolicy === "create";
    return new Lookup({ context, service: context.service(), scope, signal, known, unlisted });
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
  async look(lookup: Lookup, attempt: Attempt, sent: SentContent, last: boolean): Promise<LookupResult> {
    const { call, context, inFlight } = this.options;
    for (;;) {
      const result = await lookup.once(attempt, sent, { anyName: last });
      if (!last || result.kind !== "ambiguous") return result;
      const others = inFlight.othersThatMade(result.documents, this.flight);
      if (others.length > 0) call.log.progress("documents like this one are being created: waiting for their outcome");
      await context.journal.refresh();
      const taken = await Promise.all(result.documents.map(({ id }) => lookup.isTaken(id)));
      if (others.length === 0 && !taken.includes(true)) return result;
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

// ---- Sending ----

/** How often one create may be sent in a run, each time only after proof that the one before led to nothing. */
const MOST_ATTEMPTS = 3;
/** How often lists are asked for again because the turn came late. */
const MOST_LOOKS = 4;
/** After Ctrl-C the engine waits five seconds for its plugins: a create that was sent may be answered, and kept in state. */
const CANCEL_GRACE_MS = 4_000;

/** Sends a document at most once, and finds out what became of it. */
class CreateSender {
  constructor(
    private readonly progress: CreateProgress,
    private readonly atStake: readonly AtStake[],
  ) {}

  get options(): CreateOptions {
    return this.progress.options;
  }

  /** Undefined where nothing was sent, because another run has sent the same meanwhile. */
  async send(spec: DocumentSpec, supersedes: readonly string[]): Promise<DocumentBody | undefined> {
    const document = await newDocument(spec);
    const { inFlight } = this.options;
    const late = this.#late();
    const flight = inFlight.begin(spec.name);
    this.progress.flight = flight;
    try {
      return await this.#sendWith(late.signal, document, spec, supersedes);
    } finally {
      inFlight.end(flight);
      late.release();
    }
  }

  async #sendWith(
    late: AbortSignal,
    document: NewDocument,
    spec: DocumentSpec,
    supersedes: readonly string[],
  ): Promise<DocumentBody | undefined> {
    const { call, context } = this.options;
    const { clock } = context;
    this.progress.supersedes = supersedes;
    for (let count = 1; ; count++) {
      const sent = await this.#once(document, spec, late);
      if (sent === undefined) return undefined;
      if ("found" in sent) return sent.found;
      const { attempt, lost } = sent;
      const { hints } = attempt;
      if (hints.length === 0) call.log.progress("the create's answer was lost: looking for the document");
      const { found, result } = await this.#settle(attempt, spec, late);
      const policy = context.policy();
      const waited = (until = clock.now()) =>
        waitedSince(attempt, clocksAt({ now: clock.now(), serviceNow: context.service().ticks() }, until));
      if (found) {
        if (hints.length === 0) call.log.info(`found document ${found.id}. No one is mailed again.`);
        return found;
      }
      if (result.kind === "absent") {
        const { proven, askedAt } = result;
        const now = clock.now();
        if (maySendAgain(attempt, { proven, waited: waited(askedAt), policy }) && count < MOST_ATTEMPTS) {
          this.progress.listedAt = askedAt;
          continue;
        }
        const answer = lost?.detail ?? (hints.length === 0 ? "the answer names no document" : undefined);
        const about = { ...result, answer, name: spec.name, waited: waited(), now, policy };
        throw new Refusal(unconfirmed(attempt, about), call.urn);
      }
      throw ambiguousCreate(call.urn, attempt, result);
    }
  }

  /** Sends it, and remembers what the answer named. What provably never happened is thrown, and forgotten. */
  async #once(
    document: NewDocument,
    spec: DocumentSpec,
    late: AbortSignal,
  ): Promise<
    { readonly attempt: Attempt; readonly lost?: AmbiguousWriteError } | { readonly found: DocumentBody } | undefined
  > {
    const { call, context, scope } = this.options;
    const { clock, journal } = context;
    const { supersedes, owned, knows } = this.progress;
    const { signal } = call;
    let found: DocumentBody | undefined;
    let refusals = 0;
    const sent = await sendAtMostOnce<Attempt, Turn, CreateAnswer>(
      {
        clock,
        serviceNow: () => context.service().ticks(),
        turn: work => context.service().turn(work, { signal }),
        begin: async line => {
          if (this.#isOutdated(line)) return undefined;
          const inFolder = spec.folderId !== undefined;
          const { account } = context.service();
          const about = { ...spec.content, ...line, inFolder, account, supersedes, owned, knows };
          const begun = await journal.begin(scope, about, this.progress.attempt);
          if (begun) this.progress.attempt = begun.token;
          if (begun && this.#hasLost()) {
            await journal.withdraw(scope, begun.token);
            this.progress.attempt = undefined;
            return undefined;
          }
          return begun;
        },
        confirm: this.atStake.length === 0 ? undefined : turn => this.#confirm(turn),
        owns: ({ token }) => journal.owns(scope, token),
        send: (turn, _, mayLeave) => turn.createDocument(document, { signal, graceMs: CANCEL_GRACE_MS, mayLeave }),
        withdraw: async ({ token }) => {
          await journal.withdraw(scope, token);
          this.progress.attempt = undefined;
        },
        refused: async (line, error) => {
          const until = error.retryAt ? ` until ${error.retryAt.toISOString()}` : "";
          call.log.progress(`the service asks to wait${until}: then the document is looked for, and sent again`);
          // Every other time twice: a service that refuses every so many requests would refuse each create in the same rhythm.
          for (let looks = refusals++ % 2; looks >= 0 && !found; looks--) {
            // Whatever asks the service waits for as long as it wants.
            const outcome = await this.#settle(line, spec, late, clock.now());
            ({ found } = outcome);
            const isClear = outcome.result.kind === "absent" && outcome.result.failed === undefined;
            if (!found && !isClear) throw error;
            if (outcome.result.kind === "absent") this.progress.listedAt = outcome.result.askedAt;
          }
          return !found;
        },
      },
      { lasts: lastsFor(document.pdf.size, context.policy()) },
    ).catch((error: unknown) => {
      throw error instanceof CancelledError && error.sent ? cancelledCreate(call.urn) : error;
    });
    if (found) {
      call.log.info(`found document ${found.id}. No one is mailed again.`);
      return { found };
    }
    if (sent.kind === "forestalled") {
      await this.#assertNotCreated();
      return undefined;
    }
    // Its request is over: nothing of it is on its way any more.
    const attempt: Attempt = { ...sent.line, lasts: undefined };
    if (sent.kind === "lost") return { attempt, lost: sent.error };
    const { hints, document: whole } = sent.answer;
    if (whole && (await this.#isSent(whole, attempt, spec)) && (await this.#claim(whole, spec)))
      return { found: whole };
    await this.#remember(attempt.token, hints);
    return { attempt: { ...attempt, hints, answered: true } };
  }

  /** A journal that can't be asked leaves it to the read. */
  #isSent(whole: DocumentBody, attempt: Attempt, spec: DocumentSpec): Promise<boolean> {
    const sent = { content: spec.content, spec };
    return this.progress
      .lookup()
      .isSent(whole, sent, attempt, spec.folderId)
      .catch((error: unknown) => {
        if (error instanceof JournalUnavailableError) return false;
        throw error;
      });
  }

  /**
   * Whether too much time has passed since the lists were asked for: a machine that has another journal, or whose lines
   * were lost again, may have sent the same. Where places are scarce, a create is decided anew so often and no more.
   */
  #isOutdated({ startedAt }: NewLine): boolean {
    const { listedAt = startedAt, tooOld } = this.progress;
    const { resendAfterMs } = this.options.context.policy();
    if (startedAt - listedAt < resendAfterMs / 2 || tooOld >= MOST_LOOKS) return false;
    this.progress.tooOld++;
    return true;
  }

  /** Whether what this create was decided on may be gone from the journal: the lists, asked again, show what others have sent. */
  #hasLost(): boolean {
    const { losses = this.options.context.journal.losses } = this.progress;
    return losses !== this.options.context.journal.losses;
  }

  /** Nothing that this create replaces was signed while it waited for its turn. */
  async #confirm(turn: Turn): Promise<void> {
    const { call, context, guard } = this.options;
    const service: Service = { ...context.service(), getDocument: turn.getDocument };
    for (const each of this.atStake) {
      const finding = await guard.examine(each.id, call, service);
      if (!finding.replaceable) throw new Refusal(blockedBy({ ...each, finding }), call.urn);
    }
  }

  /** Another run that has sent the same content for another resource is found when it is decided anew. */
  async #assertNotCreated(): Promise<void> {
    const { call, context, scope } = this.options;
    const { attempt, owned } = await context.journal.resource(scope);
    const { attempt: own, owned: known } = this.progress;
    if (attempt?.token !== own || owned.some(({ id }) => !known.includes(id))) throw createUnderWay(call.urn);
  }

  /** The service has said that it was done. A journal that is out of reach now must not lose what it said. */
  async #remember(token: string, hints: readonly string[]): Promise<void> {
    const { call, context, scope } = this.options;
    try {
      for (const id of hints.length > 0 ? hints : [undefined]) await context.journal.hint(scope, token, id);
    } catch (error) {
      const which = hints.length === 0 ? "without an id" : `with id ${hints.join(", ")}`;
      call.log.warn(`the service answered the create ${which}, and the journal can't be written: ${messageOf(error)}`);
    }
  }

  /** Reads what the answer named, then looks, until the document is found or the time for it is over. */
  async #settle(
    attempt: Attempt,
    spec: DocumentSpec,
    late: AbortSignal,
    until = this.options.context.clock.now() + this.options.context.policy().reconcileTimeoutMs,
  ): Promise<{ found?: DocumentBody; result: LookupResult }> {
    const { call } = this.options;
    const sent = { content: spec.content, spec };
    const lookup = this.progress.lookup({ signal: late });
    return this.progress.poll<{ found?: DocumentBody; result: LookupResult }>(until, async ({ first, last }) => {
      let result: LookupResult = { kind: "absent", proven: false };
      try {
        for (const id of attempt.hints) {
          const body = await lookup.confirm(id, sent, attempt);
          if (body && (await this.#claim(body, spec))) return { found: body, result };
        }
        // An answer that named an id is believed first: lists may lag behind it.
        if (attempt.hints.length === 0 || !first || last) {
          result = await this.progress.look(lookup, attempt, sent, last);
          for (const body of result.kind === "found" ? result.documents : [])
            if (await this.#claim(body, spec)) return { found: body, result };
        }
      } catch (error) {
        if (error instanceof CancelledError) throw cancelledCreate(call.urn, attempt.hints);
        if (!(error instanceof ServiceError || error instanceof JournalUnavailableError)) throw error;
        result = { kind: "absent", proven: false, failed: error.message };
      }
      if (!last) return undefined;
      return { result: result.kind === "found" ? { kind: "absent", proven: false } : result };
    });
  }

  async #claim(body: DocumentBody, spec: DocumentSpec): Promise<boolean> {
    const { call, context, inFlight, scope } = this.options;
    const { id } = body;
    const { content } = spec;
    const rewrittenAs = await rewrittenHash(body, { content, spec });
    const { supersedes } = this.progress;
    const about = { ...contentHashesOf(content), supersedes, rewrittenAs };
    return context.journal.claim(scope, id, about).catch((error: unknown) => {
      if (!inFlight.take(id)) return false;
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
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

// ---- Create ----

interface Taken {
  readonly kind: "taken";
  readonly body: DocumentBody;
  readonly supersedes: readonly string[];
}

/** One create, from the facts to the document: sent at most once, and never while what is known forbids it. */
class DocumentCreate {
  readonly #progress: CreateProgress;

  constructor(readonly options: CreateOptions) {
    this.#progress = new CreateProgress(options);
  }

  /** What is left to do: a document that is kept, or taken over, is named. */
  async next(): Promise<Taken | (CreatePlan & { kind: "keep" | "send" })> {
    const { call } = this.options;
    for (;;) {
      const gathering = new CreateFacts(this.#progress);
      const facts = await gathering.remembered();
      const plan = planFromMemory(facts) ?? planCreate(facts, await gathering.asked(facts));
      if (plan.kind === "refuse") throw new Refusal(plan.refusal, call.urn);
      if (plan.kind === "keep")
        call.log.info(`document ${plan.id} is kept, no one is mailed: ${plan.why}`, { keeps: 1 });
      if (plan.kind === "keep" || plan.kind === "send") return plan;
      const taken = await this.#take(plan);
      if (taken) return taken;
    }
  }

  /** In a preview, while the folder isn't known: fails where `pulumi up` does, whichever it is. False where it asked nothing. */
  async assertSendableAnywhere(): Promise<boolean> {
    const { call, context } = this.options;
    const gathering = new CreateFacts(this.#progress);
    const facts = await gathering.remembered();
    if (facts.interrupted || facts.earlierCreate || facts.predecessors.length > 0) return false;
    const { attempt, ...service } = await gathering.asked(facts);
    const isHeld = ({ owner }: ExactMatch) =>
      !owner || !(owner.released || owner.urn === facts.urn || context.deploymentLog.letsGo(owner.urn, owner.id));
    const plan = attempt
      ? undefined
      : planOthers(facts, { ...service, attempt, exactMatches: service.exactMatches.filter(isHeld) });
    if (plan?.kind === "refuse") throw new Refusal(plan.refusal, call.urn);
    return service.listedAt > 0;
  }

  /** Takes one of these documents for this resource; undefined where others have taken all of them. */
  async #take(plan: CreatePlan & { kind: "adopt" | "take-back" }): Promise<Taken | undefined> {
    const { call, context, existing, scope, spec } = this.options;
    const candidates: readonly OwnDocument[] =
      plan.kind === "take-back" ? plan.ours : plan.candidates.map(body => ({ body, supersedes: [], from: undefined }));
    for (const { body, from, isNamed = false, ...own } of candidates) {
      const supersedes = [...new Set([...own.supersedes, ...plan.supersedes])].filter(id => id !== body.id);
      const rewrittenAs = spec && (await rewrittenHash(body, { content: spec.content, spec }));
      const made = contentHashesOf(spec?.content);
      // In a folder that the program doesn't name, it wasn't made of this.
      const isElsewhere = spec !== undefined && body.folderId !== (spec.folderId ?? null);
      const about = { ...made, ...(isElsewhere && { fingerprint: undefined }), supersedes, from, rewrittenAs };
      const isTaken = call.preview ? !existing.isPromised(body.id) : await context.journal.claim(scope, body.id, about);
      if (isTaken) {
        const why = plan.kind === "adopt" ? plan.why : isNamed ? "DOCSIGN_ADOPT names it" : undefined;
        call.log.info(why === undefined ? takingBack(body) : takingOver(call, body, why), { takesBack: 1 });
        return { kind: "taken", body, supersedes };
      }
      // Another resource of this program has it: this one is another contract. Another run's is the same, and is named.
      if (call.preview || (await context.journal.owner(scope.service, body.id))?.run === context.journal.run)
        this.#progress.lost.add(body.id);
    }
    return undefined;
  }

  /**
   * Sends the document once, and finds out what became of it. Undefined where nothing was sent, because another run has
   * sent the same since it was planned.
   */
  send(spec: DocumentSpec, { supersedes, atStake }: CreatePlan & { kind: "send" }): Promise<DocumentBody | undefined> {
    return new CreateSender(this.#progress, atStake).send(spec, supersedes);
  }
}

// ---- Documents ----

/** A document in state, and what the program says of it. */
interface DocumentInState {
  readonly id: string;
  readonly outputs: DocumentState;
  readonly oldInputs: CheckedInputs;
  readonly inputs: CheckedInputs;
}

/** `situation`: a row's, by its set. */
interface CreateArguments {
  readonly inputs: CheckedInputs;
  readonly situation?: CreateSituation;
}

interface DeletedDocument {
  readonly id: string;
  readonly outputs: DocumentState;
  /** A row's, by its set. */
  readonly situation?: DeleteSituation;
  /** Gets the words about what is forgotten; without it they are a warning. */
  readonly tell?: ((words: string) => void) | undefined;
}

type HeldDocument = Omit<DocumentInState, "oldInputs">;

interface Differing extends DocumentInState {
  readonly changes: readonly Change[];
}

/** What a refusal says has changed, where `oldInputs` don't show it: a set keeps hashes of a row's. */
interface Told {
  readonly inputs: readonly string[];
  readonly words: readonly string[];
}

/** `unfinished`: why it isn't what the program says, though it is there. */
interface CreatedDocument {
  readonly id: string;
  readonly outputs: DocumentOutputs;
  readonly unfinished: readonly string[];
}

const isOfTemplate = ({ name }: Change): boolean => (TEMPLATE_INPUTS as readonly string[]).includes(name);

const isReplacing = (change: Change): change is DocumentChange => change.replaces;

/**
 * Documents sent out to be signed, single ones and rows of sets. The service can create one and show it, and nothing else:
 * no update, no delete. So every change is a replacement, and the guard decides whether it goes ahead.
 */
export class Documents {
  readonly #guard: ReplaceGuard;
  readonly #existing: ExistingDocuments;
  readonly #inFlight = new CreatesInFlight();
  readonly #memory: DocumentMemory;
  /** URNs read for an import: their next Diff is the import's, which takes what the service doesn't have for no difference. */
  readonly #imports = new Set<string>();

  constructor(readonly context: Context) {
    this.#existing = new ExistingDocuments(context);
    this.#memory = new DocumentMemory(context);
    this.#guard = new ReplaceGuard(context, {
      kind: "document",
      token: documentDeclaration.token,
      cause: "replace-signed",
      remedies: REPLACE_REMEDIES,
      examine: async (service, id, call) =>
        documentFinding(await readTwice(service, parseId(id), call.signal), call.secrets),
    });
  }

  /** What would have to be different for the program to be right; of terms, in state alone. */
  async compare(call: Call, { id, outputs, oldInputs, inputs }: DocumentInState): Promise<readonly Change[]> {
    const isWritten = isWrittenByProvider(id, outputs);
    const held = isWritten ? outputs : await this.#heldAs(call, id, oldInputs);
    const terms = this.#imports.delete(call.urn) ? [] : changedTerms(held, inputs);
    const service = originIn(held);
    if (this.context.deploymentLog.isOfProgram(call.urn)) this.assertHeldOnce(call, id, service);
    // A Diff that is refused shows as well what state holds.
    await this.#memory.show({ service, urn: call.urn }, id, held.supersedes ?? []);
    const all = changesOf(oldInputs, inputs, held);
    const changed = await this.#withoutSamePdf(call, all, { id, inputs, outputs: held });
    const isWanted = changed.length > 0 && (await this.isUnchanged(call, { id, outputs: held, inputs }));
    // Update writes the service's outputs in place of those, or the program's inputs in place of imported ones.
    const rewritten = isWritten && !isWanted ? [] : [REWRITTEN];
    return [...terms, ...(isWanted ? [] : changed), ...rewritten];
  }

  /** The changes, where none of them takes a document that somebody has signed. */
  async diff(call: Call, args: Differing): Promise<readonly Change[]> {
    const { known, replacing } = await this.#assertReplaceable(call, args);
    const changed = [...new Set(replacing.map(({ name }) => name))];
    this.context.deploymentLog.diffed(call.urn, args.id, changed.length === 0 ? "none" : "replace", {
      ...known,
      ...(changed.length === 0 ? {} : { changed }),
    });
    return args.changes;
  }

  /** Whether a row's document is what the program says. One that isn't must be replaceable. */
  async isAsWanted(call: Call, args: DocumentInState, told?: Told): Promise<boolean> {
    const changes = await this.compare(call, args);
    return (await this.#assertReplaceable(call, { ...args, changes }, told)).replacing.length === 0;
  }

  async #assertReplaceable(call: Call, { id, outputs, oldInputs, inputs, changes }: Differing, told?: Told) {
    const known = isWrittenByProvider(id, outputs)
      ? { supersedes: outputs.supersedes ?? [], service: originIn(outputs) }
      : { supersedes: [], service: this.context.service().origin };
    const replacing = changes.filter(isReplacing);
    const certain = replacing.filter(({ unknown }) => !unknown);
    if (certain.length > 0) {
      assertSameService(this.context, known.service, `document ${id}`, call.urn);
      const words = told?.words ?? describeChanges(certain, oldInputs, inputs, call.secrets);
      await this.#guard.beforeReplacing(call, id, words, told?.inputs ?? certain.map(({ name }) => name));
    } else if (replacing.length > 0) {
      const names = replacing.map(({ path }) => path).join(", ");
      call.log.warn(
        `${names} ${replacing.length === 1 ? "isn't" : "aren't"} known yet, so document ${id} may have to be replaced. ` +
          "That is decided once the value is known, and only an unsigned document is replaced.",
      );
    } else await this.#memory.warnOfUnfinished(call, { service: known.service, urn: call.urn }, id);
    return { known, replacing };
  }

  /** What `create` would do, said and not done: the id of the document that it would keep or take, or nothing. */
  async preview(
    call: Call,
    { inputs, situation }: CreateArguments,
  ): Promise<{ readonly id: string; readonly service: string }> {
    const create = await this.#creating(call, inputs, situation);
    const { scope, spec } = create.options;
    const next = await create.next();
    if (next.kind === "send") {
      if (!spec) await this.#assertSendable(inputs, create.options);
      announceMail(call, inputs, next);
    }
    return { id: next.kind === "send" ? "" : next.kind === "keep" ? next.id : next.body.id, service: scope.service };
  }

  async create(call: Call, { inputs, situation }: CreateArguments): Promise<CreatedDocument> {
    const create = await this.#creating(call, inputs, situation);
    const { scope, spec } = create.options;
    for (;;) {
      const next = await create.next();
      if (next.kind === "keep") return this.#keep(call, scope, inputs, next, spec);
      if (next.kind === "taken") return this.#created(call, inputs, next.body, next.supersedes);
      if (!spec) throw new UserError("the PDF isn't known, so nothing was created");
      const body = await this.#send(create, spec, next);
      if (body) return this.#created(call, inputs, body, next.supersedes);
    }
  }

  async #creating(call: Call, inputs: CheckedInputs, situation: CreateSituation | undefined) {
    const context = previewing(this.context, call);
    const { creationMarker } = context.policy();
    const spec = await specOf(inputs, { urn: call.urn, creationMarker, pdfs: context.pdfs });
    const urn = rememberedUrn(call.urn, spec?.content.fingerprint);
    const scope: Scope = { service: context.service().origin, urn };
    return new DocumentCreate({
      context,
      guard: this.#guard,
      existing: this.#existing,
      inFlight: this.#inFlight,
      call,
      scope,
      spec,
      situation: situation ?? context.deploymentLog.situationOf(urn),
    });
  }

  /** While an input isn't known: a folder that is yet to be made is no reason to find out half-way what is refused. */
  async #assertSendable({ folderId: _, ...inputs }: CheckedInputs, options: CreateOptions): Promise<void> {
    const { call, context, scope } = options;
    const spec = await specOf(inputs, { urn: scope.urn, creationMarker: false, pdfs: context.pdfs });
    const isAsked = spec && (await new DocumentCreate({ ...options, spec }).assertSendableAnywhere());
    // Wrong settings show before anything is announced.
    if (!isAsked) await this.#existing.before(call, false);
  }

  /** What the service shows; undefined where it doesn't show a document that state has. Without inputs it is an import. */
  async read(
    call: Call,
    { id, inputs, outputs }: { id: string; inputs?: Stored<DocumentInputs>; outputs?: DocumentState },
  ) {
    const service = this.context.service();
    const isWritten = outputs !== undefined && isWrittenByProvider(id, outputs);
    const imported = inputs === undefined || !isWritten;
    assertSameService(this.context, outputs?.service, `document ${id}`, call.urn);
    const document = await this.#body(call, id).catch((error: unknown) => {
      if (!(error instanceof NotFoundError)) throw error;
      if (imported) throw notShown(id, call.urn, error);
      return undefined;
    });
    if (!document) {
      call.log.warn(
        `the service doesn't show document ${id}, so state keeps what it knew. The service can't delete documents: check docsign:baseUrl and that the key belongs to the account that owns the document.`,
      );
      return undefined;
    }
    if (inputs === undefined) this.#imports.add(call.urn);
    const known = inputs ?? (await importedInputs(document, service, call.signal));
    if (inputs && !isWritten) this.#assertSame(call, document, inputs);
    if (imported && known.base64File === undefined) {
      call.log.warn(
        `the service doesn't show the hash of document ${document.id}'s PDF, and the PDF can't be downloaded, so it can't be compared: whatever \`file\` or \`base64File\` the program gives counts as that PDF.`,
      );
    }
    const kept = historyOf(id, inputs && outputs);
    const scope: Scope = { service: service.origin, urn: call.urn };
    const fingerprint = imported ? await this.#memory.attempted(call, scope, document) : undefined;
    await this.#memory.show(scope, document.id, kept.supersedes, { imported, fingerprint });
    const state = this.#outputs(document, known, kept);
    // One that never arrived in its folder stays unfinished; one that was moved from there has drifted.
    const isRequired = this.context.policy().folderPlacement === "require";
    const unfinished =
      isRequired && outputs && outputs.folderId !== known.folderId
        ? unplaced(this.context.policy(), call, document, known)
        : [];
    return { id: document.id, inputs: known, outputs: state, unfinished, signingStage: document.signingStage };
  }

  /** A service may store a document differently than it was sent: an import of what the program sent is no change. */
  async isUnchanged(call: Call, args: HeldDocument): Promise<boolean> {
    return args.outputs.imported === true && (await this.isSent(call, args));
  }

  /** Whether it is what this resource sent for these inputs. */
  async isSent({ urn }: Call, { id, outputs, inputs }: HeldDocument): Promise<boolean> {
    const sent = await this.#memory.fingerprint({ service: originIn(outputs), urn }, id);
    if (sent === undefined) return false;
    const spec = await specOf(inputs, { urn, creationMarker: false, pdfs: this.context.pdfs });
    return spec?.content.fingerprint === sent;
  }

  /** What the service was sent is immutable, so an update changes the terms, or finishes what a create left open. */
  async update(
    call: Call,
    { id, outputs: olds, inputs: news }: HeldDocument,
  ): Promise<{ readonly outputs: DocumentState; readonly unfinished?: readonly string[] }> {
    assertSameService(this.context, olds.service, `document ${id}`, call.urn);
    await this.#memory.show({ service: originIn(olds), urn: call.urn }, id, olds.supersedes ?? []);
    if (this.#isWhole(id, olds, news) && changedTerms(olds, news).length > 0)
      return { outputs: { ...withoutTerms(olds), ...termsIn(news), drift: driftOf(news, olds) } };
    const document = await this.#body(call, id).catch((error: unknown) => {
      throw error instanceof NotFoundError ? notShown(id, call.urn, error, { inState: true }) : error;
    });
    if (!isWrittenByProvider(id, olds)) this.#assertSame(call, document, news);
    const outputs = await this.withKeyNeeded(call, this.#outputs(document, news, historyOf(id, olds)), olds);
    return { outputs, unfinished: unplaced(this.context.policy(), call, document, news) };
  }

  /** Whether nothing is left to do at the service: a create may have ended before its document could be read, or was in its folder. */
  #isWhole(id: string, olds: DocumentState, news: CheckedInputs): boolean {
    const isPlaced = this.context.policy().folderPlacement !== "require" || olds.folderId === news.folderId;
    return isWrittenByProvider(id, olds) && olds.versions !== undefined && olds.status !== "unknown" && isPlaced;
  }

  async delete(call: Call, { id, outputs, situation: given, tell }: DeletedDocument): Promise<void> {
    const { journal, deploymentLog } = this.context;
    const situation = given ?? deploymentLog.situationOfDelete(call.urn, id);
    const known = { supersedes: outputs.supersedes ?? [], service: originIn(outputs) };
    const scope: Scope = { service: known.service, urn: call.urn };
    const successor = await this.#guard.beforeDeleting(call, id, known.service, situation, waiting =>
      likelySuccessor(waiting, storedFeatures(outputs)),
    );
    if (successor !== undefined) await journal.replace({ ...scope, urn: successor }, id, known.supersedes);
    else if (situation.kind !== "kept") {
      const words = forgetting(id, outputs, this.context.origin(), call);
      if (tell) tell(words);
      else call.log.warn(words);
      await this.#memory.warnOfUnfinished(call, scope, id);
      // A journal that can't be written must not keep a stack from being destroyed.
      const owning = await owningScope(this.context, scope, id);
      await journal.release(owning, id, known.supersedes).catch(() => undefined);
    }
    deploymentLog.deleted(successor ?? call.urn, id, known);
  }

  /**
   * Diff shows that state has it under this name. Under another name of the program as well, it would be two contracts by
   * the program, and one by the service.
   */
  assertHeldOnce({ urn }: Call, id: string, service: string): void {
    const other = this.context.deploymentLog.shows(urn, service, id);
    if (other === undefined) return;
    const names = `\`${nameOf(other)}\` and \`${nameOf(urn)}\``;
    throw new Refusal(
      {
        cause: "held-twice",
        headline: `${names} both hold document ${id} in state. Nothing was changed.`,
        remedies: [
          {
            kind: "advice",
            text: "take one of the two out of the program, and run `pulumi up`: the other one keeps the document, and nobody is mailed",
          },
        ],
      },
      urn,
    );
  }

  /** What Diff shows of a row's state, where nothing of it has changed. */
  learn({ urn }: Call, id: string, outputs: DocumentState): Promise<void> {
    return this.#memory.show({ service: originIn(outputs), urn }, id, outputs.supersedes ?? []);
  }

  /** Diff has shown that state will let go of it. Another resource that wants it may have it before it is deleted. */
  async givesUp({ urn }: Call, id: string, service: string): Promise<void> {
    const owner = await owningScope(this.context, { service, urn }, id);
    this.context.deploymentLog.gives(owner.urn, id);
  }

  /** Refuses a forced replacement that the service's own word doesn't allow. Nothing is remembered. */
  async assertReplaceable(call: Call, { id, outputs }: { id: string; outputs: DocumentState }): Promise<void> {
    assertSameService(this.context, originIn(outputs), `document ${id}`, call.urn);
    await this.#guard.beforeForcing(call, id);
  }

  /** A template that changed may still print the PDF that the service holds. */
  async #withoutSamePdf(
    call: Call,
    changes: readonly DocumentChange[],
    { id, inputs: news, outputs: held }: HeldDocument,
  ): Promise<readonly DocumentChange[]> {
    const { pdfs } = this.context;
    if (!changes.some(isOfTemplate) || !isAtHand(news, pdfs)) return changes;
    const isSame =
      (held.sha256 !== undefined && (await isPdf(news, held.sha256.toLowerCase(), pdfs))) ||
      // The service shows no hash, or another PDF's; the journal has what was sent.
      (changes.every(isOfTemplate) && (await this.isSent(call, { id, outputs: held, inputs: news })));
    return isSame ? changes.filter(change => !isOfTemplate(change)) : changes;
  }

  /** The service's document in place of outputs that the provider didn't write. */
  async #heldAs(call: Call, id: string, inputs: CheckedInputs): Promise<DocumentOutputs> {
    const document = await this.#body(call, id).catch((error: unknown) => {
      throw error instanceof NotFoundError ? notShown(id, call.urn, error) : error;
    });
    return this.#assertSame(call, document, inputs);
  }

  #assertSame(call: Call, document: DocumentBody, inputs: CheckedInputs): DocumentOutputs {
    const held = this.#outputs(document, inputs, { supersedes: [], imported: true });
    assertSameDocument(call.urn, document, inputs, held);
    return held;
  }

  /** The interface doesn't show whether certificates want the key: it is tried once for an address. */
  async withKeyNeeded(call: Call, outputs: DocumentOutputs, olds: DocumentState | undefined): Promise<DocumentOutputs> {
    const address = outputs.certificates.btcUrl;
    if (address === null) return outputs;
    const known = olds?.certificates?.btcUrl === address ? olds.certificatesNeedKey : undefined;
    const certificatesNeedKey = known ?? (await needsKey(this.context.service(), address, { signal: call.signal }));
    return { ...outputs, certificatesNeedKey };
  }

  #body(call: Call, id: string): Promise<DocumentBody> {
    return readTwice(this.context.service(), parseId(id, "a document's id"), call.signal);
  }

  #outputs(document: DocumentBody, inputs: CheckedInputs, kept: DocumentHistory): DocumentOutputs {
    const outputs = outputsOf(document, this.context.service(), { ...kept, drift: [], terms: termsIn(inputs) });
    return { ...outputs, drift: driftOf(inputs, outputs) };
  }

  async #keep(
    call: Call,
    scope: Scope,
    inputs: CheckedInputs,
    plan: CreatePlan & { kind: "keep" },
    spec: DocumentSpec | undefined,
  ): Promise<CreatedDocument> {
    await this.context.journal.claim(scope, plan.id, {
      ...contentHashesOf(spec?.content),
      supersedes: plan.supersedes,
    });
    await this.#memory.warnOfUnfinished(call, scope, plan.id);
    const kept = { supersedes: plan.supersedes, imported: false };
    let document: DocumentBody;
    try {
      document = await this.#body(call, plan.id);
    } catch (error) {
      this.context.deploymentLog.created(call.urn, plan.id);
      if (isUnreadable(error) && (await this.#isListed(call, plan.id, inputs)))
        return this.#listed(call, inputs, plan.id, plan.supersedes);
      const unfinished = [
        `document ${plan.id} is kept, but it couldn't be read: ${messageOf(error)}`,
        "Run `pulumi up` again: it is read then, and no one is mailed.",
      ];
      return { id: plan.id, outputs: bareOutputs(plan.id, inputs, kept, scope.service), unfinished };
    }
    return this.#created(call, inputs, document, plan.supersedes);
  }

  /** Whether a list shows the id under the name that the program says. */
  async #isListed(call: Call, id: string, inputs: CheckedInputs): Promise<boolean> {
    const listed = await this.#existing.before(call, false).catch(() => undefined);
    const name = known(inputs.name) ?? "";
    return listed?.rows.some(row => row.id === id && sameText(name, row.name)) === true;
  }

  /** A create that fails after the delete leaves a replacement half done: the message says with what. */
  async #send(
    create: DocumentCreate,
    spec: DocumentSpec,
    plan: CreatePlan & { kind: "send" },
  ): Promise<DocumentBody | undefined> {
    const { replaces } = plan;
    try {
      return await create.send(spec, plan);
    } catch (error) {
      if (replaces.length > 0 && error instanceof Error) {
        error.message += `\nDocument ${replaces.map(({ id }) => id).join(", ")}, which the new one was to replace, is still at the service: with the program reverted, \`pulumi up\` keeps it in the stack and mails no one.`;
      }
      throw error;
    }
  }

  /** The document exists, and only a list shows it. What isn't known counts as signed, so nothing replaces it. */
  #listed(call: Call, inputs: CheckedInputs, id: string, supersedes: readonly string[]): CreatedDocument {
    call.log.warn(
      `document ${id} is listed under its name, and the service doesn't show it: state has its id, and whatever else only the service knows comes with \`pulumi refresh\` once it does. Nobody is mailed again.`,
    );
    return { id, outputs: bareOutputs(id, inputs, { supersedes }, this.context.service().origin), unfinished: [] };
  }

  /** The document exists and is this resource's: from here on nothing may lose its id. */
  #created(call: Call, inputs: CheckedInputs, document: DocumentBody, supersedes: readonly string[]): CreatedDocument {
    this.context.deploymentLog.created(call.urn, document.id);
    if (document.onlyListed) return this.#listed(call, inputs, document.id, supersedes);
    const outputs = this.#outputs(document, inputs, { supersedes, imported: false });
    return { id: document.id, outputs, unfinished: unplaced(this.context.policy(), call, document, inputs) };
  }
}

type DocumentHistory = Pick<StateOnly, "supersedes" | "imported">;

/** What state alone knows of a document, as far as the provider wrote it. */
function historyOf(id: string, outputs: DocumentState = {}): DocumentHistory {
  const { supersedes = [], imported } = isWrittenByProvider(id, outputs) ? outputs : { imported: true };
  return { supersedes, imported: imported === true };
}

// ---- The resource ----

/** A Document, as the engine calls it. What it does is `Documents`', which rows of sets share. */
const documentResource = defineOurs<
  typeof documentInputs,
  typeof documentOutputs,
  typeof documentListInputs,
  never,
  Documents
>({
  ...documentDeclaration,
  deleteBeforeReplace: true,

  async check({ call, context: { context }, inputs: news, olds }) {
    const { inputs, checked, failures, warnings } = await checkDocument(
      { olds, news, secrets: call.secrets },
      context.pdfs,
    );
    for (const warning of warnings) call.log.warn(warning);
    context.deploymentLog.checked(call.urn, olds !== undefined, wantedFeatures(checked));
    return { inputs, failures };
  },

  compare: ({ call, context: documents, ...existing }) => documents.compare(call, existing),

  diff: ({ call, context: documents, ...existing }) =>
    documents.diff(call, existing).catch((error: unknown) => {
      const { id, oldInputs, inputs } = existing;
      const change = { ids: { "": id }, before: oldInputs as Values, after: inputs as Values };
      throw withChange(error, change, { ...call, ...documents.context.policy() });
    }),

  async preview({ call, context: documents, inputs, before }) {
    if (before) {
      const { outputs, ...made } = await documents.update(call, { ...before, inputs });
      return { ...made, outputs: { ...withoutTerms(outputs), ...givenTerms(inputs) } };
    }
    const { id, service } = await documents.preview(call, { inputs });
    return { id, outputs: previewOutputs(inputs, service) };
  },

  create: ({ call, context: documents, inputs }) => documents.create(call, { inputs }),

  async read({ call, context: documents, ...state }) {
    const { inputs, outputs } = state;
    const read = await documents.read(call, state);
    if (!read) return { outputs: outputs ?? {} };
    const { id, unfinished } = read;
    const found = await documents.withKeyNeeded(call, read.outputs, outputs);
    return { id, outputs: found, unfinished, ...(inputs ? {} : { inputs: read.inputs }) };
  },

  update: ({ call, context: documents, ...existing }) => documents.update(call, existing),

  delete: ({ call, context: documents, id, outputs }) => documents.delete(call, { id, outputs }),

  list: ({ call, context: { context }, ...args }) => listDocuments(context, call, args),
});

export const serveDocument = (documents: Documents): Resource => ({
  ...documentResource.serve(() => documents),
  isUnchanged: (call, { id, outputs, inputs }) =>
    documents.isUnchanged(call, { id, outputs: stateIn(outputs), inputs: inputsIn(inputs) }),
});
