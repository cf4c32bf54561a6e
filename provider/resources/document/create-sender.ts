import { AmbiguousWriteError, CancelledError, RateLimitedError, ServiceError } from "../../client/errors.js";
import type { DocumentBody, NewDocument } from "../../client/service.js";
import type { Attempt } from "../journal/contract.js";
import { Refusal } from "../refusal.js";
import type { CreateOptions, CreateProgress } from "./create-progress.js";
import { ambiguousCreate, cancelledCreate, createUnderWay, unconfirmed } from "./create-refusals.js";
import type { Looked } from "./lookup.js";
import { maySendAgain } from "./plan-create.js";
import { type DocumentSpec, newDocument } from "./spec.js";

/** How often one create may be sent in a run, each time only after proof that the one before led to nothing. */
const MOST_ATTEMPTS = 3;
/** After Ctrl-C the engine waits five seconds for its plugins: a create that was sent may be answered, and kept in state. */
const CANCEL_GRACE_MS = 4_000;

/** Sends a document at most once, and finds out what became of it. */
export class CreateSender {
  constructor(private readonly progress: CreateProgress) {}

  get options(): CreateOptions {
    return this.progress.options;
  }

  /** Sends the document once, and finds out what became of it. */
  async send(spec: DocumentSpec, supersedes: readonly string[]): Promise<DocumentBody> {
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
  ): Promise<DocumentBody> {
    const { call, context, scope } = this.options;
    const { clock, journal } = context;
    this.progress.supersedes = supersedes;
    for (let count = 1; ; count++) {
      const startedAt = clock.now();
      const serviceTime = context.service().now()?.getTime();
      const { attempt: before, owned } = this.progress;
      const about = { ...spec.content, startedAt, serviceTime, supersedes, owned };
      const begun = await journal.begin(scope, about, before);
      if (!begun) throw createUnderWay(call.urn);
      this.progress.attempt = begun.token;
      const { hints, lost } = await this.#once(document, begun.token);
      const attempt: Attempt = { ...begun, hints, answered: !lost };
      if (hints.length === 0) call.log.info("the create's answer was lost: looking for the document");
      for (const id of lost || hints.length > 0 ? hints : [undefined]) await journal.hint(scope, begun.token, id);
      let { found, looked } = await this.#settle(attempt, spec, late);
      const policy = context.policy();
      const wait = startedAt + policy.resendAfterMs - clock.now();
      // So common that a run waits for it: most services mean that nothing was done, and none has to.
      if (!found && wait > 0 && isProvenAbsent(looked) && lost?.cause instanceof RateLimitedError) {
        const until = new Date(clock.now() + wait).toISOString();
        call.log.progress(`too many requests: waiting until ${until}, then looking again before it is sent again`);
        await this.progress.wait(wait);
        // One more look each time: a service that refuses every so many requests would refuse each create in the same rhythm.
        for (let look = 0; look < count && !found; look++)
          ({ found, looked } = await this.#settle(attempt, spec, late, clock.now()));
      }
      if (found) {
        if (hints.length === 0) call.log.info(`found document ${found.id}. No one is mailed again.`);
        return found;
      }
      const now = clock.now();
      const waited = now - startedAt;
      if (looked.kind === "absent") {
        const { proven, failed } = looked;
        if (maySendAgain(attempt, { proven, waited, policy }) && count < MOST_ATTEMPTS) continue;
        const answer = lost?.detail ?? (hints.length === 0 ? "the answer names no document" : undefined);
        throw new Refusal(unconfirmed(attempt, { proven, failed, waited, now, policy, answer }), call.urn);
      }
      throw ambiguousCreate(call.urn, attempt, looked);
    }
  }

  /** The ids that the answer named; none where it was lost. What provably never happened is thrown, and forgotten. */
  async #once(
    document: NewDocument,
    token: string,
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
      if (error instanceof ServiceError && !cancelled) await context.journal.withdraw(scope, token);
      if (cancelled) throw cancelledCreate(call.urn);
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
    const { call } = this.options;
    const sent = { content: spec.content, spec };
    const lookup = this.progress.lookup({ signal: late });
    return this.progress.poll<{ found?: DocumentBody; looked: Looked }>(until, async ({ first, last }) => {
      let looked: Looked = { kind: "absent", proven: false };
      try {
        for (const id of attempt.hints) {
          const body = await lookup.confirm(id, sent, attempt);
          if (body && (await this.#claim(body.id, spec))) return { found: body, looked };
        }
        // An answer that named an id is believed first: lists may lag behind it.
        if (attempt.hints.length === 0 || !first || last) {
          looked = await this.progress.look(lookup, attempt, sent, last);
          for (const body of looked.kind === "found" ? looked.documents : [])
            if (await this.#claim(body.id, spec)) return { found: body, looked };
        }
      } catch (error) {
        if (error instanceof CancelledError) throw cancelledCreate(call.urn);
        if (!(error instanceof ServiceError)) throw error;
        looked = { kind: "absent", proven: false, failed: error.message };
      }
      if (!last) return undefined;
      return { looked: looked.kind === "found" ? { kind: "absent", proven: false } : looked };
    });
  }

  #claim(id: string, { content: { fingerprint } }: DocumentSpec): Promise<boolean> {
    const { call, context, scope } = this.options;
    return context.journal
      .claim(scope, id, { fingerprint, supersedes: this.progress.supersedes })
      .catch((error: unknown) => {
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

const isProvenAbsent = (looked: Looked): boolean => looked.kind === "absent" && looked.proven;
