import { type AmbiguousWriteError, CancelledError, ServiceError } from "../../client/errors.js";
import type { CreateAnswer, DocumentBody, NewDocument, Service, Turn } from "../../client/service.js";
import { type NewLine, sendAtMostOnce } from "../at-most-once.js";
import type { Attempt } from "../journal/contract.js";
import { JournalUnavailableError } from "../journal/log.js";
import { Refusal } from "../refusal.js";
import { clocksAt, lastsFor, maySendAgain, waitedSince } from "./attempt-age.js";
import type { CreateOptions, CreateProgress } from "./create-progress.js";
import { ambiguousCreate, blockedBy, cancelledCreate, createUnderWay, unconfirmed } from "./create-refusals.js";
import type { Looked } from "./lookup.js";
import { rewrittenHash } from "./match.js";
import type { AtStake } from "./plan-facts.js";
import { type DocumentSpec, newDocument } from "./spec.js";

/** How often one create may be sent in a run, each time only after proof that the one before led to nothing. */
const MOST_ATTEMPTS = 3;
/** How often lists are asked for again because the turn came late. */
const MOST_LOOKS = 4;
/** After Ctrl-C the engine waits five seconds for its plugins: a create that was sent may be answered, and kept in state. */
const CANCEL_GRACE_MS = 4_000;

/** Sends a document at most once, and finds out what became of it. */
export class CreateSender {
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
      if (hints.length === 0) call.log.info("the create's answer was lost: looking for the document");
      const { found, looked } = await this.#settle(attempt, spec, late);
      const policy = context.policy();
      const waited = (until = clock.now()) =>
        waitedSince(attempt, clocksAt({ now: clock.now(), serviceNow: context.service().ticks() }, until));
      if (found) {
        if (hints.length === 0) call.log.info(`found document ${found.id}. No one is mailed again.`);
        return found;
      }
      if (looked.kind === "absent") {
        const { proven, oldest, failed, askedAt } = looked;
        const now = clock.now();
        if (maySendAgain(attempt, { proven, waited: waited(askedAt), policy }) && count < MOST_ATTEMPTS) {
          this.progress.listedAt = askedAt;
          continue;
        }
        const answer = lost?.detail ?? (hints.length === 0 ? "the answer names no document" : undefined);
        const found = { proven, oldest, failed, answer, name: spec.name };
        throw new Refusal(unconfirmed(attempt, { ...found, waited: waited(), now, policy }), call.urn);
      }
      throw ambiguousCreate(call.urn, attempt, looked);
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
          const about = { ...spec.content, ...line, supersedes, owned, knows };
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
            const settled = await this.#settle(line, spec, late, clock.now());
            ({ found } = settled);
            const isClear = settled.looked.kind === "absent" && settled.looked.failed === undefined;
            if (!found && !isClear) throw error;
            if (settled.looked.kind === "absent") this.progress.listedAt = settled.looked.askedAt;
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
  ): Promise<{ found?: DocumentBody; looked: Looked }> {
    const { call } = this.options;
    const sent = { content: spec.content, spec };
    const lookup = this.progress.lookup({ signal: late });
    return this.progress.poll<{ found?: DocumentBody; looked: Looked }>(until, async ({ first, last }) => {
      let looked: Looked = { kind: "absent", proven: false };
      try {
        for (const id of attempt.hints) {
          const body = await lookup.confirm(id, sent, attempt);
          if (body && (await this.#claim(body, spec))) return { found: body, looked };
        }
        // An answer that named an id is believed first: lists may lag behind it.
        if (attempt.hints.length === 0 || !first || last) {
          looked = await this.progress.look(lookup, attempt, sent, last);
          for (const body of looked.kind === "found" ? looked.documents : [])
            if (await this.#claim(body, spec)) return { found: body, looked };
        }
      } catch (error) {
        if (error instanceof CancelledError) throw cancelledCreate(call.urn, attempt.hints);
        if (!(error instanceof ServiceError || error instanceof JournalUnavailableError)) throw error;
        looked = { kind: "absent", proven: false, failed: error.message };
      }
      if (!last) return undefined;
      return { looked: looked.kind === "found" ? { kind: "absent", proven: false } : looked };
    });
  }

  async #claim(body: DocumentBody, spec: DocumentSpec): Promise<boolean> {
    const { call, context, inFlight, scope } = this.options;
    const { id } = body;
    const { content } = spec;
    const rewrittenAs = await rewrittenHash(body, { content, spec });
    const about = { fingerprint: content.fingerprint, supersedes: this.progress.supersedes, rewrittenAs };
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
