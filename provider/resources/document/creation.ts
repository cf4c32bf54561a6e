import {
  AmbiguousWriteError,
  CancelledError,
  RateLimitedError,
  ServiceError,
  ServiceFaultError,
  TimeoutError,
  TransportError,
  UnreadableAnswerError,
} from "../../client/errors.js";
import type { DocumentBody, NewDocument, Service } from "../../client/service.js";
import type { Context } from "../context.js";
import type { Guard } from "../guard.js";
import type { Scope } from "../journal/journal.js";
import { type Call, oneLine, UserError } from "../resource.js";
import type { Content } from "./content.js";
import { byId } from "./document-state.js";
import { type Found, Lookup } from "./lookup.js";

/** How often one create may be sent, each time only after looking proved that the one before led to nothing. */
const MOST_ATTEMPTS = 3;
const FIRST_LOOK_MS = 250;
const LONGEST_PAUSE_MS = 4_000;

export interface Made {
  readonly id: string;
  /** The whole document, where the service has already told it. */
  readonly document: DocumentBody | undefined;
}

interface Looking {
  /** What became of the request, where that is known. */
  readonly lost?: ServiceError;
  /** The create was an earlier run's. */
  readonly recovered?: boolean;
}

/**
 * Creates a document at most once. A request that may have arrived is never sent again before looking has shown that it
 * led to nothing; what it led to is taken over.
 */
export class Creation {
  readonly #lookup: Lookup;

  constructor(
    private readonly context: Context,
    private readonly service: Service,
    private readonly guard: Guard,
    private readonly call: Call,
    private readonly scope: Scope,
    private readonly content: Content,
    private readonly supersedes: readonly string[],
  ) {
    this.#lookup = new Lookup(service, context, call.signal);
  }

  /** In a preview: whether an earlier run began this create and never saw the end of it. Looking is for `up`. */
  async isOpen(): Promise<boolean> {
    const { intent } = await this.context.journal.of(this.scope);
    if (!intent) return false;
    this.call.log.warn(
      "An earlier create of this document has no known outcome. `pulumi up` looks for the document first, and sends nothing that has already arrived.",
    );
    return true;
  }

  /** Before sending: a create of this resource that an earlier run began and never saw the end of. */
  async unfinished(): Promise<Made | undefined> {
    const { intent } = await this.context.journal.of(this.scope);
    if (!intent) return undefined;
    const found = await this.#look(intent, intent.startedAt, { recovered: true });
    if (!found) {
      await this.context.journal.withdraw(this.scope);
      return undefined;
    }
    const same = intent.fingerprint === this.content.fingerprint;
    // State won't hear of it: however this run ends, the document stays remembered as one that nobody has.
    if (!same) await this.context.journal.unsettle(this.scope, found.id);
    if (same) {
      this.call.log.info(
        `document ${found.id} was created by an earlier run that never saw the answer: it is taken over, no one is mailed again`,
      );
      return found;
    }
    throw new UserError(
      [
        `an earlier run created document ${found.id} for this resource with other content and never saw the answer. It is alive at the service, so nothing more was created.`,
        ...this.guard.waysOn(this.scope, found.id),
      ].join("\n"),
    );
  }

  async send(document: NewDocument): Promise<Made> {
    const startedAt = this.context.clock.now();
    await this.context.journal.intend(this.scope, { ...this.content, startedAt });
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#once(document);
      if (!(outcome instanceof ServiceError)) {
        if (await this.#claimAnswered(outcome.id)) return outcome;
      } else {
        this.call.log.info(
          "the answer to creating the document was lost: looking for it before anything is sent again",
        );
      }
      const found = await this.#look(this.content, startedAt, outcome instanceof ServiceError ? { lost: outcome } : {});
      if (found) {
        this.call.log.info(`found it: document ${found.id}. No one is mailed again.`);
        return found;
      }
      if (attempt < MOST_ATTEMPTS && (!(outcome instanceof ServiceError) || ledToNothing(outcome))) continue;
      if (outcome instanceof ServiceError) throw this.#gaveUp(outcome);
      return outcome;
    }
  }

  /** The answer, or why there is no telling. What provably never happened is thrown, and forgotten. */
  async #once(document: NewDocument): Promise<Made | ServiceError> {
    try {
      const answer = await this.service.createDocument(document, { signal: this.call.signal });
      const [id] = answer.hints;
      if (id === undefined) return new UnreadableAnswerError("the answer to the create has no id");
      return { id, document: answer.document };
    } catch (error) {
      if (error instanceof AmbiguousWriteError) return error;
      const cancelledOnTheWay = error instanceof CancelledError && error.sent;
      if (error instanceof ServiceError && !cancelledOnTheWay) await this.context.journal.withdraw(this.scope);
      if (!cancelledOnTheWay) throw error;
      throw new UserError(
        "cancelled while the document was being created, so it isn't known whether the service has it. Run `pulumi up` again: it is looked for before anything is sent.",
      );
    }
  }

  /** Looks until the document appears or the time to wait for it is over. */
  async #look(content: Content, startedAt: number, how: Looking): Promise<Made | undefined> {
    const { clock } = this.context;
    const until = clock.now() + this.context.policy().reconcileTimeoutMs;
    for (let pause = FIRST_LOOK_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const last = clock.now() >= until;
      const { matches, doubtful, complete } = await this.#candidates(content, startedAt, how, last);
      const free = await this.#notMoreThanWanted(content, matches);
      for (const match of free) if (await this.#claim(match.id, content)) return { id: match.id, document: match };
      if (last) {
        const [one, ...more] = await this.#free(doubtful);
        if (one) throw this.#doubtful([one, ...more]);
        if (!complete) throw this.#cannotLook("the service didn't answer when asked by date", how.lost);
        return undefined;
      }
      await clock.wait(Math.min(pause, Math.max(0, until - clock.now())), this.call.signal).catch(() => {
        throw new UserError(
          "cancelled while looking for the document. Run `pulumi up` again: it is looked for before anything is sent.",
        );
      });
    }
  }

  /** Several are fine where as many creates of this content wait for theirs. Others claim meanwhile: count until it holds still. */
  async #notMoreThanWanted(content: Content, matches: readonly DocumentBody[]): Promise<DocumentBody[]> {
    const { journal } = this.context;
    const count = async () => Math.max(1, await journal.unresolved(this.scope.service, content.fingerprint));
    for (let before = await count(); ; ) {
      const free = await this.#free(matches);
      const unresolved = await count();
      if (free.length <= unresolved) return free;
      if (unresolved === before) throw this.#tooMany(free);
      before = unresolved;
    }
  }

  async #free(found: readonly DocumentBody[]): Promise<DocumentBody[]> {
    const known = await Promise.all(found.map(({ id }) => this.#isKnown(id)));
    return found.filter((_, index) => !known[index]).sort((a, b) => byId(a.id, b.id));
  }

  /** Another resource has it, or this one had it before. */
  async #isKnown(id: string): Promise<boolean> {
    const { journal } = this.context;
    if (this.supersedes.includes(id) || journal.isLetGo(this.scope.service, id)) return true;
    return journal.isTaken(this.scope, id);
  }

  async #candidates(
    content: Content,
    startedAt: number,
    { lost, recovered = false }: Looking,
    whatever: boolean,
  ): Promise<Found> {
    try {
      const isKnown = (id: string) => this.#isKnown(id);
      return await this.#lookup.createdSince(content, startedAt, { recovered, whatever, isKnown });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      throw this.#cannotLook(error.message, lost);
    }
  }

  #cannotLook(why: string, lost: ServiceError | undefined): UserError {
    return new UserError(
      [
        `it isn't known whether the document was created, and looking for it failed: ${why}`,
        ...(lost ? [`  before that: ${lost.message}`] : []),
        "Nothing is sent again until that is known. Run `pulumi up` again once the service answers: it looks first.",
      ].join("\n"),
    );
  }

  #claim(id: string, { fingerprint }: Content): Promise<boolean> {
    return this.context.journal.claim(this.scope, id, fingerprint, this.supersedes);
  }

  /** The answer to our own request: only an identical create of this moment can have taken that document before us. */
  async #claimAnswered(id: string): Promise<boolean> {
    const { journal } = this.context;
    try {
      return await journal.claim(this.scope, id, this.content.fingerprint, this.supersedes, { answered: true });
    } catch (error) {
      this.call.log.warn(
        `document ${id} was created, and this machine can't note it: ${error instanceof Error ? error.message : String(error)}`,
      );
      return true;
    }
  }

  #tooMany(matches: readonly DocumentBody[]): UserError {
    return new UserError(
      [
        "it isn't known which document this create led to: the service has several that fit, and none is taken over by guessing. Nothing more was created.",
        ...matches.map(
          match =>
            `  document ${match.id}, ${oneLine(match.status)}, created ${match.createdAt ?? "at an unknown time"}`,
        ),
        ...this.guard.waysOn(this.scope, matches[0]?.id),
      ].join("\n"),
    );
  }

  #doubtful(documents: readonly DocumentBody[]): UserError {
    return new UserError(
      [
        "it isn't known whether the document was created: about then the service got one that may be it, told a little differently than it was sent (its name, description, people or PDF). Nothing more was created.",
        ...documents.map(
          ({ id, status, createdAt }) =>
            `  document ${id}, ${oneLine(status)}, created ${createdAt ?? "at an unknown time"}`,
        ),
        ...this.guard.waysOn(this.scope, documents[0]?.id),
      ].join("\n"),
    );
  }

  #gaveUp(lost: ServiceError): UserError {
    return new UserError(
      [
        `the document was not created, as far as the service shows: ${lost.message}`,
        `  looked for it for ${this.context.policy().reconcileTimeoutMs / 1000} s and it didn't appear.`,
        "Run `pulumi up` again: it is looked for once more before anything is sent. A slow service wants a longer docsign:reconcileTimeout.",
      ].join("\n"),
    );
  }
}

/** Whether a create that can't be found may be sent again: not after a yes that couldn't be read, nor after a no. */
function ledToNothing(lost: ServiceError): boolean {
  if (!(lost instanceof AmbiguousWriteError)) return false;
  if (lost.status === 408 || lost.status === 425) return true;
  const { cause } = lost;
  return (
    cause instanceof TransportError ||
    cause instanceof TimeoutError ||
    cause instanceof ServiceFaultError ||
    cause instanceof RateLimitedError
  );
}
